import type { ControllerObserver, ResultLabel } from "../../src/controller/controller-observer.ts";

/** Counts the calls of a controller. */
export class RecordingControllerObserver implements ControllerObserver {
  readonly results: ResultLabel[] = [];
  readonly durations: number[] = [];
  readonly blocks: number[] = [];
  active = 0;
  mostActive = 0;
  workers = 0;
  failures = 0;
  terminalFailures = 0;
  panics = 0;
  timeouts = 0;

  queueObserver(): undefined {}

  hotLoopObserver(): undefined {}

  started(_: string, concurrency: number): void {
    this.workers = concurrency;
  }

  activeChanged(_: string, change: 1 | -1): void {
    this.active += change;
    this.mostActive = Math.max(this.mostActive, this.active);
  }

  reconciled(_: string, result: ResultLabel, ms: number): void {
    this.results.push(result);
    this.durations.push(ms);
  }

  failed(): void {
    this.failures += 1;
  }

  failedTerminally(): void {
    this.terminalFailures += 1;
  }

  panicked(): void {
    this.panics += 1;
  }

  timedOut(): void {
    this.timeouts += 1;
  }

  eventLoopBlocked(_: string, ms: number): void {
    this.blocks.push(ms);
  }
}
