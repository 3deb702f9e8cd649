import { KeelsonError } from "@keelson/core";

/** A text is no level of a log. */
export class InvalidLogLevelError extends KeelsonError {
  static override readonly brand: string = "keelson.InvalidLogLevelError";
  readonly code = "INVALID_LOG_LEVEL";
  readonly text: string;

  constructor(text: string, levels: readonly string[]) {
    super(`read log level ${JSON.stringify(text)}: not a log level; use one of ${levels.join(", ")}`);
    this.text = text;
  }
}

/** From the least to the most severe. A logger writes the lines of its level and of all later ones. */
const levels = ["debug", "info", "warn", "error"] as const;

/** A level of a log. */
export type LogLevel = (typeof levels)[number];

const severity: Readonly<Record<LogLevel, number>> = { debug: 0, info: 1, warn: 2, error: 3 };

/** Whether a logger of level `threshold` writes lines of level `level`. */
export function isWritten(level: LogLevel, threshold: LogLevel): boolean {
  return severity[level] >= severity[threshold];
}

/** Parses the level of a flag or a variable, in any case; `warning` is `warn`. Throws an InvalidLogLevelError. */
export function levelFrom(text: string): LogLevel {
  const word = text.trim().toLowerCase();
  const level = levels.find((known) => known === word || (known === "warn" && word === "warning"));
  if (level === undefined) throw new InvalidLogLevelError(text, levels);
  return level;
}
