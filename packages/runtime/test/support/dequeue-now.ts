import type { DequeuedItem } from "../../src/queue/work-item.ts";
import type { AddOptions, WorkQueue } from "../../src/queue/work-queue.ts";

/** Adds several keys with the same options. */
export function addAll<Key>(queue: WorkQueue<Key>, keys: readonly Key[], options?: AddOptions): void {
  for (const key of keys) queue.add(key, options);
}

/** Dequeues a key without waiting; undefined if none is ready. */
export async function dequeueNow<Key>(
  queue: WorkQueue<Key>,
): Promise<DequeuedItem<Key> | "shutdown" | undefined> {
  const abort = new AbortController();
  const dequeuing = queue.get(abort.signal);
  abort.abort("nothing now");
  try {
    return await dequeuing;
  } catch (error) {
    if (error === "nothing now") return undefined;
    throw error;
  }
}

/** Dequeues all keys that are ready, in order; none of them is done afterwards. */
export async function dequeueAll<Key>(queue: WorkQueue<Key>): Promise<Key[]> {
  const keys: Key[] = [];
  for (;;) {
    const item = await dequeueNow(queue);
    if (item === undefined || item === "shutdown") return keys;
    keys.push(item.key);
  }
}
