import type { Clock } from "@keelson/core";
import type { ControllerObserver } from "../controller/controller-observer.ts";
import type { QueueObserver } from "../queue/queue-observer.ts";
import { queueAge } from "../telemetry/health/built-in-checks.ts";
import type { HealthCheck } from "../telemetry/health/health-checks.ts";
import { WatchedQueue } from "./watched-queue.ts";

/** Knows how old the work of each controller is, by listening to what their queues tell the metrics. */
export class QueueAges {
  readonly #clock: Clock;
  readonly #queues: WatchedQueue[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Tells the other observer all that it is told itself. */
  observer(inner: ControllerObserver): ControllerObserver {
    return {
      queueObserver: (controller) => this.#listen(controller, inner.queueObserver(controller)),
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
    };
  }

  /** Fails if a reconcile has been running for longer than that, or if for so long no worker took what is ready. */
  check(maxMs: number): HealthCheck {
    return async (signal) => {
      const nowMs = this.#clock.monotonicNow();
      for (const queue of this.#queues) {
        const limits = { name: queue.controller, maxRunningMs: maxMs, maxWaitingMs: maxMs };
        await queueAge(() => queue.ages(nowMs), limits)(signal);
      }
    };
  }

  #listen(controller: string, inner: QueueObserver | undefined): QueueObserver {
    const queue = new WatchedQueue(controller);
    this.#queues.push(queue);
    return {
      unfinishedWork: (read) => {
        queue.read = read;
        inner?.unfinishedWork(read);
      },
      added: () => inner?.added(),
      depthChanged: (priority, change) => inner?.depthChanged(priority, change),
      waited: (ms) => {
        queue.handedOut += 1;
        inner?.waited(ms);
      },
      worked: (ms) => inner?.worked(ms),
      retried: () => inner?.retried(),
    };
  }
}
