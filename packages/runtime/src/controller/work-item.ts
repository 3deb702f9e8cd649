import type { Trigger } from "../source/trigger.ts";

/** So many reasons are kept of those for which a key was queued; all are counted. */
const mostReasons = 16;

/** A key that is queued, and what has been learnt about it since. What runs has an item that does not change any more. */
export interface WorkItem<Key> {
  readonly key: Key;
  /** What tells keys apart. */
  readonly text: string;
  readonly reasons: Trigger[];
  reasonCount: number;
  /** The earliest time at which it may run; what it waits after that is for a worker. */
  readyAtMs: number;
  /** Until then a back-off holds it, whatever else asks for it. */
  heldUntilMs: number;
}

export function newItem<Key>(key: Key, text: string, reason: Trigger): WorkItem<Key> {
  return {
    key,
    text,
    reasons: [reason],
    reasonCount: 1,
    readyAtMs: Number.POSITIVE_INFINITY,
    heldUntilMs: 0,
  };
}

export function addReason(item: WorkItem<unknown>, trigger: Trigger): void {
  item.reasonCount++;
  if (item.reasons.length < mostReasons) item.reasons.push(trigger);
}

/** Adds the reasons of another item of the key, after its own. */
export function addReasonsOf(item: WorkItem<unknown>, other: WorkItem<unknown>): void {
  item.reasons.push(...other.reasons.slice(0, mostReasons - item.reasons.length));
  item.reasonCount += other.reasonCount;
}

export function textOf(item: WorkItem<unknown>): string {
  return item.text;
}
