import { KeelsonError } from "@keelson/core";
import type { Logger } from "../logger.ts";

/**
 * Keeps the error that ends a manager. The first one counts; what follows from the stop is no error, and what is one
 * nevertheless is logged [MG4].
 */
export class FirstFailure {
  readonly #log: Logger;
  readonly #onFailure: (error: Error) => void;
  #first: Error | undefined;
  #isOver = false;

  /** `onFailure` is told of the first one, unless that comes when everything is over. */
  constructor(log: Logger, onFailure: (error: Error) => void) {
    this.#log = log;
    this.#onFailure = onFailure;
  }

  get error(): Error | undefined {
    return this.#first;
  }

  /** From now on errors come late. */
  end(): void {
    this.#isOver = true;
  }

  /** `reason` is why everything stops, if it does. */
  note(from: string, error: Error, reason: unknown): void {
    if (!this.#isOver) {
      this.#isOver = true;
      this.#first = error;
      // One that is a page for people is shown by whoever gets it from `run`; here it would only be in the way.
      const isPage = error instanceof KeelsonError && error.message.includes("\n");
      const told = isPage ? { reason: firstLineOf(error) } : { error };
      this.#log.error("a part of the manager failed, so that all of it stops", { part: from, ...told });
      this.#onFailure(error);
    } else if (!isCancellation(error, reason)) {
      this.#log.error("a part of the manager failed while it stopped", { part: from, error });
    }
  }
}

/** Whether an error only says that something was told to stop. */
export function isCancellation(error: unknown, reason: unknown): boolean {
  const seen = new Set<unknown>();
  for (let link = error; link !== undefined && !seen.has(link); ) {
    if (link === reason) return true;
    if (!(link instanceof Error)) return false;
    if (link.name === "AbortError") return true;
    seen.add(link);
    link = link.cause;
  }
  return false;
}

/** What a log says of an error that `run` rejects with, where whoever reads the rejection gets all of it. */
export function firstLineOf({ message }: Error): string {
  return message.split("\n", 1)[0] ?? message;
}

/** Throws the errors that there are, each once: the one, or all of them as one [MG3]. */
export function throwJoined(found: readonly (Error | undefined)[]): void {
  const errors = [...new Set(found.filter((error) => error !== undefined))];
  const [first, ...more] = errors;
  if (first === undefined) return;
  if (more.length === 0) throw first;
  throw new AggregateError(errors, errors.map(({ message }) => message).join("; "));
}
