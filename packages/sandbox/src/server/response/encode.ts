import type { GenericObject } from "@keelson/core";
import { stringify } from "yaml";

/** The encoded form of objects, for as long as they live; stored objects never change. */
const encodedObjects = new WeakMap<object, Uint8Array>();

const encoder = new TextEncoder();

export function encodeText(text: string): Uint8Array {
  return encoder.encode(text);
}

/** Encodes a stored object, and keeps the bytes for the next response. */
export function encodeOnce(object: GenericObject): Uint8Array {
  const known = encodedObjects.get(object);
  if (known !== undefined) return known;
  const bytes = encodeText(JSON.stringify(object));
  encodedObjects.set(object, bytes);
  return bytes;
}

/** Indented JSON, or YAML as the server writes it. */
export function encodeSpecial(value: object, format: "json" | "yaml"): Uint8Array {
  if (format === "json") return encodeText(JSON.stringify(value, undefined, 2));
  const plain = JSON.parse(JSON.stringify(value));
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
