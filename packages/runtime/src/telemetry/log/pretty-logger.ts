import { isRecord } from "@keelson/core";
import type { Logger } from "../../logger.ts";
import { type LineLoggerOptions, type LogLine, lineLogger } from "./line-logger.ts";
import type { LogLevel } from "./log-level.ts";
import { type Loggable, toLoggable, toLoggableText } from "./loggable.ts";

export interface PrettyLoggerOptions extends LineLoggerOptions {
  /** Default false. */
  readonly colors?: boolean;
  /** Fields that would stand beyond this column go to a line of their own. Default: lines are as long as they are. */
  readonly width?: number;
}

type Paint = (code: number, text: string) => string;

const colorOf: Readonly<Record<LogLevel, number>> = { debug: 90, info: 36, warn: 33, error: 31 };
const dim = 2;
const indent = "    ";

/**
 * Writes lines for people: time (UTC), level, message, then `key=value`; the stack of an error, and what a message
 * has beyond its first line, stand below, indented, so that no line of a message looks like one of the log.
 * Characters that would steer the terminal are shown as escapes. Secrets are redacted, see `toLoggable`.
 */
export function prettyLogger(options: PrettyLoggerOptions): Logger {
  const { colors = false, width = Number.POSITIVE_INFINITY } = options;
  const paint: Paint = (code, text) => (colors ? `\u001b[${code}m${text}\u001b[0m` : text);
  return lineLogger(options, (line) => formatPretty(line, paint, width));
}

function formatPretty({ atMs, level, message, fields }: LogLine, paint: Paint, width: number): string {
  const time = new Date(atMs).toISOString().slice(11);
  const [title = "", ...more] = toLoggableText(message).split("\n").map(harmless);
  const shown = toLoggable(fields);
  const entries = isRecord(shown) ? Object.entries(shown) : [];
  const head = `${paint(dim, time)} ${paint(colorOf[level], level.toUpperCase().padEnd(5))} ${title}`;
  const headLength = time.length + 7 + title.length;
  const rows = [head, ...wrapped(entries, { paint, width, headLength })];
  const stacks = entries.flatMap(([, value]) => (isShownError(value) ? stackLines(value, paint) : []));
  return [rows.join(""), ...more.map((row) => (row === "" ? "" : `${indent}${row}`)), ...stacks].join("\n");
}

/** ` key=value` for each field, with a line break before those that would not fit. */
function wrapped(
  entries: readonly (readonly [string, Loggable])[],
  {
    paint,
    width,
    headLength,
  }: { readonly paint: Paint; readonly width: number; readonly headLength: number },
): readonly string[] {
  let column = headLength;
  return entries.map(([key, value]) => {
    const name = harmless(key);
    const text = valueText(value);
    const length = name.length + text.length + 2;
    const fits = column + length <= width;
    column = fits ? column + length : indent.length + length - 1;
    return `${fits ? " " : `\n${indent}`}${paint(dim, `${name}=`)}${text}`;
  });
}

/** Words stand as they are, all else as JSON. Of an error only the first line of what it says; its stack has the rest. */
function valueText(value: Loggable): string {
  if (typeof value === "string")
    return /^[\w./:@[\]-]+$/.test(value) ? value : harmless(JSON.stringify(value));
  if (isShownError(value)) return valueText(value.message.split("\n", 1)[0] ?? "");
  return harmless(JSON.stringify(value));
}

function isShownError(value: Loggable): value is { readonly message: string; readonly stack: string } {
  return isRecord(value) && typeof value.stack === "string" && typeof value.message === "string";
}

/** The frames of an error's stack and those of its causes. */
function stackLines(error: unknown, paint: Paint): readonly string[] {
  if (!isRecord(error)) return [];
  const { stack, cause } = error;
  const own = typeof stack === "string" ? stack.split("\n") : [];
  const below = stackLines(cause, paint);
  const causedBy = below.length === 0 ? [] : [`${indent}caused by:`, ...below];
  return [...own.map((row) => paint(dim, `${indent}${harmless(withoutFrameIndent(row))}`)), ...causedBy];
}

/** The message that a stack begins with may be a text whose indentation means something. */
function withoutFrameIndent(row: string): string {
  return /^\s*at /.test(row) ? row.trim() : row;
}

/** Control characters as escapes, so that a message from outside cannot move the cursor or fake a line. */
function harmless(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}
