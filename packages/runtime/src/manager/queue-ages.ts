import type { Clock } from "@keelson/core";
import type { ControllerObserver } from "../controller/controller-observer.ts";
import type { QueueObserver, UnfinishedWork } from "../queue/queue-observer.ts";
import { type QueueAges, queueAge } from "../telemetry/health/built-in-checks.ts";
import type { HealthCheck } from "../telemetry/health/health-checks.ts";

/** The age of each controller's work, observed on the same interface as the metrics. */
export class ControllerQueueAges {
  readonly #clock: Clock;
  readonly #queues: ObservedQueue[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** An observer that passes every call on to the other one. */
  observer(inner: ControllerObserver): ControllerObserver {
    return {
      queueObserver: (controller) => this.#observe(controller, inner.queueObserver(controller)),
      hotLoopObserver: (controller) => inner.hotLoopObserver(controller),
      started: (controller, concurrency) => {
        for (const queue of this.#queues) if (queue.controller === controller) queue.hasWorkers = true;
        inner.started(controller, concurrency);
      },
      activeChanged: (controller, change) => inner.activeChanged(controller, change),
      reconciled: (controller, result, ms) => inner.reconciled(controller, result, ms),
      failed: (controller) => inner.failed(controller),
      failedTerminally: (controller) => inner.failedTerminally(controller),
      panicked: (controller) => inner.panicked(controller),
      timedOut: (controller) => inner.timedOut(controller),
      eventLoopBlocked: (controller, ms) => inner.eventLoopBlocked(controller, ms),
      handlerFailed: (controller, source, reason) => inner.handlerFailed?.(controller, source, reason),
    };
  }

  /** Fails if a reconcile runs for longer than `maxMs`, or if no worker has dequeued a ready key for so long. */
  check(maxMs: number): HealthCheck {
    return async (signal) => {
      const nowMs = this.#clock.monotonicNow();
      for (const queue of this.#queues) {
        const limits = { name: queue.controller, maxRunningMs: maxMs, maxWaitingMs: maxMs };
        await queueAge(() => queue.ages(nowMs), limits)(signal);
      }
    };
  }

  #observe(controller: string, inner: QueueObserver | undefined): QueueObserver {
    const queue = new ObservedQueue(controller);
    this.#queues.push(queue);
    return {
      unfinishedWork: (read) => {
        queue.read = read;
        inner?.unfinishedWork(read);
      },
      added: () => inner?.added(),
      depthChanged: (priority, change) => inner?.depthChanged(priority, change),
      waited: (ms) => {
        queue.dequeued += 1;
        inner?.waited(ms);
      },
      worked: (ms) => inner?.worked(ms),
      retried: () => inner?.retried(),
    };
  }
}

/** A controller's work queue, as the health check sees it. */
class ObservedQueue {
  readonly controller: string;
  /** Keys that wait for workers to start, as in a replica that does not lead, are not late. */
  hasWorkers = false;
  /** How many keys workers have dequeued. */
  dequeued = 0;
  read: (() => UnfinishedWork) | undefined;
  /** The value of `dequeued` at the last check, and the time of the first check that saw it. */
  #seen = 0;
  #seenSinceMs: number | undefined;

  constructor(controller: string) {
    this.controller = controller;
  }

  /**
   * The ages at a check. A key of a long queue waits long, and would wait longer after a restart; so the waiting time
   * counts only from the last time that a check saw a key dequeued.
   */
  ages(nowMs: number): QueueAges {
    if (!this.hasWorkers || this.dequeued !== this.#seen || this.#seenSinceMs === undefined) {
      this.#seen = this.dequeued;
      this.#seenSinceMs = nowMs;
    }
    const { longestMs = 0, oldestReadyMs = 0 } = this.read?.() ?? {};
    return { longestMs, oldestReadyMs: Math.min(oldestReadyMs, nowMs - this.#seenSinceMs) };
  }
}
