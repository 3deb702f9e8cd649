import { isRecord } from "@keelson/core";
import type { Logger } from "../../logger.ts";
import { type LineLoggerOptions, type LogLine, lineLogger } from "./line-logger.ts";
import type { LogLevel } from "./log-level.ts";
import { type Loggable, toLoggable, toLoggableText } from "./loggable.ts";

/** The options of a pretty logger. */
export interface PrettyLoggerOptions extends LineLoggerOptions {
  /** Default false. */
  readonly colors?: boolean;
  /** Fields beyond this column go to a line of their own. Default: lines are not wrapped. */
  readonly width?: number;
}

type Paint = (code: number, text: string) => string;

const colorOf: Readonly<Record<LogLevel, number>> = { debug: 90, info: 36, warn: 33, error: 31 };
const dim = 2;
const indent = "    ";

/**
 * Writes lines for a terminal: time (UTC), level, message, then `key=value`. The stack of an error, and the further lines
 * of a message, follow indented, so that they cannot be mistaken for lines of the log. Control characters are escaped.
 * Secrets are redacted, see `toLoggable`.
 */
export function prettyLogger(options: PrettyLoggerOptions): Logger {
  const { colors = false, width = Number.POSITIVE_INFINITY } = options;
  const paint: Paint = (code, text) => (colors ? `\u001b[${code}m${text}\u001b[0m` : text);
  return lineLogger(options, (line) => formatPretty(line, paint, width));
}

function formatPretty({ atMs, level, message, fields }: LogLine, paint: Paint, width: number): string {
  const time = new Date(atMs).toISOString().slice(11);
  const [title = "", ...more] = toLoggableText(message).split("\n").map(escapeControls);
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
    const name = escapeControls(key);
    const text = valueText(value);
    const length = name.length + text.length + 2;
    const fits = column + length <= width;
    column = fits ? column + length : indent.length + length - 1;
    return `${fits ? " " : `\n${indent}`}${paint(dim, `${name}=`)}${text}`;
  });
}

/** Words as they are, everything else as JSON. Of an error only the first line of its message; the stack has the rest. */
function valueText(value: Loggable): string {
  if (typeof value === "string")
    return /^[\w./:@[\]-]+$/.test(value) ? value : escapeControls(JSON.stringify(value));
  if (isShownError(value)) return valueText(value.message.split("\n", 1)[0] ?? "");
  return escapeControls(JSON.stringify(value));
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
  return [
    ...own.map((row) => paint(dim, `${indent}${escapeControls(withoutFrameIndent(row))}`)),
    ...causedBy,
  ];
}

/** Removes the indentation of a stack frame; the message at the start of a stack keeps its own. */
function withoutFrameIndent(row: string): string {
  return /^\s*at /.test(row) ? row.trim() : row;
}

/** Escapes control characters, so that a message cannot move the cursor or forge a line. */
function escapeControls(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to escape
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}
