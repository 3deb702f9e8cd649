import type { Clock } from "@keelson/core";
import type { LogFields, Logger } from "../../logger.ts";
import { isWritten, type LogLevel } from "./log-level.ts";
import { readFields } from "./loggable.ts";

/** A line of a log before it is formatted. */
export interface LogLine {
  /** Milliseconds since 1970. */
  readonly atMs: number;
  readonly level: LogLevel;
  readonly message: string;
  readonly fields: ReadonlyMap<string, unknown>;
}

/** Where lines are written, and which. */
export interface LineLoggerOptions {
  /** Receives one line without a line break at its end. Its errors are ignored: a log must not fail its caller. */
  readonly write: (line: string) => void;
  readonly clock: Clock;
  /** Lines below this level are not written, and cost only a comparison. Default info. */
  readonly level?: LogLevel;
  /** Fields of every line. */
  readonly fields?: LogFields;
}

/** A logger whose lines `format` turns into text. */
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
      // An error of the log has nowhere to be logged.
    }
  }
}
