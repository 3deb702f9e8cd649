import type { QueueObserver, UnfinishedWork } from "../../src/queue/queue-observer.ts";

/** Adds up what a queue tells. */
export class RecordingObserver implements QueueObserver {
  adds = 0;
  retries = 0;
  readonly depth = new Map<number | undefined, number>();
  readonly waits: number[] = [];
  readonly works: number[] = [];
  readUnfinished: (() => UnfinishedWork) | undefined;

  unfinishedWork(read: () => UnfinishedWork): void {
    this.readUnfinished = read;
  }

  added(): void {
    this.adds++;
  }

  depthChanged(priority: number | undefined, change: number): void {
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
