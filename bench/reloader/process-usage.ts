import { readFileSync } from "node:fs";

const sampleMs = 200;
/** The unit in which Linux reports CPU time: USER_HZ is 100 on all architectures. */
const ticksPerSecond = 100;

/** What a process has used. */
export interface Usage {
  readonly rssMb: number;
  readonly peakRssMb: number;
  readonly cpuSeconds: number;
}

/** Samples what a process uses, by /proc. Where there is none, and of a process that has ended, all is 0. */
export class ProcessUsage implements Disposable {
  readonly #timer: NodeJS.Timeout;
  readonly #pid: number;
  #usage: Usage = { rssMb: 0, peakRssMb: 0, cpuSeconds: 0 };

  constructor(pid: number) {
    this.#pid = pid;
    this.#timer = setInterval(() => this.sample(), sampleMs);
  }

  /** What it uses now. */
  sample(): Usage {
    try {
      const status = readFileSync(`/proc/${this.#pid}/status`, "utf8");
      const rssMb = (Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024) / 1e6;
      const stat = readFileSync(`/proc/${this.#pid}/stat`, "utf8");
      // The name in parentheses may contain spaces. User and system time are the 12th and 13th field after it.
      const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      const cpuSeconds = (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
      this.#usage = { rssMb, peakRssMb: Math.max(rssMb, this.#usage.peakRssMb), cpuSeconds };
    } catch {
      // The process has ended: the last sample stands.
    }
    return this.#usage;
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}
