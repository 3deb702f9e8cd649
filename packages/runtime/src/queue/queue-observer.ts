/** How old the work is that is not yet done. */
export interface UnfinishedWork {
  /** The ages of all that workers have begun and not ended, added up. Grows without end when workers are stuck. */
  readonly totalMs: number;
  /** The age of the oldest of it. */
  readonly longestMs: number;
  /**
   * For how long the oldest item that waits could have been handed out; 0 if none waits. Of one whose key a worker has, the
   * time counts from when that one is done. To the second.
   */
  readonly oldestReadyMs: number;
}

/**
 * What a queue tells about itself, so that metrics can be made of it. The calls come from inside the queue's methods:
 * they must be quick, must not throw and must not call the queue.
 */
export interface QueueObserver {
  /** Once, when the queue is made: `read` tells, whenever it is asked, what is unfinished. */
  unfinishedWork(read: () => UnfinishedWork): void;
  /** An item that was not ready has become ready to be processed (again). */
  added(): void;
  /** There are now so many more (or fewer) ready items of a priority; undefined for a queue without priorities. */
  depthChanged(priority: number | undefined, change: number): void;
  /** An item was handed to a worker after it had been ready for so long. */
  waited(ms: number): void;
  /** A worker is done with an item after so long. */
  worked(ms: number): void;
  /** An item was added with a delay. */
  retried(): void;
}

/** So many priorities get a label of their own. A label per value would let a metric grow without bound. */
const labelledPriorities = 25;

/**
 * Labels for a metric per priority: the first 25 priorities are called by their numbers, all others by one name. A
 * priority keeps its label for ever, so that a gauge that was raised under a label is also lowered under it.
 */
export class PriorityLabels {
  readonly #labels: Map<number, string> = new Map();

  labelOf(priority: number | undefined): string {
    if (priority === undefined) return "";
    const known = this.#labels.get(priority);
    if (known !== undefined) return known;
    if (this.#labels.size === labelledPriorities) return "exceeded_cardinality_limit";
    const label = String(priority);
    this.#labels.set(priority, label);
    return label;
  }
}
