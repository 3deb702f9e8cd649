import {
  type CancelTimer,
  type Clock,
  formatKey,
  type KubeObject,
  keyOf,
  type ObjectKey,
} from "@keelson/core";
import { ApiError } from "../status/api-error.ts";
import type { ControllerContext } from "./controller.ts";

export interface KeyLoopOptions {
  /** `replicaset-controller`; errors are reported under it. */
  readonly name: string;
  readonly context: Pick<ControllerContext, "clock" | "signal" | "reportError">;
  /**
   * Reads the actual state and brings it one step nearer to the desired state. Never runs twice at once for a key. What
   * it throws is retried.
   */
  reconcile(key: string, signal: AbortSignal): Promise<void>;
  /** How many keys are worked on at once. Default: 5. */
  readonly workers?: number;
}

export interface KeyLoop {
  /** The key is worked on soon, and if it is being worked on now, once more after that. */
  enqueue(key: string): void;
  /** The same after some time. Of several times for a key, the earliest holds. */
  enqueueAfter(key: string, delayMs: number): void;
  /** Begins nothing any more, and waits for what is under way. */
  stop(): Promise<void>;
}

const firstRetryMs = 5;
const longestRetryMs = 1_000_000;
/** The loop pauses after so many runs, so that other tasks, such as requests, can proceed. */
const runsBetweenPauses = 200;

/** The text by which key loops know an object: `shop/web`. */
export function loopKey(object: KubeObject): string {
  return formatKey(keyOf(object));
}

export function parseLoopKey(key: string): ObjectKey {
  const slash = key.indexOf("/");
  return slash === -1 ? { name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}

/**
 * The loop that all controllers share: keys in, runs out. Runs begin outside of the call that enqueued the key, so
 * listeners of the store, which must not write, may enqueue. A failed run is repeated after 5 ms, 10 ms and so on.
 */
export function startKeyLoop(options: KeyLoopOptions): KeyLoop {
  const { name, context, reconcile, workers = 5 } = options;
  const { clock, signal } = context;
  /** In the order in which they came. A key that is running may be in here too; it waits for that run. */
  const waiting = new Set<string>();
  const running = new Map<string, Promise<void>>();
  const failures = new Map<string, number>();
  let isAwake = false;
  let runsSincePause = 0;
  let cancelPause: CancelTimer | undefined;
  const stopping = new AbortController();
  const end = AbortSignal.any([signal, stopping.signal]);
  const delays = createKeyDelays(clock, enqueue);

  function enqueue(key: string): void {
    if (end.aborted) return;
    waiting.add(key);
    wake();
  }

  function wake(): void {
    if (isAwake || cancelPause !== undefined) return;
    isAwake = true;
    queueMicrotask(() => {
      isAwake = false;
      startRuns();
    });
  }

  function startRuns(): void {
    for (const key of [...waiting]) {
      if (end.aborted || running.size >= workers) return;
      if (running.has(key)) continue;
      if (runsSincePause >= runsBetweenPauses) {
        pause();
        return;
      }
      runsSincePause++;
      waiting.delete(key);
      running.set(key, run(key));
    }
    if (waiting.size === 0) runsSincePause = 0;
  }

  function pause(): void {
    cancelPause ??= clock.schedule(0, () => {
      cancelPause = undefined;
      runsSincePause = 0;
      wake();
    });
  }

  async function run(key: string): Promise<void> {
    try {
      await reconcile(key, end);
      failures.delete(key);
    } catch (error) {
      if (!isExpected(error)) context.reportError(name, error);
      const count = failures.get(key) ?? 0;
      failures.set(key, count + 1);
      enqueueAfter(key, Math.min(firstRetryMs * 2 ** count, longestRetryMs));
    } finally {
      running.delete(key);
      if (waiting.size > 0) wake();
    }
  }

  function enqueueAfter(key: string, delayMs: number): void {
    if (!end.aborted) delays.add(key, delayMs);
  }

  function forgetAll(): void {
    delays.clear();
    waiting.clear();
    cancelPause?.();
  }
  end.addEventListener("abort", forgetAll, { once: true });

  return {
    enqueue,
    enqueueAfter,
    async stop() {
      stopping.abort();
      await Promise.allSettled([...running.values()]);
    },
  };
}

/** Whether another writer changed or deleted the object in between; the next run reads the new state. */
function isExpected(error: unknown): boolean {
  return error instanceof ApiError && (error.status.code === 409 || error.status.code === 404);
}

/** Keys that are due later. Of several times for a key, the earliest holds. */
interface KeyDelays {
  add(key: string, delayMs: number): void;
  /** Forgets all keys. */
  clear(): void;
}

function createKeyDelays(clock: Clock, onDue: (key: string) => void): KeyDelays {
  const delayed = new Map<string, { readonly dueMs: number; readonly cancel: CancelTimer }>();
  return {
    add(key, delayMs) {
      const dueMs = clock.monotonicNow() + delayMs;
      const earlier = delayed.get(key);
      if (earlier !== undefined && earlier.dueMs <= dueMs) return;
      earlier?.cancel();
      const cancel = clock.schedule(delayMs, () => {
        delayed.delete(key);
        onDue(key);
      });
      delayed.set(key, { dueMs, cancel });
    },
    clear() {
      for (const { cancel } of delayed.values()) cancel();
      delayed.clear();
    },
  };
}
