import type { Clock } from "@keelson/core";

/** The CPU time is read at most once in this time: a read costs more than a short reconcile. */
const sampleEveryMs = 10;

/**
 * Measures how long synchronous code has worked: in CPU time where the clock measures it, so that a time in which the
 * machine did not let the process run, as under a CPU quota, does not count. Never more than the true value.
 */
export class OwnTime {
  readonly #clock: Clock;
  #sampledMs = Number.NEGATIVE_INFINITY;
  #sampledCpuMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** To be called when the work begins. */
  begin(nowMs: number): void {
    if (this.#clock.cpuNow === undefined || nowMs - this.#sampledMs < sampleEveryMs) return;
    this.#sampledMs = nowMs;
    this.#sampledCpuMs = this.#clock.cpuNow();
  }

  /** How long the code has worked that began at `beganMs` and ends now; `begin` was called for it or for earlier code. */
  workedMs(beganMs: number, nowMs: number): number {
    const elapsedMs = nowMs - beganMs;
    if (this.#clock.cpuNow === undefined) return elapsedMs;
    // Code before this one may have used all of the time between the sample and the beginning.
    const earlierMs = beganMs - this.#sampledMs;
    const cpuMs = this.#clock.cpuNow() - this.#sampledCpuMs - earlierMs;
    return Math.min(elapsedMs, Math.max(0, cpuMs));
  }
}
