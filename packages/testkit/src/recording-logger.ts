import type { Logger } from "keelson";
import type { LogFields } from "keelson/telemetry";

type Level = "debug" | "info" | "warn" | "error";

/** Remembers every line. */
export class RecordingLogger implements Logger {
  readonly lines: { readonly level: Level; readonly message: string; readonly fields: LogFields }[];
  readonly #fields: LogFields;

  constructor(lines: RecordingLogger["lines"] = [], fields: LogFields = {}) {
    this.lines = lines;
    this.#fields = fields;
  }

  debug(message: string, fields?: LogFields): void {
    this.#add("debug", message, fields);
  }

  info(message: string, fields?: LogFields): void {
    this.#add("info", message, fields);
  }

  warn(message: string, fields?: LogFields): void {
    this.#add("warn", message, fields);
  }

  error(message: string, fields?: LogFields): void {
    this.#add("error", message, fields);
  }

  with(fields: LogFields): Logger {
    return new RecordingLogger(this.lines, { ...this.#fields, ...fields });
  }

  messages(level: Level): readonly string[] {
    return this.lines.filter((line) => line.level === level).map(({ message }) => message);
  }

  #add(level: Level, message: string, fields: LogFields = {}): void {
    this.lines.push({ level, message, fields: { ...this.#fields, ...fields } });
  }
}
