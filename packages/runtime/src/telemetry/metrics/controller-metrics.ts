import type { ControllerObserver, ResultLabel } from "../../controller/controller-observer.ts";
import type { HotLoopObserver } from "../../controller/guard/hot-loop-guard.ts";
import type { MetricsRegistry } from "./metrics-registry.ts";
import { QueueMetrics } from "./queue-metrics.ts";
import type { Counter, Gauge, Histogram } from "./series.ts";

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
  const slowed = counter(
    "hot_loop_slowed_total",
    "Number of times that a key in a hot loop was slowed down.",
  );
  return (controller) => {
    const noopWrite = noopWrites.with(controller);
    const pingPong = pingPongs.with(controller);
    const selfWoken = selfWokens.with(controller);
    const slowDown = slowed.with(controller);
    return {
      noopWrite: () => noopWrite.add(),
      pingPong: () => pingPong.add(),
      selfWoken: () => selfWoken.add(),
      slowed: () => slowDown.add(),
    };
  };
}
