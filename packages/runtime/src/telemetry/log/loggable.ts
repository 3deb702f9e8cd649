import {
  hasSecretValue,
  isContentOfSecret,
  isObjectName,
  isSecret,
  isSecretKey,
  withoutSecrets,
} from "./redaction.ts";
import { redacted } from "./sensitive.ts";

/** A JSON value. */
export type Loggable =
  | string
  | number
  | boolean
  | null
  | readonly Loggable[]
  | { readonly [key: string]: Loggable };

/** Values below this depth are replaced by `[…]`. */
const maxDepth = 10;
/** The maximum number of values per line: an object that is logged by mistake must not fill the disk. */
const maxValues = 2_000;
const maxLength = 32_768;

/** The state of the conversion of one line. */
interface Walk {
  readonly path: Set<object>;
  valuesLeft: number;
  /** Inside a Secret or a list of Secrets, whose content is redacted. */
  isInSecret: boolean;
}

/**
 * Converts the fields of a line to JSON values, whatever they are: cycles, getters that throw, revoked proxies. Redacts
 * what is secret by its type (Secrets, `sensitive` values) or by the name of its key. Never throws.
 */
export function toLoggable(value: unknown): Loggable {
  return loggable(value, { path: new Set(), valuesLeft: maxValues, isInSecret: false }) ?? null;
}

/** The text of a message: cut if it is too long, with credentials redacted. */
export function toLoggableText(text: string): string {
  if (text.length <= maxLength) return withoutSecrets(text);
  return `${withoutSecrets(text.slice(0, maxLength))}… (${text.length - maxLength} more characters)`;
}

/** Undefined for a value that JSON omits. */
function loggable(value: unknown, walk: Walk): Loggable | undefined {
  switch (typeof value) {
    case "string":
      return toLoggableText(value);
    case "boolean":
      return value;
    case "number":
      return Number.isFinite(value) ? value : String(value);
    case "bigint":
    case "symbol":
      return String(value);
    case "undefined":
      return undefined;
    case "function":
      return "[function]";
    case "object":
      return value === null ? null : loggableObject(value, walk);
  }
}

function loggableObject(value: object, walk: Walk): Loggable | undefined {
  if (walk.path.has(value)) return "[circular]";
  if (walk.path.size >= maxDepth || walk.valuesLeft <= 0) return "[…]";
  walk.valuesLeft -= 1;
  walk.path.add(value);
  const { isInSecret } = walk;
  try {
    return describe(value, walk);
  } catch {
    // A proxy or a method of the object threw; the rest of the line is still logged.
    return "[unreadable]";
  } finally {
    walk.path.delete(value);
    walk.isInSecret = isInSecret;
  }
}

function describe(value: object, walk: Walk): Loggable | undefined {
  if (value instanceof Error) return describeError(value, walk);
  // Bytes are often keys or certificates, and not readable.
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return `[${value.byteLength} bytes]`;
  if (Array.isArray(value) || value instanceof Set) return describeList(value, walk);
  if (value instanceof Map) {
    const entries = [...value].map(([key, entry]) => [String(key), entry] as const);
    return describeFields(new Map(entries), walk);
  }
  if ("toJSON" in value && typeof value.toJSON === "function") return loggable(value.toJSON(), walk);
  return describeFields(readFields(value, maxValues), walk);
}

function describeList(values: Iterable<unknown>, walk: Walk): Loggable {
  const shown: Loggable[] = [];
  for (const value of values) {
    if (walk.valuesLeft <= 0) {
      shown.push("[…]");
      break;
    }
    walk.valuesLeft -= 1;
    shown.push(loggable(value, walk) ?? null);
  }
  return shown;
}

function describeFields(fields: ReadonlyMap<string, unknown>, walk: Walk): Loggable {
  if (fields.get("kind") === "SecretList" || isSecret(fields)) walk.isInSecret = true;
  const hidesValue = hasSecretValue(fields);
  const shown: [string, Loggable][] = [];
  for (const [key, value] of fields) {
    if (walk.valuesLeft <= 0) {
      shown.push(["…", "[…]"]);
      break;
    }
    walk.valuesLeft -= 1;
    const entry = hidesValue && key === "value" ? redacted : describeField(key, value, walk);
    if (entry !== undefined) shown.push([key, entry]);
  }
  // Not by assignment, which would change the prototype for the key `__proto__`.
  return Object.fromEntries(shown);
}

function describeField(key: string, value: unknown, walk: Walk): Loggable | undefined {
  if (value === undefined || value === null) return loggable(value, walk);
  if (walk.isInSecret && isContentOfSecret(key)) return redacted;
  if (isSecretKey(key) && typeof value !== "boolean" && !isObjectName(value)) return redacted;
  return loggable(value, walk);
}

/** First the fields of every error, then its own fields, then its cause. */
function describeError(error: Error, walk: Walk): Loggable {
  const fields = new Map<string, unknown>();
  for (const key of ["name", "message", "code", "stack"]) fields.set(key, readField(error, key));
  for (const [key, value] of readFields(error, maxValues)) fields.set(key, value);
  for (const key of ["errors", "cause"]) fields.set(key, readField(error, key));
  return describeFields(fields, walk);
}

/**
 * The own fields of an object, each read once. A getter may throw, and the object may be a revoked proxy: a field that
 * cannot be read is `[unreadable]`.
 */
export function readFields(value: object, most: number = Number.POSITIVE_INFINITY): Map<string, unknown> {
  const fields = new Map<string, unknown>();
  for (const key of keysOf(value)) {
    if (fields.size >= most) break;
    fields.set(key, readField(value, key));
  }
  return fields;
}

/** Reads a field; `[unreadable]` if a getter throws. */
export function readField(value: object, key: string): unknown {
  try {
    return Reflect.get(value, key);
  } catch {
    return "[unreadable]";
  }
}

function keysOf(value: object): readonly string[] {
  try {
    return Object.keys(value);
  } catch {
    // A revoked proxy.
    return [];
  }
}
