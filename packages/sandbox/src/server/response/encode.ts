import { formatJson, type GenericObject, parseJson } from "@keelson/core";
import { stringify } from "yaml";

/** The encoded form of objects, for as long as they live; stored objects never change. */
const encodedObjects = new WeakMap<object, Uint8Array>();

const encoder = new TextEncoder();

export function encodeText(text: string): Uint8Array {
  return encoder.encode(text);
}

const escapes: Readonly<Record<string, string>> = {
  "<": "\\u003c",
  ">": "\\u003e",
  "&": "\\u0026",
  "\u2028": "\\u2028",
  "\u2029": "\\u2029",
};

/**
 * Encodes JSON with the escapes of Go. Clients that keep a part of it unparsed, such as the data of revisions, compare its
 * bytes. Outside of texts, JSON has none of these characters.
 */
export function encodeJson(json: string): Uint8Array {
  if (!/[<>&\u2028\u2029]/.test(json)) return encoder.encode(json);
  return encoder.encode(
    json.replaceAll(/[<>&\u2028\u2029]/g, (character) => escapes[character] ?? character),
  );
}

/** Encodes a stored object, and keeps the bytes for the next response. */
export function encodeOnce(object: GenericObject): Uint8Array {
  const known = encodedObjects.get(object);
  if (known !== undefined) return known;
  const bytes = encodeJson(formatJson(object));
  encodedObjects.set(object, bytes);
  return bytes;
}

/** Indented JSON, or YAML as the server writes it. */
export function encodeSpecial(value: object, format: "json" | "yaml"): Uint8Array {
  if (format === "json") return encodeJson(indented(value));
  const plain = parseJson(formatJson(value));
  return encodeText(
    stringify(plain, {
      sortMapEntries: true,
      indentSeq: false,
      lineWidth: 0,
      aliasDuplicateObjects: false,
      version: "1.1",
    }),
  );
}

/** A value that the engine cannot write, because it is nested too deeply or has a bigint, is written without indents. */
function indented(value: object): string {
  try {
    return JSON.stringify(value, undefined, 2);
  } catch (error) {
    if (error instanceof RangeError || error instanceof TypeError) return formatJson(value);
    throw error;
  }
}
