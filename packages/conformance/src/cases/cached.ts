import { field, type Stage } from "../stage.ts";

/** Waits until reads that allow old data show so many objects; a server may answer those from a cache that lags. */
export async function untilCached(stage: Stage, path: string, count: number): Promise<void> {
  await stage.until(`${path}${path.includes("?") ? "&" : "?"}resourceVersion=0`, (list) => {
    const items = field(list, "items");
    return Array.isArray(items) && items.length === count;
  });
}
