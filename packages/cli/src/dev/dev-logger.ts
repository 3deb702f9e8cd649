import { closeSync, openSync, writeSync } from "node:fs";
import { type Logger, systemClock } from "keelson";
import { type LogFields, prettyLogger } from "keelson/telemetry";
import { LogFileError } from "./errors.ts";

/** Where the log of the operators goes. */
export interface DevLog {
  /** Takes a warning or an error: its first line states what is wrong. */
  readonly note: (text: string) => void;
  /** Takes every line, if all of them are kept. */
  readonly keep: ((line: string) => void) | undefined;
}

/** The process also runs a control plane: a shorter block of the event loop is no sign of a mistake in an operator. */
const usualBlockMs = 1_000;

/** Warnings and errors are shown below the table; everything is written to the log file. */
export function devLogger({ note, keep }: DevLog): Logger {
  const notes = withoutUsualBlocks(prettyLogger({ write: note, clock: systemClock, level: "warn" }));
  return keep === undefined ? notes : both(notes, prettyLogger({ write: keep, clock: systemClock }));
}

function withoutUsualBlocks(log: Logger): Logger {
  return {
    debug: (message, fields) => log.debug(message, fields),
    info: (message, fields) => log.info(message, fields),
    warn: (message, fields) => {
      const { blockedMs } = fields ?? {};
      if (typeof blockedMs !== "number" || blockedMs > usualBlockMs) log.warn(message, fields);
    },
    error: (message, fields) => log.error(message, fields),
    with: (fields) => withoutUsualBlocks(log.with(fields)),
  };
}

function both(first: Logger, second: Logger): Logger {
  const logBoth =
    (level: "debug" | "info" | "warn" | "error") =>
    (message: string, fields?: LogFields): void => {
      first[level](message, fields);
      second[level](message, fields);
    };
  return {
    ...{ debug: logBoth("debug"), info: logBoth("info"), warn: logBoth("warn"), error: logBoth("error") },
    with: (fields) => both(first.with(fields), second.with(fields)),
  };
}

export interface LogFile extends Disposable {
  readonly write: (line: string) => void;
}

/** Begins the file anew; undefined if no file is set. Throws a LogFileError. */
export function openLogFile(path: string | undefined): LogFile | undefined {
  if (path === undefined) return undefined;
  try {
    const file = openSync(path, "w", 0o600);
    return {
      write: (line) => void writeSync(file, `${line}\n`),
      [Symbol.dispose]: () => closeSync(file),
    };
  } catch (error) {
    throw new LogFileError(path, { cause: error });
  }
}
