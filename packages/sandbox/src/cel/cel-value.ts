import { isRecord, parseDuration } from "@keelson/core";
import { additionalSchema, type FieldSchema } from "../schema/field-schema.ts";
import { markList } from "./language/cel-equality.ts";
import { CelDuration, type CelMap, CelTimestamp } from "./language/cel-values.ts";
import { reservedWords } from "./language/reserved-words.ts";
import { parseTimestamp } from "./language/timestamp.ts";

/**
 * A value of JSON as expressions see it: integers are `bigint`s, texts with a format their times, durations and bytes,
 * objects are maps with escaped names. A field that the schema does not declare cannot be seen.
 */
export function celValue(value: unknown, schema: FieldSchema | undefined, isResource = false): unknown {
  if (value === null || value === undefined) return null;
  if (schema === undefined || schema["x-kubernetes-int-or-string"] === true) return untypedValue(value);
  if (typeof value === "number")
    return schema.type === "number" || !Number.isInteger(value) ? value : BigInt(value);
  if (typeof value === "bigint") return schema.type === "number" ? Number(value) : value;
  if (typeof value === "string") return textValue(value, schema.format);
  if (Array.isArray(value)) return listValue(value, schema);
  if (!isRecord(value)) return value;
  return isResource || schema["x-kubernetes-embedded-resource"] === true
    ? resourceValue(value, schema)
    : objectValue(value, schema);
}

/**
 * A value of which nothing is known beforehand: objects as admission sees them. They may be nested as deeply as a
 * request can write, so this does not recurse.
 */
export function untypedValue(value: unknown): unknown {
  const root: unknown[] = [];
  const pending: Pending[] = [{ values: [value], list: root }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if ("list" in next) for (const inner of next.values) next.list.push(begun(inner, pending));
    else for (const [name, inner] of Object.entries(next.fields)) next.map.set(name, begun(inner, pending));
  }
  return root[0];
}

/** A list or map whose content is not converted yet. */
type Pending =
  | { readonly values: readonly unknown[]; readonly list: unknown[] }
  | { readonly fields: Record<string, unknown>; readonly map: Map<string, unknown> };

function begun(value: unknown, pending: Pending[]): unknown {
  if (typeof value === "number") return Number.isInteger(value) ? BigInt(value) : value;
  if (Array.isArray(value)) {
    const list: unknown[] = [];
    pending.push({ values: value, list });
    return list;
  }
  if (!isRecord(value)) return value ?? null;
  const map = new Map<string, unknown>();
  pending.push({ fields: value, map });
  return map;
}

function textValue(text: string, format: string | undefined): unknown {
  if (format === "byte") return new Uint8Array(Buffer.from(text, "base64"));
  if (format === "date-time" || format === "date") {
    const nanoseconds = parseTimestamp(format === "date" ? `${text}T00:00:00Z` : text);
    return nanoseconds === undefined ? text : new CelTimestamp(nanoseconds);
  }
  const nanoseconds = format === "duration" ? parseDuration(text) : undefined;
  return nanoseconds === undefined ? text : new CelDuration(nanoseconds);
}

function listValue(list: readonly unknown[], schema: FieldSchema): readonly unknown[] {
  const values = list.map((item) => celValue(item, schema.items));
  const type = schema["x-kubernetes-list-type"];
  if (type === "set") markList(values, { type });
  if (type === "map") {
    const keys = schema["x-kubernetes-list-map-keys"] ?? [];
    markList(values, { type, keys: keys.map((key) => escapeName(key) ?? key) });
  }
  return values;
}

function objectValue(object: Record<string, unknown>, schema: FieldSchema): Map<string, unknown> {
  const { properties } = schema;
  const additional = additionalSchema(schema);
  const values = new Map<string, unknown>();
  for (const [name, value] of Object.entries(object)) {
    const property =
      properties !== undefined && Object.hasOwn(properties, name) ? properties[name] : undefined;
    // In an object with properties, null is as good as nothing.
    if (value === null && properties !== undefined) continue;
    if (property !== undefined) {
      const escaped = escapeName(name);
      if (escaped !== undefined) values.set(escaped, celValue(value, property));
    } else if (additional !== undefined) values.set(name, celValue(value, additional));
  }
  return values;
}

/** Of an object with metadata, rules see its type and its names. */
function resourceValue(object: Record<string, unknown>, schema: FieldSchema): CelMap {
  const { apiVersion, kind, metadata } = object;
  const values = objectValue(object, schema);
  if (apiVersion !== undefined) values.set("apiVersion", apiVersion);
  if (kind !== undefined) values.set("kind", kind);
  if (isRecord(metadata)) {
    const names = ["name", "generateName"].filter((key) => key in metadata);
    values.set("metadata", new Map(names.map((key) => [key, metadata[key]])));
  }
  return values;
}

const escapes: Readonly<Record<string, string>> = {
  __: "__underscores__",
  ".": "__dot__",
  "-": "__dash__",
  "/": "__slash__",
};

/** How expressions write the name of a property, a reserved word between double underscores; undefined if they have no way to. */
export function escapeName(name: string): string | undefined {
  if (reservedWords.has(name)) return `__${name}__`;
  if (!/^[A-Za-z_][A-Za-z0-9_./-]*$/.test(name)) return undefined;
  return name.replaceAll(/__|[./-]/g, (part) => escapes[part] ?? part);
}
