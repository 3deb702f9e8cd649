import { type Clock, sleep } from "@keelson/core";
import type { Cache } from "../cache/cache.ts";
import type { GroupMember } from "./runnable-group.ts";

/** Nothing tells when all informers of a cache have synced, so it is looked at this often. */
const lookMs = 50;

/** The cache as a member of a group: ready when all that was asked of it before the start has synced [MG1]. */
export function cacheMember(cache: Cache, clock: Clock): GroupMember {
  return {
    name: "cache",
    run: async (signal, isReady) => {
      const running = cache.run(signal);
      const ready = waitForSync(cache, clock, signal).then(isReady);
      try {
        await running;
      } finally {
        await ready;
      }
    },
  };
}

async function waitForSync(cache: Cache, clock: Clock, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && !cache.statuses.every(({ hasSynced }) => hasSynced)) {
    // Aborted is ended.
    await sleep(clock, lookMs, signal).catch(() => undefined);
  }
}
