/** How old the work is that is not done yet. */
export interface UnfinishedWork {
  /** The sum of the ages of all keys that workers have not finished. Grows without end when workers are stuck. */
  readonly totalMs: number;
  /** The age of the oldest of them. */
  readonly longestMs: number;
  /**
   * How long the oldest key that waits could have been dequeued; 0 if none waits. For a key that a worker has, the time
   * counts from when that worker is done. To the second.
   */
  readonly oldestReadyMs: number;
}

/**
 * Is called with what happens in a queue, for metrics. The calls come from inside the queue's methods: they must be quick,
 * must not throw and must not call the queue.
 */
export interface QueueObserver {
  /** Called once, when the queue is created: `read` returns the unfinished work at the time of its call. */
  unfinishedWork(read: () => UnfinishedWork): void;
  /** A key that was not ready has become ready. */
  added(): void;
  /** The number of ready keys of a priority has changed. */
  depthChanged(priority: number, change: number): void;
  /** A key was dequeued after it had been ready for this long. */
  waited(ms: number): void;
  /** A worker is done with a key after this long. */
  worked(ms: number): void;
  /** A key was added with a delay. */
  retried(): void;
}

/** This many priorities get a label of their own. A label per value would let a metric grow without bound. */
const labelledPriorities = 25;

/**
 * Labels for a metric per priority: the first 25 priorities have their numbers as labels, all further ones share one label. A
 * priority keeps its label for ever, so that a gauge that was raised under a label is also lowered under it.
 */
export class PriorityLabels {
  readonly #labels: Map<number, string> = new Map();

  labelOf(priority: number): string {
    const known = this.#labels.get(priority);
    if (known !== undefined) return known;
    if (this.#labels.size === labelledPriorities) return "exceeded_cardinality_limit";
    const label = String(priority);
    this.#labels.set(priority, label);
    return label;
  }
}
