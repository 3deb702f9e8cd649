import type { Cache } from "../cache/cache.ts";
import type { GroupMember } from "./runnable-group.ts";

/** The cache as a member of a group: ready when all that was asked of it before the start has synced [MG1]. */
export function cacheMember(cache: Cache): GroupMember {
  return {
    name: "cache",
    run: async (signal, isReady) => {
      // What ends without a sync is ready for nothing; why it ended, `run` says.
      const ready = cache.synced(signal).then(isReady, () => undefined);
      await cache.run(signal);
      await ready;
    },
  };
}
