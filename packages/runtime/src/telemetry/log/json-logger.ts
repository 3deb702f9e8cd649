import { isRecord } from "@keelson/core";
import type { Logger } from "../../logger.ts";
import { type LineLoggerOptions, type LogLine, lineLogger } from "./line-logger.ts";
import { type Loggable, toLoggable, toLoggableText } from "./loggable.ts";

/** The options of a JSON logger. */
export interface JsonLoggerOptions extends LineLoggerOptions {}

/** The fields that every line starts with. Another field of such a name gets the suffix `_`. */
const reserved: ReadonlySet<string> = new Set(["ts", "level", "msg"]);

/**
 * Writes each line as one JSON object: `ts` (RFC 3339 with milliseconds), `level`, `msg`, then the fields. Errors become
 * objects with their message, stack, code, fields and cause. Secrets are redacted, see `toLoggable`.
 */
export function jsonLogger(options: JsonLoggerOptions): Logger {
  return lineLogger(options, formatJson);
}

function formatJson({ atMs, level, message, fields }: LogLine): string {
  const shown: Loggable = toLoggable(fields);
  const entries = isRecord(shown) ? Object.entries(shown) : [];
  return JSON.stringify({
    ts: new Date(atMs).toISOString(),
    level,
    msg: toLoggableText(message),
    ...Object.fromEntries(entries.map(([key, value]) => [reserved.has(key) ? `${key}_` : key, value])),
  });
}
