import type { Queue, Taken } from "../../src/queue/queue.ts";

/** What the queue hands out without waiting; undefined if it has nothing now. */
export async function takeNow<Item>(queue: Queue<Item>): Promise<Taken<Item> | "shutdown" | undefined> {
  const abort = new AbortController();
  const taking = queue.get(abort.signal);
  abort.abort("nothing now");
  try {
    return await taking;
  } catch (error) {
    if (error === "nothing now") return undefined;
    throw error;
  }
}

/** The items that the queue hands out without waiting, in order; none is given back. */
export async function takeAll<Item>(queue: Queue<Item>): Promise<Item[]> {
  const items: Item[] = [];
  for (;;) {
    const taken = await takeNow(queue);
    if (taken === undefined || taken === "shutdown") return items;
    items.push(taken.item);
  }
}
