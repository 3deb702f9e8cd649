import { readdir, readFile } from "node:fs/promises";
import { constants, monitorEventLoopDelay, PerformanceObserver, performance } from "node:perf_hooks";
import { getHeapSpaceStatistics } from "node:v8";
import { type Clock, isRecord } from "@keelson/core";
import type { Sample } from "./family.ts";
import type { MetricsRegistry } from "./metrics-registry.ts";
import type { Histogram } from "./series.ts";

/** What only the kernel knows; undefined on systems without /proc, such as macOS. */
interface KernelFacts {
  readonly openFiles: number | undefined;
  readonly maxFiles: number | undefined;
  readonly virtualBytes: number | undefined;
}

const unknown: KernelFacts = { openFiles: undefined, maxFiles: undefined, virtualBytes: undefined };

/** The metrics of the process, under the names of Prometheus clients [MX3]. */
export class ProcessMetrics {
  #kernel: KernelFacts = unknown;

  constructor(registry: MetricsRegistry, clock: Clock) {
    const startedSeconds = clock.now() / 1000 - process.uptime();
    const add = (type: "counter" | "gauge", name: string, help: string, read: () => number | undefined) =>
      registry.collected(type, { name, help }, () => single(read()));
    const cpu = (): NodeJS.CpuUsage => process.cpuUsage();
    add("counter", "process_cpu_user_seconds_total", "CPU time in user mode.", () => cpu().user / 1e6);
    add("counter", "process_cpu_system_seconds_total", "CPU time in the kernel.", () => cpu().system / 1e6);
    add("counter", "process_cpu_seconds_total", "CPU time.", () => (cpu().user + cpu().system) / 1e6);
    add("gauge", "process_start_time_seconds", "Start time of the process since 1970.", () => startedSeconds);
    add("gauge", "process_resident_memory_bytes", "Memory in use.", () => process.memoryUsage.rss());
    add("gauge", "process_virtual_memory_bytes", "Virtual memory size.", () => this.#kernel.virtualBytes);
    add("gauge", "process_open_fds", "Number of open file descriptors.", () => this.#kernel.openFiles);
    add("gauge", "process_max_fds", "Maximum number of open file descriptors.", () => this.#kernel.maxFiles);
  }

  /** Reads /proc, before each scrape. */
  async refresh(): Promise<void> {
    const [openFiles, limits, stat] = await Promise.all([
      readdir("/proc/self/fd").then(({ length }) => length, absent),
      readFile("/proc/self/limits", "utf8").catch(absent),
      readFile("/proc/self/stat", "utf8").catch(absent),
    ]);
    this.#kernel = {
      openFiles,
      maxFiles: finite(/^Max open files\s+(\d+)/m.exec(limits ?? "")?.[1]),
      // The size is the 21st number after the name, which is in brackets and may contain anything.
      virtualBytes: finite(stat?.slice(stat.lastIndexOf(")") + 2).split(" ")[20]),
    };
  }
}

function absent(): undefined {}

function finite(text: string | undefined): number | undefined {
  const value = text === undefined ? Number.NaN : Number(text);
  return Number.isFinite(value) ? value : undefined;
}

function single(value: number | undefined): readonly Sample[] {
  return value === undefined ? [] : [{ labels: [], value }];
}

/** How often the delay of the event loop is measured, by a timer that does not keep the process alive. */
const delayResolutionMs = 50;
const garbageBuckets = [0.001, 0.01, 0.1, 1, 2, 5];
const garbageKinds: ReadonlyMap<number, string> = new Map([
  [constants.NODE_PERFORMANCE_GC_MAJOR, "major"],
  [constants.NODE_PERFORMANCE_GC_MINOR, "minor"],
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL, "incremental"],
  [constants.NODE_PERFORMANCE_GC_WEAKCB, "weakcb"],
]);

/** The metrics of Node, under the names of its dashboards [MX3]. Must be disposed of, since it observes the engine. */
export function nodeMetrics(registry: MetricsRegistry): Disposable {
  addMemory(registry);
  addVersion(registry);
  registry.collected(
    "gauge",
    {
      name: "nodejs_active_resources",
      help: "Number of resources that keep the event loop alive, by type.",
      labels: ["type"],
    },
    () => [...activeResources()].map(([type, value]) => ({ labels: [type], value })),
  );
  const loop = observeLoop(registry);
  const garbage = observeGarbage(registry);
  return {
    [Symbol.dispose]() {
      loop[Symbol.dispose]();
      garbage[Symbol.dispose]();
    },
  };
}

function addMemory(registry: MetricsRegistry): void {
  const gauge = (name: string, help: string, read: (usage: NodeJS.MemoryUsage) => number) =>
    registry.collected("gauge", { name, help }, () => [{ labels: [], value: read(process.memoryUsage()) }]);
  gauge("nodejs_heap_size_total_bytes", "Size of the heap.", ({ heapTotal }) => heapTotal);
  gauge("nodejs_heap_size_used_bytes", "Used size of the heap.", ({ heapUsed }) => heapUsed);
  gauge("nodejs_external_memory_bytes", "Memory of objects outside the heap.", (usage) => usage.external);
  const space = (name: string, help: string, field: "space_size" | "space_used_size") =>
    registry.collected("gauge", { name, help, labels: ["space"] }, () =>
      getHeapSpaceStatistics().map((statistics) => ({
        labels: [statistics.space_name.replace(/_space$/, "")],
        value: statistics[field],
      })),
    );
  space("nodejs_heap_space_size_total_bytes", "Size of each part of the heap.", "space_size");
  space("nodejs_heap_space_size_used_bytes", "Used size of each part of the heap.", "space_used_size");
}

function addVersion(registry: MetricsRegistry): void {
  const [major = "", minor = "", patch = ""] = process.versions.node.split(".");
  registry
    .gauge({
      name: "nodejs_version_info",
      help: "The version of Node.",
      labels: ["version", "major", "minor", "patch"],
    })
    .with(process.version, major, minor, patch)
    .set(1);
}

/** The delays since the last scrape. */
function observeLoop(registry: MetricsRegistry): Disposable {
  const delays = monitorEventLoopDelay({ resolution: delayResolutionMs });
  delays.enable();
  const gauge = (name: string, help: string, readNs: () => number) =>
    registry.collected("gauge", { name, help }, () => {
      const value = readNs() / 1e9;
      return Number.isFinite(value) ? [{ labels: [], value }] : [];
    });
  const lag = "Delay of the event loop since the last scrape";
  const late = (ns: number): number => Math.max(0, ns - delayResolutionMs * 1e6);
  gauge("nodejs_eventloop_lag_mean_seconds", `${lag}: mean.`, () => late(delays.mean));
  gauge("nodejs_eventloop_lag_p50_seconds", `${lag}: median.`, () => late(delays.percentile(50)));
  gauge("nodejs_eventloop_lag_p90_seconds", `${lag}: 90th percentile.`, () => late(delays.percentile(90)));
  gauge("nodejs_eventloop_lag_p99_seconds", `${lag}: 99th percentile.`, () => late(delays.percentile(99)));
  gauge("nodejs_eventloop_lag_max_seconds", `${lag}: maximum.`, () => {
    const ns = delays.count === 0 ? 0 : late(delays.max);
    delays.reset();
    return ns;
  });
  registry.collected(
    "gauge",
    { name: "nodejs_eventloop_utilization", help: "Share of time for which the event loop was busy." },
    () => [{ labels: [], value: performance.eventLoopUtilization().utilization }],
  );
  return { [Symbol.dispose]: () => void delays.disable() };
}

function observeGarbage(registry: MetricsRegistry): Disposable {
  const family = registry.histogram({
    name: "nodejs_gc_duration_seconds",
    help: "Duration of garbage collections, by kind.",
    labels: ["kind"],
    buckets: garbageBuckets,
  });
  const kinds = new Map<number, Histogram>(
    [...garbageKinds].map(([code, kind]) => [code, family.with(kind)] as const),
  );
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) kinds.get(kindOf(entry))?.observe(entry.duration / 1000);
  });
  observer.observe({ entryTypes: ["gc"] });
  return { [Symbol.dispose]: () => observer.disconnect() };
}

/** The kind of a collection, which the types of entries do not declare. */
function kindOf(entry: object): number {
  const detail: unknown = Reflect.get(entry, "detail");
  return isRecord(detail) && typeof detail.kind === "number" ? detail.kind : -1;
}

function activeResources(): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const type of process.getActiveResourcesInfo()) counts.set(type, (counts.get(type) ?? 0) + 1);
  return counts;
}
