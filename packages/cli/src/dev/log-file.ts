import { closeSync, openSync, writeSync } from "node:fs";
import { LogFileError } from "./errors.ts";

export interface LogFile extends Disposable {
  readonly write: (line: string) => void;
}

/** Begins the file anew; undefined if no file is wanted. Throws a LogFileError. */
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
