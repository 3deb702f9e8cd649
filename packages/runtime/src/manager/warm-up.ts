import type { Runnable } from "./runnable.ts";
import type { GroupMember } from "./runnable-group.ts";
import { aborted } from "./within.ts";

/** The two sides of a runnable that only a leader runs: its warm-up, if it has one, and its run. */
export interface LeaderMembers {
  readonly warmUp: GroupMember | undefined;
  readonly run: GroupMember;
}

/**
 * Has the warm-up end with the others of its kind if the runnable was never run, and with the run if it was [CT17]: the
 * stop of warm-ups comes before that of leaders and must not cut a run short [MG2].
 */
export function leaderMembers(runnable: Runnable): LeaderMembers {
  let isRun = false;
  const { name } = runnable;
  const run: GroupMember = {
    name,
    run: (signal, isReady) => {
      isRun = true;
      isReady();
      return runnable.run(signal);
    },
  };
  if (runnable.warmUp === undefined) return { warmUp: undefined, run };
  const warmUp: GroupMember = {
    name: `warm-up of ${name}`,
    run: async (signal, isReady) => {
      isReady();
      if (isRun) return;
      const stop = new AbortController();
      const warm = runnable.warmUp?.(stop.signal);
      await Promise.race([warm, aborted(signal)]);
      if (!signal.aborted) return;
      // What fails in it from now on, `run` reports as well.
      if (isRun) warm?.catch(() => undefined);
      else {
        stop.abort(signal.reason);
        await warm;
      }
    },
  };
  return { warmUp, run };
}

/** A runnable that every replica runs. */
export function plainMember(runnable: Runnable): GroupMember {
  return {
    name: runnable.name,
    run: (signal, isReady) => {
      isReady();
      return runnable.run(signal);
    },
  };
}
