import { PriorityLabels, type QueueObserver, type UnfinishedWork } from "../../queue/queue-observer.ts";
import type { Family, Sample } from "./family.ts";
import type { MetricsRegistry } from "./metrics-registry.ts";
import type { CounterSeries, GaugeSeries, HistogramSeries } from "./series.ts";

/** From 10 ns to 1000 s, each ten times the previous one [MX2]. */
export const decadeBuckets: readonly number[] = [
  1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1, 10, 100, 1000,
];

/** Both have the name of the controller: controller-runtime added the second later [MX2]. */
type QueueLabels = readonly ["name", "controller"];

const queueLabels = ["name", "controller"] as const;

/** The metrics of all queues [MX2]. */
export class QueueMetrics {
  readonly #depth: Family<readonly ["name", "controller", "priority"], GaugeSeries>;
  readonly #adds: Family<QueueLabels, CounterSeries>;
  readonly #retries: Family<QueueLabels, CounterSeries>;
  readonly #queueDuration: Family<QueueLabels, HistogramSeries>;
  readonly #workDuration: Family<QueueLabels, HistogramSeries>;
  readonly #unfinished = new Map<string, () => UnfinishedWork>();

  constructor(registry: MetricsRegistry) {
    this.#depth = registry.gauge({
      name: "workqueue_depth",
      help: "Number of keys that are ready to be processed, by priority.",
      labels: ["name", "controller", "priority"],
    });
    this.#adds = registry.counter({
      name: "workqueue_adds_total",
      help: "Number of keys that became ready to be processed.",
      labels: queueLabels,
    });
    this.#queueDuration = registry.histogram({
      name: "workqueue_queue_duration_seconds",
      help: "Time for which keys were ready before a worker dequeued them.",
      labels: queueLabels,
      buckets: decadeBuckets,
    });
    this.#workDuration = registry.histogram({
      name: "workqueue_work_duration_seconds",
      help: "Time that workers took for a key.",
      labels: queueLabels,
      buckets: decadeBuckets,
    });
    registry.collected(
      "gauge",
      {
        name: "workqueue_unfinished_work_seconds",
        help: "Sum of the ages of all keys that are being processed; grows when workers are stuck.",
        labels: queueLabels,
      },
      () => this.#collect(({ totalMs }) => totalMs),
    );
    registry.collected(
      "gauge",
      {
        name: "workqueue_longest_running_processor_seconds",
        help: "Time for which the key that was dequeued first has been processed.",
        labels: queueLabels,
      },
      () => this.#collect(({ longestMs }) => longestMs),
    );
    this.#retries = registry.counter({
      name: "workqueue_retries_total",
      help: "Number of keys that were added with a delay.",
      labels: queueLabels,
    });
  }

  /** Of two queues of the same name, the later one reports its unfinished work; everything else is summed up. */
  observer(name: string): QueueObserver {
    const adds = this.#adds.with(name, name);
    const retries = this.#retries.with(name, name);
    const queueDuration = this.#queueDuration.with(name, name);
    const workDuration = this.#workDuration.with(name, name);
    const labels = new PriorityLabels();
    const depths = new Map<number | undefined, GaugeSeries>();
    return {
      unfinishedWork: (read) => void this.#unfinished.set(name, read),
      added: () => adds.add(),
      depthChanged: (priority, change) => {
        let depth = depths.get(priority);
        if (depth === undefined) {
          const label = labels.labelOf(priority);
          depth = this.#depth.with(name, name, label);
          // Priorities that share a label are not cached: there may be any number of them.
          if (label === "" || label === String(priority)) depths.set(priority, depth);
        }
        depth.add(change);
      },
      waited: (ms) => queueDuration.observe(ms / 1000),
      worked: (ms) => workDuration.observe(ms / 1000),
      retried: () => retries.add(),
    };
  }

  *#collect(pick: (work: UnfinishedWork) => number): Iterable<Sample> {
    for (const [name, read] of this.#unfinished) yield { labels: [name, name], value: pick(read()) / 1000 };
  }
}
