import { isRecord } from "@keelson/core";
import { WireWriter } from "./wire-writer.ts";

/** Writes a value as a field. Fields are written from the last to the first, as WireWriter requires. */
type Write = (writer: WireWriter, field: number, value: unknown) => void;

/** The fields of a message, by their names in JSON. */
type Fields = Readonly<Record<string, readonly [field: number, write: Write]>>;

const text: Write = (writer, field, value) => writer.text(field, String(value));

const flag: Write = (writer, field, value) => {
  if (value === true) writer.integer(field, 1);
};

const integer: Write = (writer, field, value) => {
  if (typeof value === "number" && value > 0) writer.integer(field, Math.floor(value));
};

const double: Write = (writer, field, value) => {
  if (typeof value === "number" && value !== 0) writer.double(field, value);
};

/** Any value is written as YAML, which includes JSON. */
const any: Write = (writer, field, value) =>
  writer.message(field, () => writer.text(2, JSON.stringify(value)));

function each(write: Write): Write {
  return (writer, field, value) => {
    if (Array.isArray(value)) for (const element of value.toReversed()) write(writer, field, element);
  };
}

/** A message that holds only one field. */
function within(number: number, write: Write): Write {
  return (writer, field, value) => writer.message(field, () => write(writer, number, value));
}

/** A message with the entries of a map, each of them a name and a value. */
function namedIn(number: number, write: Write): Write {
  return within(number, (writer, field, value) => {
    if (!isRecord(value)) return;
    for (const [name, one] of Object.entries(value).toReversed()) named(writer, field, name, one, write);
  });
}

function named(writer: WireWriter, field: number, name: string, value: unknown, write: Write): void {
  writer.message(field, () => {
    write(writer, 2, value);
    writer.text(1, name);
  });
}

/** Fields that begin with `x-` are extensions; other unknown fields are dropped. */
function message(fields: Fields, extension?: number): Write {
  return (writer, number, value) => {
    if (!isRecord(value)) return;
    writer.message(number, () => {
      for (const [name, one] of Object.entries(value).toReversed()) {
        const [field, write] = fields[name] ?? [];
        if (field !== undefined && write !== undefined) write(writer, field, one);
        else if (extension !== undefined && name.startsWith("x-")) named(writer, extension, name, one, any);
      }
    });
  };
}

const externalDocs = message({ description: [1, text], url: [2, text] }, 3);

const schema: Write = (writer, field, value) => schemaMessage(writer, field, value);

const additional: Write = (writer, field, value) =>
  typeof value === "boolean"
    ? writer.message(field, () => writer.integer(2, Number(value)))
    : within(1, schema)(writer, field, value);

const schemaFields: Fields = {
  $ref: [1, text],
  format: [2, text],
  title: [3, text],
  description: [4, text],
  default: [5, any],
  multipleOf: [6, double],
  maximum: [7, double],
  exclusiveMaximum: [8, flag],
  minimum: [9, double],
  exclusiveMinimum: [10, flag],
  maxLength: [11, integer],
  minLength: [12, integer],
  pattern: [13, text],
  maxItems: [14, integer],
  minItems: [15, integer],
  uniqueItems: [16, flag],
  maxProperties: [17, integer],
  minProperties: [18, integer],
  required: [19, each(text)],
  enum: [20, each(any)],
  additionalProperties: [21, additional],
  type: [22, within(1, text)],
  items: [23, within(1, schema)],
  properties: [25, namedIn(1, schema)],
  externalDocs: [29, externalDocs],
  example: [30, any],
};
const schemaMessage = message(schemaFields, 31);

const bodyFields: Fields = { name: [2, text], in: [3, text], required: [4, flag], schema: [5, schema] };
const pathFields: Fields = {
  required: [1, flag],
  in: [2, text],
  name: [4, text],
  type: [5, text],
  uniqueItems: [18, flag],
};
const queryFields: Fields = {
  required: [1, flag],
  in: [2, text],
  name: [4, text],
  type: [6, text],
  uniqueItems: [20, flag],
};

const bodyParameter = within(1, message(bodyFields));
const pathParameter = within(2, within(4, message(pathFields)));
const queryParameter = within(2, within(3, message(queryFields)));

const parameter: Write = (writer, field, value) => {
  if (!isRecord(value)) return;
  const inPath = value.in === "path" ? pathParameter : queryParameter;
  within(1, value.in === "body" ? bodyParameter : inPath)(writer, field, value);
};

const response = message({ description: [1, text], schema: [2, within(1, schema)] }, 5);

const operationFields: Fields = {
  produces: [6, each(text)],
  consumes: [7, each(text)],
  parameters: [8, each(parameter)],
  responses: [9, namedIn(1, within(1, response))],
  schemes: [10, each(text)],
};
const operation = message(operationFields, 13);

const pathItemFields: Fields = {
  get: [2, operation],
  put: [3, operation],
  post: [4, operation],
  delete: [5, operation],
  patch: [8, operation],
  parameters: [9, each(parameter)],
};
const pathItem = message(pathItemFields, 10);

const apiKey = message({ type: [1, text], name: [2, text], in: [3, text], description: [4, text] }, 5);

const documentFields: Fields = {
  swagger: [1, text],
  info: [2, message({ title: [1, text], version: [2, text] })],
  paths: [8, namedIn(2, pathItem)],
  definitions: [9, namedIn(1, schema)],
  security: [12, each(namedIn(1, within(1, each(text))))],
  securityDefinitions: [13, namedIn(1, within(2, apiKey))],
};

/** Encodes a document as an `openapi.v2.Document`, with the fields that the server writes. */
export function encodeOpenApiV2(document: Readonly<Record<string, unknown>>): Uint8Array {
  const writer = new WireWriter();
  for (const [name, value] of Object.entries(document).toReversed()) {
    const [field, write] = documentFields[name] ?? [];
    if (field !== undefined && write !== undefined) write(writer, field, value);
  }
  return writer.finish();
}
