import type { Caller } from "@keelson/client";
import type { Resource } from "@keelson/core";
import type { RunResult } from "./causal/recorded-run.ts";
import type { Outcome } from "./outcome.ts";

/** Follows what controllers do, so that traces can be made of it. */
export interface ControllerTracer {
  /** Who follows the runs of this controller. */
  tracerOf(controller: { readonly name: string; readonly kind?: Resource }): RunTracer;
}

/** Called when a run begins; undefined if the run is not traced, which then costs nothing more. Should not throw [MG12]. */
export type RunTracer = (run: TracedRun) => RunTrace | undefined;

/** What is known of a run when it begins. */
export interface TracedRun {
  readonly key: unknown;
  /** Names the key. */
  readonly keyText: string;
  /** Made when it is first asked for. */
  readonly reconcileId: string;
  readonly priority: number;
  /** How long its key was ready before. */
  readonly queuedMs: number;
}

/** One run that is followed. Nothing of it may throw what the run did not. */
export interface RunTrace {
  /** Calls the reconciler, with whatever its own code is to find around it. */
  around<Value>(reconcile: () => Value): Value;
  /** A layer for the run's clients, which sees its calls. */
  layer(next: Caller): Caller;
  end(result: RunResult, error?: Error): void;
}

/** Ends the trace of a run by what came of it. */
export function endTrace(trace: RunTrace, outcome: Outcome, hasTimedOut: boolean): void {
  switch (outcome.type) {
    case "requeueAfter":
      trace.end("requeue_after");
      break;
    case "error":
      trace.end(failureOf(outcome.isTerminal, hasTimedOut), outcome.error);
      break;
    default:
      trace.end(outcome.type);
  }
}

function failureOf(isTerminal: boolean, hasTimedOut: boolean): RunResult {
  if (isTerminal) return "terminal_error";
  return hasTimedOut ? "timeout" : "error";
}
