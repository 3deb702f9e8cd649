import type { ControllerObserver, ResultLabel } from "../../controller/controller-observer.ts";
import type { HotLoopObserver } from "../../controller/guard/hot-loop-guard.ts";
import { PriorityLabels, type QueueObserver, type UnfinishedWork } from "../../queue/queue-observer.ts";
import type { Family, Sample } from "./family.ts";
import type { MetricsRegistry } from "./metrics-registry.ts";
import type { Counter, CounterSeries, Gauge, GaugeSeries, Histogram, HistogramSeries } from "./series.ts";

/** For the duration of reconciles: the buckets of controller-runtime [MX1]. */
const reconcileBuckets: readonly number[] = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5,
  1.75, 2, 2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
];

/** For the time that the event loop was blocked, from the shortest time that is reported [CT19]. */
const blockBuckets: readonly number[] = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** The series of one controller. */
interface OneController {
  readonly results: Readonly<Record<ResultLabel, Counter>>;
  readonly errors: Counter;
  readonly terminalErrors: Counter;
  readonly panics: Counter;
  readonly timeouts: Counter;
  readonly time: Histogram;
  readonly maxConcurrent: Gauge;
  readonly active: Gauge;
  readonly blocks: Histogram;
  readonly hotLoops: HotLoopObserver;
}

const controllerLabel = ["controller"] as const;

/** The metrics of controllers [MX1] and of their queues [MX2]; with `hasSeedNames` also under the names of the seed [MX4]. */
export function controllerMetrics(registry: MetricsRegistry, hasSeedNames: boolean): ControllerObserver {
  const make = controllerFamilies(registry, hasSeedNames);
  const queues = new QueueMetrics(registry);
  const handlerFailures = registry.counter({
    name: "event_handler_failures_total",
    help: "Number of predicates and event handlers that threw or did not end in time, by source and reason.",
    labels: ["controller", "source", "reason"],
  });
  const controllers = new Map<string, OneController>();
  const of = (name: string): OneController => {
    const known = controllers.get(name);
    if (known !== undefined) return known;
    const made = make(name);
    controllers.set(name, made);
    return made;
  };
  return {
    queueObserver: (name) => queues.observer(name),
    hotLoopObserver: (name) => of(name).hotLoops,
    started: (name, concurrency) => of(name).maxConcurrent.set(concurrency),
    activeChanged: (name, change) => of(name).active.add(change),
    reconciled: (name, result, ms) => {
      const { results, time } = of(name);
      results[result].add();
      time.observe(ms / 1000);
    },
    failed: (name) => of(name).errors.add(),
    failedTerminally: (name) => of(name).terminalErrors.add(),
    panicked: (name) => of(name).panics.add(),
    timedOut: (name) => of(name).timeouts.add(),
    eventLoopBlocked: (name, ms) => of(name).blocks.observe(ms / 1000),
    handlerFailed: (name, source, reason) => handlerFailures.with(name, source, reason).add(),
  };
}

/** Creates all series of a controller at once, so that each exists from its start [MX1]. */
function controllerFamilies(
  registry: MetricsRegistry,
  hasSeedNames: boolean,
): (controller: string) => OneController {
  const counter = (name: string, help: string) => registry.counter({ name, help, labels: controllerLabel });
  const gauge = (name: string, help: string) => registry.gauge({ name, help, labels: controllerLabel });
  const total = registry.counter({
    name: "controller_runtime_reconcile_total",
    help: "Number of reconciles, by result.",
    labels: ["controller", "result"],
  });
  const errors = counter("controller_runtime_reconcile_errors_total", "Number of reconciles that failed.");
  const terminalErrors = counter(
    "controller_runtime_terminal_reconcile_errors_total",
    "Number of reconciles that failed with a terminal error.",
  );
  const panics = counter(
    "controller_runtime_reconcile_panics_total",
    "Number of reconciles that threw unexpectedly.",
  );
  const timeouts = counter(
    "controller_runtime_reconcile_timeouts_total",
    "Number of reconciles that exceeded their time limit.",
  );
  const time = registry.histogram({
    name: "controller_runtime_reconcile_time_seconds",
    help: "Duration of reconciles.",
    labels: controllerLabel,
    buckets: reconcileBuckets,
  });
  const maxConcurrent = gauge(
    "controller_runtime_max_concurrent_reconciles",
    "Maximum number of concurrent reconciles.",
  );
  const active = gauge("controller_runtime_active_workers", "Number of keys that are being reconciled.");
  const blocks = registry.histogram({
    name: "event_loop_block_seconds",
    help: "Time for which a reconcile blocked the event loop.",
    labels: controllerLabel,
    buckets: blockBuckets,
  });
  const hotLoops = hotLoopFamilies(registry);
  if (hasSeedNames) {
    registry.alias("reconcile_total", total);
    registry.alias("reconcile_errors_total", errors);
    registry.alias("reconcile_duration_seconds", time);
  }
  return (controller) => ({
    results: {
      success: total.with(controller, "success"),
      error: total.with(controller, "error"),
      requeue: total.with(controller, "requeue"),
      requeue_after: total.with(controller, "requeue_after"),
    },
    errors: errors.with(controller),
    terminalErrors: terminalErrors.with(controller),
    panics: panics.with(controller),
    timeouts: timeouts.with(controller),
    time: time.with(controller),
    maxConcurrent: maxConcurrent.with(controller),
    active: active.with(controller),
    blocks: blocks.with(controller),
    hotLoops: hotLoops(controller),
  });
}

function hotLoopFamilies(registry: MetricsRegistry): (controller: string) => HotLoopObserver {
  const counter = (name: string, help: string) => registry.counter({ name, help, labels: controllerLabel });
  const noopWrites = counter("hot_loop_noop_writes_total", "Number of writes that changed nothing.");
  const pingPongs = counter(
    "hot_loop_ping_pongs_total",
    "Number of detected fields that another field manager sets back.",
  );
  const selfWokens = counter(
    "hot_loop_self_woken_total",
    "Number of detected keys that are reconciled because of their own writes.",
  );
  const replacements = counter(
    "hot_loop_replacements_total",
    "Number of detected objects that are created and deleted again and again.",
  );
  const slowed = counter(
    "hot_loop_slowed_total",
    "Number of times that a key in a hot loop was slowed down.",
  );
  return (controller) => {
    const noopWrite = noopWrites.with(controller);
    const pingPong = pingPongs.with(controller);
    const selfWoken = selfWokens.with(controller);
    const replaced = replacements.with(controller);
    const slowDown = slowed.with(controller);
    return {
      noopWrite: () => noopWrite.add(),
      pingPong: () => pingPong.add(),
      selfWoken: () => selfWoken.add(),
      replaced: () => replaced.add(),
      slowed: () => slowDown.add(),
    };
  };
}

/** From 10 ns to 1000 s, each ten times the previous one [MX2]. */
export const decadeBuckets: readonly number[] = [
  1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1, 10, 100, 1000,
];

/** Both have the name of the controller: controller-runtime added the second later [MX2]. */
type QueueLabels = readonly ["name", "controller"];

const queueLabels = ["name", "controller"] as const;

/** The metrics of all queues [MX2]. */
class QueueMetrics {
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
