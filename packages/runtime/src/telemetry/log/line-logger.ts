import type { Clock } from "@keelson/core";
import type { LogFields, Logger } from "../../logger.ts";
import { isWritten, type LogLevel } from "./log-level.ts";
import { readFields } from "./loggable.ts";

/** What a logger is told, before it is text. */
export interface LogLine {
  /** Milliseconds since 1970. */
  readonly atMs: number;
  readonly level: LogLevel;
  readonly message: string;
  readonly fields: ReadonlyMap<string, unknown>;
}

export interface LineLoggerOptions {
  /** Takes one line, without a line break at its end. What it throws is lost: a log must not break what it tells of. */
  readonly write: (line: string) => void;
  readonly clock: Clock;
  /** What is less urgent is not written, and costs a comparison. Default info. */
  readonly level?: LogLevel;
  /** Stand in every line. */
  readonly fields?: LogFields;
}

/** A logger whose lines are made by `format`. */
export function lineLogger(options: LineLoggerOptions, format: (line: LogLine) => string): Logger {
  const { write, clock, level = "info", fields = {} } = options;
  return new LineLogger({ write, clock, threshold: level, format }, [fields]);
}

interface Output {
  readonly write: (line: string) => void;
  readonly clock: Clock;
  readonly threshold: LogLevel;
  readonly format: (line: LogLine) => string;
}

class LineLogger implements Logger {
  readonly #output: Output;
  /** From the outermost `with` to the innermost. Merged for lines that are written: most loggers never write one. */
  readonly #layers: readonly LogFields[];

  constructor(output: Output, layers: readonly LogFields[]) {
    this.#output = output;
    this.#layers = layers;
  }

  debug(message: string, fields?: LogFields): void {
    this.#log("debug", message, fields);
  }

  info(message: string, fields?: LogFields): void {
    this.#log("info", message, fields);
  }

  warn(message: string, fields?: LogFields): void {
    this.#log("warn", message, fields);
  }

  error(message: string, fields?: LogFields): void {
    this.#log("error", message, fields);
  }

  with(fields: LogFields): Logger {
    return new LineLogger(this.#output, [...this.#layers, fields]);
  }

  #log(level: LogLevel, message: string, own: LogFields | undefined): void {
    const { write, clock, threshold, format } = this.#output;
    if (!isWritten(level, threshold)) return;
    try {
      const layers = own === undefined ? this.#layers : [...this.#layers, own];
      const fields = new Map(layers.flatMap((layer) => [...readFields(layer)]));
      write(format({ atMs: clock.now(), level, message: String(message), fields }));
    } catch {
      // There is nobody left to tell.
    }
  }
}
