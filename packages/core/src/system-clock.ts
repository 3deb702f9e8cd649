import type { Clock } from "./clock.ts";

/** setTimeout cannot wait longer; a longer wait is made of several. */
const longestTimeoutMs = 2 ** 31 - 1;

/** The machine's clock. Its timers keep the process alive until they fire or are cancelled. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonicNow: () => performance.now(),
  schedule(delayMs, callback) {
    const dueMs = performance.now() + delayMs;
    let timer: NodeJS.Timeout;
    const wait = (remainingMs: number): void => {
      // Node warns of a negative delay; a moment that is over is due at once.
      timer = setTimeout(fireOrWait, Math.min(Math.max(0, Math.ceil(remainingMs)), longestTimeoutMs));
    };
    // Node's timers count whole milliseconds of a coarser clock, so they may fire a little early.
    const fireOrWait = (): void => {
      const remainingMs = dueMs - performance.now();
      if (remainingMs > 0) wait(remainingMs);
      else callback();
    };
    wait(delayMs);
    return () => clearTimeout(timer);
  },
  cpuNow() {
    // Node 22 measures the process only, which uses at least as much as the thread.
    const threadCpuUsage: (() => NodeJS.CpuUsage) | undefined = process.threadCpuUsage;
    const { user, system } = (threadCpuUsage ?? process.cpuUsage)();
    return (user + system) / 1000;
  },
};
