import { isRecord, parseDuration } from "@keelson/core";
import { Duration } from "@marcbachmann/cel-js/evaluator";
import { additionalSchema, type FieldSchema } from "../schema/field-schema.ts";
import { markList } from "./list-kinds.ts";

/**
 * A value of JSON as expressions see it: integers are `bigint`s, texts with a format their dates, durations and bytes,
 * names of properties escaped. A field that the schema does not declare has no type.
 */
export function celValue(value: unknown, schema: FieldSchema | undefined, isResource = false): unknown {
  if (value === null || value === undefined) return null;
  if (schema === undefined || schema["x-kubernetes-int-or-string"] === true) return untypedValue(value);
  if (typeof value === "number")
    return schema.type === "number" || !Number.isInteger(value) ? value : BigInt(value);
  if (typeof value === "string") return textValue(value, schema.format);
  if (Array.isArray(value)) return listValue(value, schema);
  if (!isRecord(value)) return value;
  return isResource || schema["x-kubernetes-embedded-resource"] === true
    ? resourceValue(value, schema)
    : objectValue(value, schema);
}

/** A value of which nothing is known beforehand: objects as admission sees them. */
export function untypedValue(value: unknown): unknown {
  if (typeof value === "number") return Number.isInteger(value) ? BigInt(value) : value;
  if (Array.isArray(value)) return value.map(untypedValue);
  if (!isRecord(value)) return value ?? null;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, untypedValue(inner)]));
}

function textValue(text: string, format: string | undefined): unknown {
  if (format === "byte") return new Uint8Array(Buffer.from(text, "base64"));
  if (format === "date-time" || format === "date") {
    const time = Date.parse(text);
    return Number.isNaN(time) ? text : new Date(time);
  }
  if (format !== "duration") return text;
  const nanoseconds = parseDuration(text);
  if (nanoseconds === undefined) return text;
  return new Duration(nanoseconds / 1_000_000_000n, Number(nanoseconds % 1_000_000_000n));
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

function objectValue(object: Record<string, unknown>, schema: FieldSchema): Record<string, unknown> {
  const { properties } = schema;
  const additional = additionalSchema(schema);
  const entries: (readonly [string, unknown])[] = [];
  for (const [name, value] of Object.entries(object)) {
    const property =
      properties !== undefined && Object.hasOwn(properties, name) ? properties[name] : undefined;
    // In an object with properties, null is as good as nothing.
    if (value === null && properties !== undefined) continue;
    if (property !== undefined) {
      const escaped = escapeName(name);
      if (escaped !== undefined) entries.push([escaped, celValue(value, property)]);
    } else if (additional !== undefined) entries.push([name, celValue(value, additional)]);
  }
  return Object.fromEntries(entries);
}

/** Of an object with metadata, rules see its type and its names. */
function resourceValue(object: Record<string, unknown>, schema: FieldSchema): Record<string, unknown> {
  const { apiVersion, kind, metadata } = object;
  const names = isRecord(metadata)
    ? Object.fromEntries(
        ["name", "generateName"].flatMap((key) => (key in metadata ? [[key, metadata[key]]] : [])),
      )
    : undefined;
  return {
    ...objectValue(object, schema),
    ...(apiVersion === undefined ? {} : { apiVersion }),
    ...(kind === undefined ? {} : { kind }),
    ...(names === undefined ? {} : { metadata: names }),
  };
}

/** Words that CEL keeps for itself: a property of that name is written between double underscores. */
const keywords: ReadonlySet<string> = new Set([
  "true",
  "false",
  "null",
  "in",
  "as",
  "break",
  "const",
  "continue",
  "else",
  "for",
  "function",
  "if",
  "import",
  "let",
  "loop",
  "package",
  "namespace",
  "return",
  "var",
  "void",
  "while",
]);

const escapes: Readonly<Record<string, string>> = {
  __: "__underscores__",
  ".": "__dot__",
  "-": "__dash__",
  "/": "__slash__",
};

/** How expressions write the name of a property; undefined if they have no way to. */
export function escapeName(name: string): string | undefined {
  if (keywords.has(name)) return `__${name}__`;
  if (!/^[A-Za-z_][A-Za-z0-9_./-]*$/.test(name)) return undefined;
  return name.replaceAll(/__|[./-]/g, (part) => escapes[part] ?? part);
}
