import type { Clock } from "@keelson/core";
import type { Store } from "./store/store.ts";

/** What the real server does to etcd. */
const intervalMs = 5 * 60 * 1000;

/** Every five minutes forgets what was history five minutes ago; gives a function that ends it. */
export function compactOldHistory(store: Store, clock: Clock): () => void {
  let cancel = schedule(store.revision);

  function schedule(revision: number): () => void {
    return clock.schedule(intervalMs, () => {
      store.compact(revision);
      cancel = schedule(store.revision);
    });
  }

  return () => cancel();
}
