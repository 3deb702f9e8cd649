import { formatTime, parseJson } from "@keelson/core";
import { MalformedMessageError, type WireField, wireFields } from "./wire-reader.ts";

/** Messages that are not an object in JSON. */
export const specialMessages: Readonly<Record<string, (message: Uint8Array) => unknown>> = {
  Time: (message) => timeOf(message, 0),
  MicroTime: (message) => timeOf(message, 6),
  Duration: (message) => `${Number(fieldsOf(message).get(1)?.integer ?? 0n) / 1e9}s`,
  Quantity: (message) => textOf(fieldsOf(message).get(1)),
  IntOrString(message) {
    const fields = fieldsOf(message);
    const isText = fields.get(1)?.integer === 1n;
    return isText ? textOf(fields.get(3)) : Number(fields.get(2)?.integer ?? 0n);
  },
  FieldsV1: rawJson,
  RawExtension: rawJson,
  JSON: rawJson,
  ExtraValue: listOf,
  Verbs: listOf,
};

function fieldsOf(message: Uint8Array): ReadonlyMap<number, WireField> {
  const fields = new Map<number, WireField>();
  for (const field of wireFields(message)) fields.set(field.number, field);
  return fields;
}

function textOf(field: WireField | undefined): string {
  return field === undefined ? "" : Buffer.from(field.bytes).toString();
}

/** Null for the zero time. */
function timeOf(message: Uint8Array, digits: number): string | null {
  const fields = fieldsOf(message);
  const seconds = Number(fields.get(1)?.integer ?? 0n);
  const nanos = Number(fields.get(2)?.integer ?? 0n);
  const isNone = fields.size === 0 || seconds < -62_135_596_799;
  const ms = seconds * 1_000;
  if (isNone || Math.abs(ms) > 8.64e15) return null;
  const text = formatTime(ms);
  if (digits === 0) return text;
  return text.replace("Z", `.${String(Math.floor(nanos / 1_000)).padStart(digits, "0")}Z`);
}

function rawJson(message: Uint8Array): unknown {
  const text = textOf(fieldsOf(message).get(1));
  if (text === "") return null;
  try {
    return parseJson(text);
  } catch (error) {
    throw new MalformedMessageError("raw JSON in a message cannot be parsed", { cause: error });
  }
}

function listOf(message: Uint8Array): readonly string[] {
  return [...wireFields(message)].map((field) => textOf(field));
}

type Decoded = Readonly<Record<string, unknown>>;

/** Messages with alternatives, of which JSON contains the chosen one only. */
export const chosenForms: Readonly<Record<string, (message: Decoded) => unknown>> = {
  "apiextensions.v1.JSONSchemaPropsOrArray": ({ schema, jSONSchemas }) => jSONSchemas ?? schema ?? null,
  "apiextensions.v1.JSONSchemaPropsOrBool": ({ schema, allows = false }) => schema ?? allows,
  "apiextensions.v1.JSONSchemaPropsOrStringArray": ({ schema, property }) => property ?? schema ?? null,
};
