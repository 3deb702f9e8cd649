import type { QueueObserver, UnfinishedWork } from "../../src/queue/queue-observer.ts";

/** Records what a queue reports. */
export class RecordingObserver implements QueueObserver {
  adds = 0;
  retries = 0;
  readonly depth = new Map<number, number>();
  readonly waits: number[] = [];
  readonly works: number[] = [];
  readUnfinished: (() => UnfinishedWork) | undefined;

  unfinishedWork(read: () => UnfinishedWork): void {
    this.readUnfinished = read;
  }

  added(): void {
    this.adds++;
  }

  depthChanged(priority: number, change: number): void {
    this.depth.set(priority, (this.depth.get(priority) ?? 0) + change);
  }

  waited(ms: number): void {
    this.waits.push(ms);
  }

  worked(ms: number): void {
    this.works.push(ms);
  }

  retried(): void {
    this.retries++;
  }
}
