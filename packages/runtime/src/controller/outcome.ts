import { isNormalError } from "../source/normalize-error.ts";
import { InvalidResultError, NotAnErrorThrownError } from "./errors.ts";
import { type ReconcileResult, TerminalError } from "./reconciler.ts";

/**
 * What follows from how a reconcile ended; the table is at `Reconciler`. A `priority` of undefined is the one that the
 * run had [PQ9].
 */
export type Outcome =
  | { readonly type: "success" }
  | { readonly type: "requeueAfter"; readonly afterMs: number; readonly priority: number | undefined }
  | { readonly type: "requeue"; readonly priority: number | undefined }
  | Failure
  /** The controller stopped, and the reconcile with it: neither a success nor a failure. */
  | { readonly type: "aborted" };

export interface Failure {
  readonly type: "error";
  readonly error: Error;
  /** Trying again will not help [CT2]. */
  readonly isTerminal: boolean;
  /** It is a mistake in the program, not something that happened to it [CT9]. */
  readonly isPanic: boolean;
  /** The error also asks to be run again some other way, which is ignored [CT6]. */
  readonly asksToRequeue: boolean;
}

const success: Outcome = { type: "success" };

/** What follows from a reconcile that returned. An Error that it returned counts as thrown. Never throws itself. */
export function outcomeOfResult(result: ReconcileResult): Outcome {
  try {
    return judgeResult(result);
  } catch (thrown) {
    return outcomeOfError(thrown);
  }
}

function judgeResult(result: ReconcileResult): Outcome {
  if (result === undefined || result === null) return success;
  if (result instanceof Error) return outcomeOfError(result);
  const { requeueAfterMs, requeue, priority } = result;
  if (priority !== undefined && !Number.isFinite(priority)) return invalid("priority", priority);
  if (requeueAfterMs !== undefined) {
    if (!Number.isFinite(requeueAfterMs)) return invalid("requeueAfterMs", requeueAfterMs);
    if (requeueAfterMs > 0) return { type: "requeueAfter", afterMs: requeueAfterMs, priority };
  }
  return requeue === true ? { type: "requeue", priority } : success;
}

/** What follows from a reconcile that threw, whatever that was. Never throws itself. */
export function outcomeOfError(thrown: unknown): Failure {
  try {
    if (thrown instanceof Error) return judgeError(thrown);
  } catch {
    // It is not what it seems to be: looking at it throws.
  }
  const error = new NotAnErrorThrownError(thrown);
  return { type: "error", error, isTerminal: false, isPanic: true, asksToRequeue: false };
}

function judgeError(thrown: Error): Failure {
  return {
    type: "error",
    error: isNormalError(thrown) ? thrown : new NotAnErrorThrownError(thrown),
    isTerminal: isTerminal(thrown),
    isPanic: isMistake(thrown),
    asksToRequeue: "requeueAfterMs" in thrown || "requeue" in thrown,
  };
}

function invalid(field: string, value: unknown): Failure {
  const error = new InvalidResultError(field, value);
  return { type: "error", error, isTerminal: false, isPanic: true, asksToRequeue: false };
}

/** So many causes of causes are looked at: a chain may be a circle. */
const deepestCause = 32;

/**
 * Whether the error is a TerminalError or caused by one. Of several errors in one all must be: as long as one of them
 * may go away by itself, trying again makes sense.
 */
export function isTerminal(error: unknown, depth = 0): boolean {
  if (!(error instanceof Error) || depth === deepestCause) return false;
  if (error instanceof TerminalError) return true;
  if (error instanceof AggregateError && error.errors.length > 0) {
    return error.errors.every((member) => isTerminal(member, depth + 1));
  }
  return isTerminal(error.cause, depth + 1);
}

/**
 * Whether an error is how an abort shows: the reason itself, an error caused by it, or what Node's own functions throw.
 * The caller knows that the signal has aborted.
 */
export function isAbort(thrown: unknown, reason: unknown): boolean {
  try {
    return showsAbort(thrown, reason, 0);
  } catch {
    // It is not what it seems to be: looking at it throws.
    return false;
  }
}

function showsAbort(thrown: unknown, reason: unknown, depth: number): boolean {
  if (thrown === reason) return true;
  if (!(thrown instanceof Error) || depth === deepestCause) return false;
  return thrown.name === "AbortError" || showsAbort(thrown.cause, reason, depth + 1);
}

const mistakes: readonly (new (message?: string) => Error)[] = [
  TypeError,
  ReferenceError,
  RangeError,
  SyntaxError,
  EvalError,
  URIError,
];

/** What the language throws at a mistake. One with a cause was made on purpose: `fetch` reports lost connections so. */
function isMistake(error: Error): boolean {
  return error.cause === undefined && mistakes.some((mistake) => error instanceof mistake);
}
