import type { QueueObserver } from "../queue/queue-observer.ts";
import type { HandlerFailure } from "../source/source.ts";
import type { HotLoopObserver } from "./guard/hot-loop-guard.ts";

/** How a reconcile ended, as metrics call it. */
export type ResultLabel = "success" | "requeue_after" | "requeue" | "error";

/**
 * Observes controllers, so that metrics can be made of it. The calls come from inside the workers:
 * they must be quick, and should not throw [MG12]. A run that the controller's stop ended is reported by `activeChanged` alone.
 */
export interface ControllerObserver {
  /** Observes the queue of a controller. */
  queueObserver(controller: string): QueueObserver | undefined;
  /** Observes the hot-loop guard of a controller. */
  hotLoopObserver(controller: string): HotLoopObserver | undefined;
  /** A controller begins to reconcile, at most so many keys at once. */
  started(controller: string, concurrency: number): void;
  /** So many more (or fewer) workers reconcile now. */
  activeChanged(controller: string, change: 1 | -1): void;
  reconciled(controller: string, result: ResultLabel, ms: number): void;
  /** It ended with an error; also called for those that have a call of their own below. */
  failed(controller: string): void;
  failedTerminally(controller: string): void;
  /** It threw by mistake [CT9]. */
  panicked(controller: string): void;
  /** Its time limit was over before it ended [CT10]. */
  timedOut(controller: string): void;
  /** Nothing else in the process could run for so long [CT19]. */
  eventLoopBlocked(controller: string, ms: number): void;
  /** A predicate or event handler of a source threw, or did not end in time [EV12]. Default: not observed. */
  handlerFailed?(controller: string, source: string, reason: HandlerFailure): void;
}
