import type { UnfinishedWork } from "../queue/queue-observer.ts";
import type { QueueAges } from "../telemetry/health/built-in-checks.ts";

/** A controller's queue as those see it who look whether it is stuck. */
export class WatchedQueue {
  readonly controller: string;
  /** Before, items gather and wait for nobody's fault, such as those of a replica that is not elected. */
  hasWorkers = false;
  /** How many items workers were given. */
  handedOut = 0;
  read: (() => UnfinishedWork) | undefined;
  /** What `handedOut` was when it was last looked at, and when it was first seen to be that. */
  #seen = 0;
  #seenSinceMs: number | undefined;

  constructor(controller: string) {
    this.controller = controller;
  }

  /**
   * An item of a long queue waits long, and would wait longer after a restart. So as waiting counts only the time in which
   * no item at all was handed out, as far as those see it who look now and then.
   */
  ages(nowMs: number): QueueAges {
    if (!this.hasWorkers || this.handedOut !== this.#seen || this.#seenSinceMs === undefined) {
      this.#seen = this.handedOut;
      this.#seenSinceMs = nowMs;
    }
    const { longestMs = 0, oldestReadyMs = 0 } = this.read?.() ?? {};
    return { longestMs, oldestReadyMs: Math.min(oldestReadyMs, nowMs - this.#seenSinceMs) };
  }
}
