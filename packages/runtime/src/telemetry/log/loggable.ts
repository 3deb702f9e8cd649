import {
  hasSecretValue,
  isContentOfSecret,
  isObjectName,
  isSecret,
  isSecretKey,
  withoutSecrets,
} from "./redaction.ts";
import { redacted } from "./sensitive.ts";

/** What JSON can say. */
export type Loggable =
  | string
  | number
  | boolean
  | null
  | readonly Loggable[]
  | { readonly [key: string]: Loggable };

/** Deeper than that only the presence of something is shown. */
const deepest = 10;
/** So many values are shown per line; one that was logged by mistake must not fill the disk. */
const mostValues = 2_000;
const longestText = 32_768;

/** What one line has shown so far. */
interface Walk {
  readonly path: Set<object>;
  valuesLeft: number;
  /** Inside a Secret, or a list of them, whatever is called like its content is not shown. */
  isInSecret: boolean;
}

/**
 * The fields of a line as data that JSON can say, whatever they are: cycles, getters that throw, revoked proxies.
 * What is secret by type (Secrets, `sensitive` values) or by the name of its key is replaced. Never throws.
 */
export function toLoggable(value: unknown): Loggable {
  return loggable(value, { path: new Set(), valuesLeft: mostValues, isInSecret: false }) ?? null;
}

/** The text of a message: cut where it is too long, without what looks like a credential. */
export function toLoggableText(text: string): string {
  if (text.length <= longestText) return withoutSecrets(text);
  return `${withoutSecrets(text.slice(0, longestText))}… (${text.length - longestText} more characters)`;
}

/** Undefined for what JSON leaves out. */
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
  if (walk.path.size >= deepest || walk.valuesLeft <= 0) return "[…]";
  walk.valuesLeft -= 1;
  walk.path.add(value);
  const { isInSecret } = walk;
  try {
    return describe(value, walk);
  } catch {
    // A proxy or a method of the object threw. The line matters more than this part of it.
    return "[unreadable]";
  } finally {
    walk.path.delete(value);
    walk.isInSecret = isInSecret;
  }
}

function describe(value: object, walk: Walk): Loggable | undefined {
  if (value instanceof Error) return describeError(value, walk);
  // Bytes are keys and certificates as often as not, and no use to a reader.
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return `[${value.byteLength} bytes]`;
  if (Array.isArray(value) || value instanceof Set) return describeList(value, walk);
  if (value instanceof Map) {
    const entries = [...value].map(([key, entry]) => [String(key), entry] as const);
    return describeFields(new Map(entries), walk);
  }
  if ("toJSON" in value && typeof value.toJSON === "function") return loggable(value.toJSON(), walk);
  return describeFields(readFields(value, mostValues), walk);
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
  // By assignment the key `__proto__` would change what the object inherits.
  return Object.fromEntries(shown);
}

function describeField(key: string, value: unknown, walk: Walk): Loggable | undefined {
  if (value === undefined || value === null) return loggable(value, walk);
  if (walk.isInSecret && isContentOfSecret(key)) return redacted;
  if (isSecretKey(key) && typeof value !== "boolean" && !isObjectName(value)) return redacted;
  return loggable(value, walk);
}

/** First what every error has, then its own facts, then what it came from. */
function describeError(error: Error, walk: Walk): Loggable {
  const fields = new Map<string, unknown>();
  for (const key of ["name", "message", "code", "stack"]) fields.set(key, readField(error, key));
  for (const [key, value] of readFields(error, mostValues)) fields.set(key, value);
  for (const key of ["errors", "cause"]) fields.set(key, readField(error, key));
  return describeFields(fields, walk);
}

/**
 * The own fields of an object, each read once: of someone else's object a getter may throw, or the object be a revoked
 * proxy. What cannot be read says so.
 */
export function readFields(value: object, most: number = Number.POSITIVE_INFINITY): Map<string, unknown> {
  const fields = new Map<string, unknown>();
  for (const key of keysOf(value)) {
    if (fields.size >= most) break;
    fields.set(key, readField(value, key));
  }
  return fields;
}

export function readField(value: object, key: string): unknown {
  try {
    return Reflect.get(value, key);
  } catch {
    // That it threw is all there is to log.
    return "[unreadable]";
  }
}

function keysOf(value: object): readonly string[] {
  try {
    return Object.keys(value);
  } catch {
    // A revoked proxy has no fields to show.
    return [];
  }
}
