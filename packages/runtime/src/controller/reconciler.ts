import type { Client } from "@keelson/client";
import { KeelsonError, type KubeObject, type ObjectKey, type Stored } from "@keelson/core";
import type { Logger } from "../logger.ts";
import type { Trigger } from "../queue/work-item.ts";
import type { EventRecorder } from "./event-recorder.ts";

/**
 * Brings the world to where the object that the key names wants it. It gets a key and looks at the world; it never
 * depends on which change made it run (law 3). What follows from how it ends:
 *
 * | it ends with | the key is queued again | its failures |
 * |---|---|---|
 * | nothing | when something changes | are forgotten |
 * | `{ requeueAfterMs }` | after that time, or when something changes | are forgotten |
 * | `{ requeue: true }` | after a back-off | are counted |
 * | an error | after a back-off | are counted |
 * | a TerminalError, or an error caused by one | when something changes | are kept |
 */
export type Reconciler<Key> = (context: ReconcileContext<Key>) => Promise<ReconcileResult> | ReconcileResult;

/** How a reconcile ends that did not fail. */
// biome-ignore lint/suspicious/noConfusingVoidType: a reconciler that returns nothing is done
export type ReconcileResult = void | undefined | Requeue;

export interface Requeue {
  /** Run again after so long, whatever happens. */
  readonly requeueAfterMs?: number;
  /** Run again after a back-off. Prefer `requeueAfterMs`, which says what is meant, or an error, which says why. */
  readonly requeue?: boolean;
  /** With which priority. Default: the one this run had. */
  readonly priority?: number;
}

/**
 * What a reconcile is given. Most of it is made when it is first asked for: take what you need out of it by name, which
 * works, instead of copying it as a whole, which does not.
 */
export interface ReconcileContext<Key> {
  readonly key: Key;
  /** Reads come from the cache and include what was written through it [RW1]; writes go to the server. */
  readonly client: Client;
  /** Reads come from the server too: slow, and seldom needed. */
  readonly liveClient: Client;
  readonly log: Logger;
  readonly events: EventRecorder;
  /** Aborts when the controller stops or the time limit is over. The clients above obey it by themselves. */
  readonly signal: AbortSignal;
  /** How many times in a row the key has failed before. */
  readonly failures: number;
  /** Why this runs, for people; see law 3. The first 16 if there are more. */
  readonly reasons: readonly Trigger[];
  /** How many reasons there were in all. */
  readonly reasonCount: number;
  /** Another one for each run; on every line of its log. */
  readonly reconcileId: string;
}

/** What a reconcile of an object is given. */
export interface ObjectContext<T extends KubeObject> extends ReconcileContext<ObjectKey> {
  /** As the cache has it, frozen. It may be on its way out: then `metadata.deletionTimestamp` is set. */
  readonly object: Stored<T>;
}

/** As Reconciler, for the object itself. Is not called when the object is gone [CT18]. */
export type ObjectReconciler<T extends KubeObject> = (
  context: ObjectContext<T>,
) => Promise<ReconcileResult> | ReconcileResult;

/** Trying again will not help: the key waits until something changes. Throw it as it is, or as the cause of another. */
export class TerminalError extends KeelsonError {
  static override readonly brand: string = "keelson.TerminalError";
  readonly code = "TERMINAL";
}
