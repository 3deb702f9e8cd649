import { KeelsonError } from "@keelson/core";

/** A text that names no level of a log. */
export class InvalidLogLevelError extends KeelsonError {
  static override readonly brand: string = "keelson.InvalidLogLevelError";
  readonly code = "INVALID_LOG_LEVEL";
  readonly text: string;

  constructor(text: string, levels: readonly string[]) {
    super(`read log level ${JSON.stringify(text)}: there is no such level; use one of ${levels.join(", ")}`);
    this.text = text;
  }
}

/** From the most to the least talkative. A logger of a level writes its lines and those of all later ones. */
const levels = ["debug", "info", "warn", "error"] as const;

export type LogLevel = (typeof levels)[number];

const urgency: Readonly<Record<LogLevel, number>> = { debug: 0, info: 1, warn: 2, error: 3 };

/** Whether a logger of level `threshold` writes lines of level `level`. */
export function isWritten(level: LogLevel, threshold: LogLevel): boolean {
  return urgency[level] >= urgency[threshold];
}

/** The level that a flag or a variable names, in any case; `warning` is `warn`. Throws an InvalidLogLevelError. */
export function levelFrom(text: string): LogLevel {
  const word = text.trim().toLowerCase();
  const level = levels.find((known) => known === word || (known === "warn" && word === "warning"));
  if (level === undefined) throw new InvalidLogLevelError(text, levels);
  return level;
}
