import { KeelsonError } from "@keelson/core";
import type { Logger } from "../logger.ts";
import { ManagerReusedError, ManagerStartedError, ManagerStoppedError } from "./errors.ts";

/**
 * The state of a manager. It only moves to the right, and may skip states:
 *
 *     new ──▶ starting ──▶ running ──▶ leading ──▶ stopping ──▶ stopped
 *
 * In `running`, everything that needs no leadership runs; in `leading`, everything.
 */
export type LifeState = "new" | "starting" | "running" | "leading" | "stopping" | "stopped";

const order: readonly LifeState[] = ["new", "starting", "running", "leading", "stopping", "stopped"];

/** The state machine of a manager: which operations are allowed when. */
export class ManagerLife {
  #state: LifeState = "new";

  get state(): LifeState {
    return this.#state;
  }

  get isStoppingOrStopped(): boolean {
    return this.#state === "stopping" || this.#state === "stopped";
  }

  /** Throws a ManagerReusedError if it is not the first start. */
  start(): void {
    if (this.#state !== "new") throw new ManagerReusedError();
    this.#state = "starting";
  }

  /** Moves forward to the state, and returns whether it did: a later state is never left for an earlier one [MG6]. */
  moveTo(next: LifeState): boolean {
    if (order.indexOf(next) <= order.indexOf(this.#state)) return false;
    this.#state = next;
    return true;
  }

  /** Throws a ManagerStartedError for an operation that is allowed only before the start [MG8]. */
  requireNew(operation: string): void {
    if (this.#state !== "new") throw new ManagerStartedError(operation);
  }

  /** Throws a ManagerStoppedError for an operation that is allowed only until the stop [MG5]. */
  requireNotStopping(operation: string): void {
    if (this.isStoppingOrStopped) throw new ManagerStoppedError(operation);
  }
}

/**
 * The error that stops a manager: the first one. Later errors are logged, except for those that only follow from the
 * stop [MG4].
 */
export class FirstFailure {
  readonly #log: Logger;
  readonly #onFailure: (error: Error) => void;
  #first: Error | undefined;
  #isOver = false;

  /** `onFailure` is called with the first error, unless the stop has begun before it. */
  constructor(log: Logger, onFailure: (error: Error) => void) {
    this.#log = log;
    this.#onFailure = onFailure;
  }

  get error(): Error | undefined {
    return this.#first;
  }

  /** Marks the beginning of the stop: errors from now on do not count. */
  end(): void {
    this.#isOver = true;
  }

  /** Records an error of a part of the manager; `reason` is the reason of the stop, if it has begun. */
  record(part: string, error: Error, reason: unknown): void {
    if (!this.#isOver) {
      this.#isOver = true;
      this.#first = error;
      // The caller of `run` shows a message of many lines; the log has its first line only.
      const isPage = error instanceof KeelsonError && error.message.includes("\n");
      const cause = isPage ? { reason: firstLineOf(error) } : { error };
      this.#log.error("a part of the manager failed; the manager stops", { part, ...cause });
      this.#onFailure(error);
    } else if (!isCancellation(error, reason)) {
      this.#log.error("a part of the manager failed while the manager stopped", { part, error });
    }
  }
}

/** Whether an error only follows from a stop for this reason. */
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

/** The first line of an error's message, for the log; the caller of `run` gets the whole message. */
export function firstLineOf({ message }: Error): string {
  return message.split("\n", 1)[0] ?? message;
}

/** Throws the given errors, each once: a single one as it is, several as an AggregateError [MG3]. */
export function throwJoined(found: readonly (Error | undefined)[]): void {
  const errors = [...new Set(found.filter((error) => error !== undefined))];
  const [first, ...more] = errors;
  if (first === undefined) return;
  if (more.length === 0) throw first;
  throw new AggregateError(errors, errors.map(({ message }) => message).join("; "));
}
