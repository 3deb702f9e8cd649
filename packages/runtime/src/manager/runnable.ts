import { aborted } from "@keelson/core";
import type { Cache } from "../cache/cache.ts";
import type { Controller } from "../controller/controller.ts";
import type { ControllerOptions } from "../controller/controller-definition.ts";

/** A part of a manager beside its controllers that starts and stops with it: a poller, a migration, a server. */
export interface Runnable {
  /** In logs and errors. */
  readonly name: string;
  /**
   * Works until the signal aborts, or until it has nothing more to do. An error that it throws stops the manager; an error
   * that only follows from the abort is ignored.
   */
  run(signal: AbortSignal): Promise<void>;
  /** Only the leader runs it [MG6]. Default true. */
  readonly needsLeadership?: boolean;
  /**
   * Prepares the work while another replica leads, so that `run` can begin at once [CT17]. The signal aborts if the
   * manager stops and `run` was never called; once `run` was called, the end of `run` ends the warm-up, too. Must not
   * resolve before everything that it started has ended. Only of use where leadership is needed.
   */
  warmUp?(signal: AbortSignal): Promise<void>;
}

/** What a group of runnables runs. */
export interface GroupRunnable {
  readonly name: string;
  /** Runs until the signal aborts, or until it is done; calls `onReady` when the groups after it may start. */
  run(signal: AbortSignal, onReady: () => void): Promise<void>;
}

/** The cache as a runnable: ready when all informers that exist at the start have synced [MG1]. */
export function cacheRunnable(cache: Cache): GroupRunnable {
  return {
    name: "cache",
    run: async (signal, onReady) => {
      // A cache that ends without a sync never becomes ready; `run` throws the error.
      const ready = cache.synced(signal).then(onReady, () => undefined);
      await cache.run(signal);
      await ready;
    },
  };
}

/** A controller as a runnable. */
export function controllerRunnable<Key, Settings>(
  controller: Controller<Key, Settings>,
  options: ControllerOptions,
): Runnable {
  const { warmUp = false, needsLeadership = true } = options;
  return {
    name: `controller ${controller.name}`,
    needsLeadership,
    run: (signal) => controller.run(signal),
    ...(warmUp && {
      warmUp: async (signal: AbortSignal) => {
        await controller.warmUp(signal);
        await controller.ended();
      },
    }),
  };
}

/** A runnable that every replica runs. */
export function replicaRunnable(runnable: Runnable): GroupRunnable {
  return {
    name: runnable.name,
    run: (signal, onReady) => {
      onReady();
      return runnable.run(signal);
    },
  };
}

/** The two parts of a runnable that only a leader runs: its warm-up, if it has one, and its run. */
export interface LeaderRunnables {
  readonly warmUp: GroupRunnable | undefined;
  readonly run: GroupRunnable;
}

/**
 * Splits a runnable into its warm-up and its run. The warm-up ends with the group of warm-ups if the runnable was never
 * run, and with the run if it was [CT17]: warm-ups stop before the runnables of the leader, and must not end a run [MG2].
 */
export function leaderRunnables(runnable: Runnable): LeaderRunnables {
  let isRun = false;
  const { name } = runnable;
  const run: GroupRunnable = {
    name,
    run: (signal, onReady) => {
      isRun = true;
      onReady();
      return runnable.run(signal);
    },
  };
  if (runnable.warmUp === undefined) return { warmUp: undefined, run };
  const warmUp: GroupRunnable = {
    name: `warm-up of ${name}`,
    run: async (signal, onReady) => {
      onReady();
      if (isRun) return;
      const stop = new AbortController();
      const warm = runnable.warmUp?.(stop.signal);
      await Promise.race([warm, aborted(signal)]);
      if (!signal.aborted) return;
      // From now on `run` reports the same errors.
      if (isRun) warm?.catch(() => undefined);
      else {
        stop.abort(signal.reason);
        await warm;
      }
    },
  };
  return { warmUp, run };
}
