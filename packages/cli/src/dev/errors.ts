import { KeelsonError } from "keelson";
import { toError } from "keelson/low-level";
import { formatTook, oneLine } from "./format.ts";
import { titleOf } from "./plain-display.ts";
import type { Row } from "./row.ts";

/** The base of what keeps `keelson dev` from its work. */
abstract class DevError extends KeelsonError {
  static override readonly brand: string = "@keelson/cli.DevError";
}

/** A sample of an operator is not there, or is no object. */
export class UnreadableSampleError extends DevError {
  static override readonly brand: string = "@keelson/cli.UnreadableSampleError";
  readonly code = "UNREADABLE_SAMPLE";
  readonly file: string;

  constructor(file: string, options: { readonly cause: unknown }) {
    const problem = oneLine(toError(options.cause).message);
    super(`read sample ${file}: ${problem}; correct the file, or leave samples out by --no-samples`, options);
    this.file = file;
  }
}

/** The API server, or a webhook, does not want a sample. */
export class SampleRefusedError extends DevError {
  static override readonly brand: string = "@keelson/cli.SampleRefusedError";
  readonly code = "SAMPLE_REFUSED";
  readonly file: string;

  constructor(
    { file, title }: { readonly file: string; readonly title: string },
    options: { readonly cause: unknown },
  ) {
    const problem = oneLine(toError(options.cause).message);
    super(`apply sample ${title} of ${file}: ${problem}; correct the file, or use --no-samples`, options);
    this.file = file;
  }
}

/** What the samples of an operator need could not be started. */
export class NeighboursNotStartedError extends DevError {
  static override readonly brand: string = "@keelson/cli.NeighboursNotStartedError";
  readonly code = "NEIGHBOURS_NOT_STARTED";

  constructor(operator: string, options: { readonly cause: unknown }) {
    const problem = oneLine(toError(options.cause).message);
    super(`start the neighbours of ${operator}: ${problem}; --no-samples runs it without them`, options);
  }
}

/** Samples are not where their operators want them. */
export class NotSettledError extends DevError {
  static override readonly brand: string = "@keelson/cli.NotSettledError";
  readonly code = "NOT_SETTLED";
  /** Those that are not settled. */
  readonly rows: readonly Row[];

  constructor(
    samples: readonly Row[],
    { tookMs, isStuck }: { readonly tookMs: number; readonly isStuck: boolean },
  ) {
    const open = samples.filter(({ isSettled }) => !isSettled);
    const count = `${open.length} of ${samples.length} ${open.length === 1 ? "is" : "are"}`;
    const hint = isStuck ? "" : "; --timeout gives them more time";
    const lines = open.map((row) => `\n  ${describeOpen(row)}`);
    super(`wait for the samples: ${count} not settled after ${formatTook(tookMs)}${hint}${lines.join("")}`);
    this.rows = open;
  }
}

function describeOpen(row: Row): string {
  const { phase, ready, problem, event } = row;
  const last =
    problem ?? (event === undefined ? "no Event was recorded for it" : `${event.reason}: ${event.message}`);
  const facts = [phase, ...(ready === undefined ? [] : [`${ready} ready`])].join(", ");
  return oneLine(`${titleOf(row)}: ${facts}; ${last}`);
}

/** The file that logs were to go to cannot be written. */
export class LogFileError extends DevError {
  static override readonly brand: string = "@keelson/cli.LogFileError";
  readonly code = "LOG_FILE";

  constructor(path: string, options: { readonly cause: unknown }) {
    super(`write ${path}: ${toError(options.cause).message}; choose another --log-file`, options);
  }
}
