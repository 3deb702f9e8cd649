import type { ControllerObserver } from "../controller/controller-observer.ts";
import type { QueueObserver, UnfinishedWork } from "../queue/queue-observer.ts";
import type { HealthCheck } from "../telemetry/health/health-checks.ts";
import { queueAge } from "../telemetry/health/queue-age.ts";

/** Knows how old the work of each controller is, by listening to what their queues tell the metrics. */
export class QueueAges {
  readonly #reads: Map<string, () => UnfinishedWork> = new Map();

  /** Tells the other observer all that it is told itself. */
  observer(inner: ControllerObserver): ControllerObserver {
    return {
      queueObserver: (controller) => this.#listen(controller, inner.queueObserver(controller)),
      hotLoopObserver: (controller) => inner.hotLoopObserver(controller),
      started: (controller, concurrency) => inner.started(controller, concurrency),
      activeChanged: (controller, change) => inner.activeChanged(controller, change),
      reconciled: (controller, result, ms) => inner.reconciled(controller, result, ms),
      failed: (controller) => inner.failed(controller),
      failedTerminally: (controller) => inner.failedTerminally(controller),
      panicked: (controller) => inner.panicked(controller),
      timedOut: (controller) => inner.timedOut(controller),
      eventLoopBlocked: (controller, ms) => inner.eventLoopBlocked(controller, ms),
    };
  }

  /** Fails if a reconcile has been running for longer than that. */
  check(maxRunningMs: number): HealthCheck {
    return async (signal) => {
      for (const [name, read] of this.#reads) await queueAge(read, { name, maxRunningMs })(signal);
    };
  }

  #listen(controller: string, inner: QueueObserver | undefined): QueueObserver {
    return {
      unfinishedWork: (read) => {
        this.#reads.set(controller, read);
        inner?.unfinishedWork(read);
      },
      added: () => inner?.added(),
      depthChanged: (priority, change) => inner?.depthChanged(priority, change),
      waited: (ms) => inner?.waited(ms),
      worked: (ms) => inner?.worked(ms),
      retried: () => inner?.retried(),
    };
  }
}
