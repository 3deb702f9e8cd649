import type { ControllerObserver } from "keelson/controller";
import type { QueueObserver } from "keelson/queue";
import type { Metrics } from "keelson/telemetry";

/** The activity of the controllers of a manager, as its metrics observe it. */
export class ControllerActivity {
  readonly #made: Set<string> = new Set();
  readonly #started: Set<string> = new Set();
  /** How many keys are ready, or being reconciled. */
  #unfinished = 0;

  /** Every controller reconciles: its caches have synced, and all that was there is queued or done. */
  get haveStarted(): boolean {
    return this.#started.size === this.#made.size;
  }

  /** No key is ready and none is being reconciled. Keys that wait for a time may be there. */
  get isIdle(): boolean {
    return this.haveStarted && this.#unfinished === 0;
  }

  /** The same metrics, whose observations are recorded here, too. */
  listenTo(metrics: Metrics): Metrics {
    return { ...metrics, controllers: this.#observer(metrics.controllers) };
  }

  #observer(inner: ControllerObserver): ControllerObserver {
    return {
      ...inner,
      queueObserver: (controller) => {
        this.#made.add(controller);
        return this.#queueObserver(inner.queueObserver(controller));
      },
      started: (controller, concurrency) => {
        this.#started.add(controller);
        inner.started(controller, concurrency);
      },
    };
  }

  #queueObserver(inner: QueueObserver | undefined): QueueObserver {
    return {
      unfinishedWork: (read) => inner?.unfinishedWork(read),
      added: () => inner?.added(),
      depthChanged: (priority, change) => {
        this.#unfinished += change;
        inner?.depthChanged(priority, change);
      },
      waited: (ms) => {
        this.#unfinished += 1;
        inner?.waited(ms);
      },
      worked: (ms) => {
        this.#unfinished -= 1;
        inner?.worked(ms);
      },
      retried: () => inner?.retried(),
    };
  }
}
