import { readdir, readFile } from "node:fs/promises";
import type { Clock } from "@keelson/core";
import type { Sample } from "./family.ts";
import type { MetricsRegistry } from "./metrics-registry.ts";

/** What only the kernel knows; undefined where it does not tell, as on macOS. */
interface KernelFacts {
  readonly openFiles: number | undefined;
  readonly maxFiles: number | undefined;
  readonly virtualBytes: number | undefined;
}

const unknown: KernelFacts = { openFiles: undefined, maxFiles: undefined, virtualBytes: undefined };

/** The metrics that every exporter has of its process, under their usual names [MX3]. */
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
    add("gauge", "process_start_time_seconds", "When the process began, since 1970.", () => startedSeconds);
    add("gauge", "process_resident_memory_bytes", "Memory in use.", () => process.memoryUsage.rss());
    add(
      "gauge",
      "process_virtual_memory_bytes",
      "Addresses in use, with or without memory.",
      () => this.#kernel.virtualBytes,
    );
    add("gauge", "process_open_fds", "How many files and sockets are open.", () => this.#kernel.openFiles);
    add("gauge", "process_max_fds", "How many may be open.", () => this.#kernel.maxFiles);
  }

  /** Asks the kernel, off the main loop; before each scrape. */
  async refresh(): Promise<void> {
    const [openFiles, limits, stat] = await Promise.all([
      readdir("/proc/self/fd").then(({ length }) => length, absent),
      readFile("/proc/self/limits", "utf8").catch(absent),
      readFile("/proc/self/stat", "utf8").catch(absent),
    ]);
    this.#kernel = {
      openFiles,
      maxFiles: finite(/^Max open files\s+(\d+)/m.exec(limits ?? "")?.[1]),
      // After the name, which may hold anything but is in brackets, the size is the 21st number.
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
