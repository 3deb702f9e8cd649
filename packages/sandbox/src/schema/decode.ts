import { InvalidQuantityError, KeelsonError, quantityAsStored } from "@keelson/core";
import { goFieldPath } from "./embedded-structs.ts";
import { additionalSchema, type FieldSchema, goKind, goType } from "./field-schema.ts";
import { isJsonObject, type JsonNode, type JsonObject, numberText, parseDocument } from "./json-document.ts";
import type { ParsedJson } from "./parse-json.ts";

export interface Decoded {
  readonly object: JsonObject;
  /** `unknown field "spec.foo"`, `duplicate field "data.a"`, in the order of the text. */
  readonly strictProblems: readonly string[];
}

/**
 * Brings a built-in object into the form in which the server keeps it, in place: fields that its type does not have and
 * nulls are removed, and so are empty fields that Go does not distinguish from absent ones; times and quantities are in
 * their usual form. Throws DecodeError where a value does not fit. A value without text (the result of a patch) is
 * judged by itself.
 */
export function decodeBuiltin(
  parsed: ParsedJson | { readonly value: unknown },
  schema: FieldSchema,
): Decoded {
  const text = "text" in parsed ? parsed.text : undefined;
  const object = isJsonObject(parsed.value) ? parsed.value : {};
  const decoder = new Decoder(text);
  decoder.decodeObject(object, schema);
  if (decoder.typeError !== undefined) throw decoder.typeError;
  const isClean = !decoder.hasUnknown && !("hasDuplicates" in parsed && parsed.hasDuplicates);
  if (isClean) return { object, strictProblems: [] };
  const problems =
    text === undefined
      ? decoder.unknownPaths.sort().map(unknownField)
      : strictProblems(parseDocument(text), schema);
  return { object, strictProblems: problems };
}

function unknownField(path: string): string {
  return `unknown field ${JSON.stringify(path)}`;
}

class Decoder {
  hasUnknown = false;
  readonly unknownPaths: string[] = [];
  /** The first error; later ones add nothing. Those of times and quantities end it at once, as in Go. */
  typeError: DecodeError | undefined;
  readonly #text: string | undefined;
  readonly #path: (string | number)[] = [];
  /** The part of the path that Go's messages show: without indexes and without keys of maps. */
  readonly #fields: string[] = [];
  #struct = "";

  constructor(text: string | undefined) {
    this.#text = text;
  }

  decodeObject(object: JsonObject, schema: FieldSchema): void {
    const { properties } = schema;
    if (properties === undefined) return;
    const outer = this.#struct;
    for (const name of Object.keys(object)) {
      this.#struct = schema.typeName ?? outer;
      const field = Object.hasOwn(properties, name) ? properties[name] : undefined;
      this.#path.push(name);
      this.#fields.push(goFieldPath(schema.typeName, name));
      if (field === undefined) {
        this.#noteUnknown();
        delete object[name];
      } else {
        const decoded = this.#decode(object[name], field);
        if (decoded === undefined || isLeftOut(decoded, field)) delete object[name];
        else object[name] = decoded;
      }
      this.#fields.pop();
      this.#path.pop();
    }
    this.#struct = outer;
  }

  /** Undefined for what is as good as absent. */
  #decode(value: unknown, schema: FieldSchema): unknown {
    if (value === null) return undefined;
    if (isRaw(schema)) return value;
    if (schema["x-kubernetes-int-or-string"] === true) return this.#intOrString(value, schema);
    if (schema.oneOf !== undefined) return this.#either(value, schema.oneOf);
    if (schema.type === "object") return this.#object(value, schema);
    if (schema.type === "array") return this.#array(value, schema);
    return schema.type === undefined ? value : this.#scalar(value, schema);
  }

  #object(value: unknown, schema: FieldSchema): unknown {
    if (!isJsonObject(value)) return this.#mismatch(value, schema);
    if (schema.properties !== undefined) {
      this.decodeObject(value, schema);
      return value;
    }
    const entries = additionalSchema(schema);
    if (entries === undefined || schema.additionalProperties === true) return value;
    for (const name of Object.keys(value)) {
      this.#path.push(name);
      value[name] = this.#decode(value[name], entries) ?? emptyOf(entries);
      this.#path.pop();
    }
    return value;
  }

  #array(value: unknown, schema: FieldSchema): unknown {
    if (!Array.isArray(value)) return this.#mismatch(value, schema);
    const { items } = schema;
    if (items === undefined) return value;
    for (let index = 0; index < value.length; index++) {
      this.#path.push(index);
      value[index] = this.#decode(value[index], items) ?? emptyOf(items);
      this.#path.pop();
    }
    return value;
  }

  #scalar(value: unknown, schema: FieldSchema): unknown {
    const { type, format } = schema;
    if (type === "integer") return this.#integer(value, schema);
    if (type === "number" && typeof value === "bigint") return Number(value);
    if (type === "boolean" || type === "number")
      return typeof value === type ? value : this.#mismatch(value, schema);
    if (typeof value !== "string") return this.#mismatch(value, schema);
    if (format === "date-time") return decodedTime(value, schema.typeName === "v1.MicroTime" ? 6 : 0);
    return format === "byte" ? decodedBytes(value) : value;
  }

  #integer(value: unknown, schema: FieldSchema): unknown {
    if (typeof value !== "number" && typeof value !== "bigint") return this.#mismatch(value, schema);
    const limit = schema.format === "int32" ? 2 ** 31 : 2 ** 63;
    // The least integer itself would be a bigint; a number of that size was a smaller one.
    if (isInteger(value) && value < limit && value >= -limit && value !== -(2 ** 63)) return value;
    return this.#mismatch(value, schema, ` ${numberText(this.#text, this.#path) ?? value}`);
  }

  #intOrString(value: unknown, schema: FieldSchema): unknown {
    if (schema.typeName === "resource.Quantity") return decodedQuantity(value);
    return typeof value === "string" ? value : this.#integer(value, { type: "integer", format: "int32" });
  }

  /** Of a schema or something else, in a definition: the form that fits. Throws DecodeError where none may be missing. */
  #either(value: unknown, forms: readonly FieldSchema[]): unknown {
    const type = Array.isArray(value) ? "array" : typeof value === "bigint" ? "number" : typeof value;
    const form = forms.find((one) => one.type === type);
    if (form !== undefined) return this.#decode(value, form);
    if (forms.some((one) => one.type === "boolean")) {
      throw new DecodeError("boolean or JSON schema expected");
    }
    return undefined;
  }

  #mismatch(value: unknown, schema: FieldSchema, number = ""): undefined {
    const struct = this.#struct.slice(this.#struct.indexOf(".") + 1);
    const field = [struct, ...this.#fields].join(".");
    this.typeError ??= new DecodeError(
      `json: cannot unmarshal ${goKind(value)}${number} into Go struct field ${field} of type ${goType(schema)}`,
    );
    return undefined;
  }

  #noteUnknown(): void {
    this.hasUnknown = true;
    if (this.#text !== undefined) return;
    const path = this.#path.map((part) => (typeof part === "string" ? `.${part}` : `[${part}]`)).join("");
    this.unknownPaths.push(path.slice(1));
  }
}

/** An integer that a number would round is a bigint. */
function isInteger(value: number | bigint): boolean {
  return typeof value === "bigint" || Number.isInteger(value);
}

/**
 * What Go's encoder leaves out, and keeps nothing of: empty scalars, lists and maps, unless the type says otherwise.
 */
function isLeftOut(value: unknown, schema: FieldSchema): boolean {
  if (value === "" || value === 0 || value === false)
    return schema.keepsEmpty !== true && schema.default !== value && isScalar(schema);
  if (schema.isAlwaysWritten === true || isRaw(schema)) return false;
  if (Array.isArray(value)) return value.length === 0;
  return isJsonObject(value) && schema.additionalProperties !== undefined && Object.keys(value).length === 0;
}

/** JSON that is kept as it is, such as the default of a field of a custom kind. */
function isRaw({ typeName }: FieldSchema): boolean {
  return typeName === "v1.JSON" || typeName === "v1.FieldsV1";
}

/** Other types, such as int-or-string, are pointers where they are optional. */
function isScalar(schema: FieldSchema): boolean {
  return schema.typeName === undefined && schema.type !== undefined;
}

/** A null inside a list or a map is the empty value of its type. */
function emptyOf(schema: FieldSchema): unknown {
  if (schema.typeName === "resource.Quantity") return "0";
  if (schema.type === "string") return "";
  if (schema.type === "integer" || schema.type === "number") return 0;
  if (schema.type === "boolean") return false;
  return schema.type === "object" ? {} : null;
}

/** Quantities are kept in their shortest form, numbers as text. Throws DecodeError. */
function decodedQuantity(value: unknown): string {
  if (typeof value === "string" || typeof value === "number" || typeof value === "bigint") {
    try {
      return quantityAsStored(value);
    } catch (error) {
      if (!(error instanceof InvalidQuantityError)) throw error;
    }
  }
  throw new DecodeError(
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
  );
}

const dayAndTime = ["2006", "-", "01", "-", "02", "T", "15", ":", "04", ":", "05"];
const timePattern = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)([.,]\d+)?(Z|[+-]\d\d:\d\d)$/;

/** Times are kept in UTC, to the second; or with exactly six more digits. Throws DecodeError. */
function decodedTime(text: string, fractionDigits: 0 | 6): string {
  const [, year, month, day, hour, minute, second, fraction = "", zone = ""] = timePattern.exec(text) ?? [];
  const date = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}${zone}`);
  const isExact = fractionDigits === 0 || /^\.\d{6}$/.test(fraction);
  const isDay = Number(day) <= daysIn(Number(year), Number(month));
  if (year === undefined || !isExact || !isDay || Number.isNaN(date.getTime()))
    throw new DecodeError(timeMessage(text, fractionDigits));
  return `${date.toISOString().slice(0, 19)}${fractionDigits === 0 ? "" : fraction}Z`;
}

function daysIn(year: number, month: number): number {
  return new Date(Date.UTC(year, month, 0)).getUTCDate();
}

/** Names the first part that is wrong, as Go's time package does. */
function timeMessage(text: string, fractionDigits: 0 | 6): string {
  const layout = [...dayAndTime, ...(fractionDigits === 0 ? [] : [".000000"]), "Z07:00"];
  let rest = text;
  for (const [index, part] of layout.entries()) {
    const fitting = partPattern(part).exec(rest)?.[0];
    if (fitting === undefined) {
      const format = layout.join("");
      return `parsing time ${JSON.stringify(text)} as "${format}": cannot parse ${JSON.stringify(rest)} as "${part}"`;
    }
    rest = rest.slice(fitting.length);
    // A fraction may follow where the layout has none.
    if (index === dayAndTime.length - 1 && fractionDigits === 0) rest = rest.replace(/^[.,]\d+/, "");
  }
  return `parsing time ${JSON.stringify(text)}: ${outOfRange(text)} out of range`;
}

function partPattern(part: string): RegExp {
  if (part === "Z07:00") return /^(?:Z|[+-]\d\d:\d\d)$/;
  if (part === ".000000") return /^\.\d{6}(?!\d)/;
  return /\d/.test(part) ? new RegExp(`^\\d{${part.length}}`) : new RegExp(`^${part}`);
}

function outOfRange(text: string): string {
  const [month = 0, day = 0, hour = 0, minute = 0] = [5, 8, 11, 14].map((at) =>
    Number(text.slice(at, at + 2)),
  );
  if (month < 1 || month > 12) return "month";
  if (day < 1 || day > daysIn(Number(text.slice(0, 4)), month)) return "day";
  if (hour > 23) return "hour";
  return minute > 59 ? "minute" : "second";
}

/** Bytes are kept as base64 with padding. Throws DecodeError. */
function decodedBytes(text: string): string {
  const plain = text.replace(/[\r\n]/g, "");
  const wrong = plain.search(/[^A-Za-z0-9+/=]/);
  const padding = plain.indexOf("=");
  const isComplete = plain.length % 4 === 0 && (padding === -1 || /^={1,2}$/.test(plain.slice(padding)));
  if (wrong === -1 && isComplete) return plain;
  const at = wrong === -1 ? badByte(plain, padding) : wrong;
  throw new DecodeError(`illegal base64 data at input byte ${at}`);
}

function badByte(plain: string, padding: number): number {
  return padding === -1 ? plain.length - (plain.length % 4) : padding;
}

/**
 * What strict decoding of a built-in kind reports, in the order of the text: fields that its type does not have, once
 * each, and fields given twice. Neither looks inside of what is unknown.
 */
function strictProblems(document: JsonNode, schema: FieldSchema): readonly string[] {
  const problems: string[] = [];
  // Not by recursion: a document may be nested deeper than the stack.
  const open: Visit[] = [{ node: document, schema, path: "" }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next.problem !== undefined) problems.push(next.problem);
    open.push(...partsOf(next).reverse());
  }
  return problems;
}

/** A part of a document that is yet to be looked into. */
interface Visit {
  readonly node: JsonNode;
  /** Undefined if it is unknown, so that nothing is looked at inside of it. */
  readonly schema: FieldSchema | undefined;
  readonly path: string;
  readonly problem?: string;
}

/** Fields given twice, anywhere: what is reported for kinds without types. */
export function duplicateFields(document: JsonNode): readonly string[] {
  return strictProblems(document, anything);
}

const anything: FieldSchema = { "x-kubernetes-preserve-unknown-fields": true };

function partsOf({ node, schema, path }: Visit): Visit[] {
  if (schema === undefined) return [];
  if (node.kind === "array")
    return node.items.map((item, index) => ({
      node: item,
      schema: schema.items ?? anything,
      path: `${path}[${index}]`,
    }));
  if (node.kind !== "object") return [];
  const forms = schema.oneOf?.find(({ type }) => type === "object") ?? schema;
  const seen = new Set<string>();
  return node.entries.map(({ name, node: field }) => {
    const fieldPath = path === "" ? name : `${path}.${name}`;
    const isRepeated = seen.has(name);
    seen.add(name);
    const fieldSchema = fieldSchemaOf(forms, name);
    const isReported = fieldSchema === undefined ? !isRepeated : isRepeated;
    const what = fieldSchema === undefined ? "unknown" : "duplicate";
    const problem = isReported && { problem: `${what} field ${JSON.stringify(fieldPath)}` };
    return { node: field, schema: fieldSchema, path: fieldPath, ...problem };
  });
}

function fieldSchemaOf(schema: FieldSchema, name: string): FieldSchema | undefined {
  const { properties } = schema;
  if (properties !== undefined) return Object.hasOwn(properties, name) ? properties[name] : undefined;
  return additionalSchema(schema) ?? anything;
}

/** A value that does not fit its type; the message is in the words of the API server's decoder. */
export class DecodeError extends KeelsonError {
  static override readonly brand: string = "@keelson/sandbox.DecodeError";
  readonly code = "DECODE";
}
