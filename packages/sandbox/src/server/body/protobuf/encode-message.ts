import { formatJson, isRecord, parseDuration } from "@keelson/core";
import { type FieldForm, formOf } from "./message-form.ts";

type Json = Readonly<Record<string, unknown>>;

/** Encodes an object as a protobuf message; undefined for kinds that have no message. */
export function jsonToMessage(name: string, object: Json): Uint8Array | undefined {
  return formOf(name) === undefined ? undefined : messageOf(name, object);
}

function messageOf(name: string, object: Json): Uint8Array {
  const fields = [...(formOf(name) ?? [])].toSorted(([a], [b]) => a - b);
  return Buffer.concat(fields.flatMap(([number, form]) => fieldBytes(number, form, object)));
}

function fieldBytes(number: number, form: FieldForm, object: Json): readonly Uint8Array[] {
  const { name, type, isList, isMap, isInlined } = form;
  if (isInlined) {
    const inlined = messageOf(type, object);
    return inlined.length === 0 ? [] : [delimited(number, inlined)];
  }
  const value = object[name];
  // Null is a value of raw JSON, such as a default.
  if (value === undefined || (value === null && type !== "!JSON")) return [];
  if (isList) return (Array.isArray(value) ? value : []).map((item) => valueBytes(number, type, item));
  if (!isMap) return [valueBytes(number, type, value)];
  return Object.entries(isRecord(value) ? value : {}).map(([key, entry]) =>
    delimited(number, Buffer.concat([delimited(1, Buffer.from(key)), valueBytes(2, type, entry)])),
  );
}

function valueBytes(number: number, type: string, value: unknown): Uint8Array {
  switch (type) {
    case "s":
      return delimited(number, Buffer.from(String(value)));
    case "b":
      return integer(number, value === true ? 1n : 0n);
    case "i":
      return integer(number, BigInt(typeof value === "bigint" ? value : Math.trunc(Number(value))));
    case "y":
      return delimited(number, Buffer.from(String(value), "base64"));
    case "d": {
      const bytes = Buffer.alloc(8);
      bytes.writeDoubleLE(Number(value));
      return Buffer.concat([varint(BigInt(number * 8 + 1)), bytes]);
    }
    default:
      return delimited(number, type.startsWith("!") ? special(type.slice(1), value) : chosen(type, value));
  }
}

/** Messages with alternatives: JSON contains the chosen one only. */
function chosen(type: string, value: unknown): Uint8Array {
  switch (type) {
    case "apiextensions.v1.JSONSchemaPropsOrArray":
      return messageOf(type, Array.isArray(value) ? { jSONSchemas: value } : { schema: value });
    case "apiextensions.v1.JSONSchemaPropsOrBool":
      return messageOf(
        type,
        typeof value === "boolean" ? { allows: value } : { allows: true, schema: value },
      );
    case "apiextensions.v1.JSONSchemaPropsOrStringArray":
      return messageOf(type, Array.isArray(value) ? { property: value } : { schema: value });
    default:
      return messageOf(type, isRecord(value) ? value : {});
  }
}

/** Messages that are not an object in JSON. */
function special(type: string, value: unknown): Uint8Array {
  switch (type) {
    case "Time":
    case "MicroTime":
      return timeBytes(String(value));
    case "Duration":
      return integer(1, parseDuration(String(value)) ?? 0n);
    case "Quantity":
      return delimited(1, Buffer.from(String(value)));
    case "IntOrString":
      return typeof value === "string"
        ? Buffer.concat([integer(1, 1n), integer(2, 0n), delimited(3, Buffer.from(value))])
        : Buffer.concat([integer(1, 0n), integer(2, BigInt(Number(value))), delimited(3, new Uint8Array())]);
    case "ExtraValue":
    case "Verbs":
      return Buffer.concat(
        (Array.isArray(value) ? value : []).map((item) => delimited(1, Buffer.from(String(item)))),
      );
    default:
      return delimited(1, Buffer.from(formatJson(value)));
  }
}

/** Seconds, and the nanoseconds of a fraction. */
function timeBytes(text: string): Uint8Array {
  const [, fraction = ""] = /\.(\d+)Z$/.exec(text) ?? [];
  const seconds = BigInt(Math.floor(Date.parse(text) / 1000));
  return Buffer.concat([integer(1, seconds), integer(2, BigInt(fraction.padEnd(9, "0")))]);
}

function integer(number: number, value: bigint): Uint8Array {
  return Buffer.concat([varint(BigInt(number * 8)), varint(BigInt.asUintN(64, value))]);
}

/** A field whose bytes follow their number. */
export function delimited(number: number, bytes: Uint8Array): Uint8Array {
  return Buffer.concat([varint(BigInt(number * 8 + 2)), varint(BigInt(bytes.length)), bytes]);
}

function varint(value: bigint): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 128n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
  return Uint8Array.from([...bytes, Number(rest)]);
}
