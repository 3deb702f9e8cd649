import type { FieldSchema } from "../../schema/field-schema.ts";
import { escapeName } from "../cel-value.ts";

/** How large the values of a schema can be at most, as far as that can be known beforehand. */
export interface ValueShape {
  /** Of lists and maps their entries, of texts their bytes; 0 for everything else. */
  readonly maxElements: number;
  /** The bytes of the smallest value in JSON. */
  readonly minBytes: number;
  readonly elements?: ValueShape;
  readonly keys?: ValueShape;
  /** By their names in expressions. */
  readonly fields?: ReadonlyMap<string, ValueShape>;
}

/** The most that a request can hold. */
const mostBytes = 3 * 1024 * 1024;

const text: ValueShape = { maxElements: 0, minBytes: 2 };

/** Undefined for values that expressions cannot see. */
export function shapeOf(schema: FieldSchema, isResource: boolean): ValueShape | undefined {
  if (schema["x-kubernetes-int-or-string"] === true) {
    const { maxLength } = schema;
    return { maxElements: maxLength === undefined ? mostBytes - 2 : maxLength * 4, minBytes: 1 };
  }
  switch (schema.type) {
    case "array":
      return listShape(schema);
    case "object":
      return typeof schema.additionalProperties === "object"
        ? mapShape(schema, schema.additionalProperties)
        : objectShape(schema, isResource);
    case "string":
      return textShape(schema);
    case "boolean":
      return { maxElements: 0, minBytes: 4 };
    case "number":
    case "integer":
      return { maxElements: 0, minBytes: 1 };
    default:
      return undefined;
  }
}

/** How often a value of a shape fits into one request. */
export function mostOccurrences({ minBytes }: ValueShape): number {
  return Math.floor(mostBytes / (minBytes + 1));
}

function innerShape(schema: FieldSchema): ValueShape | undefined {
  return shapeOf(schema, schema["x-kubernetes-embedded-resource"] === true);
}

function listShape({ items, maxItems }: FieldSchema): ValueShape | undefined {
  const elements = items && innerShape(items);
  if (elements === undefined) return undefined;
  const fitting = Math.floor((mostBytes - 2) / (elements.minBytes + 1));
  return { maxElements: maxItems ?? fitting, minBytes: 2, elements };
}

function mapShape({ maxProperties }: FieldSchema, values: FieldSchema): ValueShape | undefined {
  const elements = innerShape(values);
  if (elements === undefined) return undefined;
  const fitting = Math.floor((mostBytes - 2) / (elements.minBytes + 6));
  return { maxElements: maxProperties ?? fitting, minBytes: 2, elements, keys: text };
}

/** What rules see of every resource. */
const resourceFields: Readonly<Record<string, FieldSchema>> = {
  kind: { type: "string" },
  apiVersion: { type: "string" },
  metadata: {
    type: "object",
    properties: { name: { type: "string" }, generateName: { type: "string" } },
  },
};

function objectShape({ properties = {}, required = [] }: FieldSchema, isResource: boolean): ValueShape {
  const shown: Readonly<Record<string, FieldSchema>> = isResource
    ? { ...properties, ...resourceFields }
    : properties;
  const fields = new Map<string, ValueShape>();
  let minBytes = 2;
  for (const [name, property] of Object.entries(shown)) {
    const shape = innerShape(property);
    if (shape === undefined) continue;
    const escaped = escapeName(name);
    if (escaped !== undefined) fields.set(escaped, shape);
    const isGiven = required.includes(name) && property.default === undefined;
    if (isGiven) minBytes += Buffer.byteLength(name) + shape.minBytes + 4;
  }
  return { maxElements: 0, minBytes, fields };
}

/** [least, most] bytes of texts that have a form. */
const formats: Readonly<Record<string, readonly [number, number]>> = {
  duration: [3, 32],
  date: [12, 12],
  "date-time": [21, 32],
};

function textShape({ format = "", maxLength, enum: choices = [] }: FieldSchema): ValueShape {
  const known = formats[format];
  if (known !== undefined) return { minBytes: known[0], maxElements: known[1] };
  if (maxLength !== undefined) return { minBytes: 2, maxElements: maxLength * (format === "byte" ? 1 : 4) };
  if (choices.length === 0 || format === "byte") return { minBytes: 2, maxElements: mostBytes - 2 };
  const lengths = choices.map((choice) => (typeof choice === "string" ? Buffer.byteLength(choice) : 0));
  return { minBytes: 2, maxElements: Math.max(...lengths) };
}
