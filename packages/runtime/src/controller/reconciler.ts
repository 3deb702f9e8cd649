import type { Client } from "@keelson/client";
import {
  type Clock,
  KeelsonError,
  type KubeObject,
  type ObjectKey,
  type Resource,
  type Stored,
} from "@keelson/core";
import type { Logger } from "../logger.ts";
import type { Trigger } from "../queue/work-item.ts";
import type { EventRecorder } from "./event-recorder.ts";

/**
 * Brings the cluster to what the object of the key specifies. It gets a key and reads the actual state; it never depends
 * on which event enqueued the key (law 3). How it ends decides what follows:
 *
 * | it ends with | the key is enqueued again | its failures |
 * |---|---|---|
 * | nothing | when something changes | are forgotten |
 * | `{ requeueAfterMs }` | after that time, or when something changes | are forgotten |
 * | `{ requeue: true }` | after a back-off | are counted |
 * | an error | after a back-off | are counted |
 * | a TerminalError, or an error caused by one | when something changes | are kept |
 * | the same, but the last write of a status failed | after a back-off | are counted |
 */
export type Reconciler<Key, Settings = unknown> = (
  context: ReconcileContext<Key, Settings>,
) => Promise<ReconcileResult> | ReconcileResult;

/** How a reconcile ends that did not fail. */
// biome-ignore lint/suspicious/noConfusingVoidType: a reconciler that returns nothing is done
export type ReconcileResult = void | undefined | Requeue;

export interface Requeue {
  /** Reconcile the key again after this time, whether or not something changes. */
  readonly requeueAfterMs?: number;
  /** Reconcile the key again after a back-off. Prefer `requeueAfterMs`, or an error, which carries a reason. */
  readonly requeue?: boolean;
  /** Default: the priority of this run. */
  readonly priority?: number;
}

/**
 * What a reconciler gets. Clients, log and signal are made when they are first read. It may be copied and spread, which
 * reads all of them.
 */
export interface ReconcileContext<Key, Settings = unknown> {
  readonly key: Key;
  /** Reads come from the cache and include the reconciler's own writes [RW1]; writes go to the server. */
  readonly client: Client;
  /** Reads come from the server, too: slow, and seldom needed. */
  readonly liveClient: Client;
  /** Where time comes from; tests pass a virtual clock. */
  readonly clock: Clock;
  /** The settings of the operator, of the schema that the controller was built with. */
  readonly settings: Settings;
  readonly log: Logger;
  readonly events: EventRecorder;
  /** Aborts when the controller stops or the time limit is over. Calls of the clients above abort with it. */
  readonly signal: AbortSignal;
  /** How many times in a row the key has failed before. */
  readonly failures: number;
  /** Why the key was enqueued, for logs and messages; see law 3. The first 16 if there are more. */
  readonly reasons: readonly Trigger[];
  /** How many reasons there were in all. */
  readonly reasonCount: number;
  /** Identifies this run; every line of its log carries it. */
  readonly reconcileId: string;
}

/** A run as the controller passes it to the reconcile function of a definition. */
export interface ReconcileRun<Key, Settings = unknown> extends ReconcileContext<Key, Settings> {
  /** The field owner of what the reconciler applies. */
  readonly fieldOwner: string;
  /**
   * The object if the cache holds it, many times faster than by the client, and recorded as a read. Undefined means
   * nothing: the object may not exist, may not be known yet, or may have been written by this process and not have
   * arrived yet.
   */
  peek<T extends KubeObject>(resource: Resource<T>, key: ObjectKey): Stored<T> | undefined;
  /** The object of the key does not exist: what the hot-loop guard knows of it does not apply to a later namesake. */
  objectNotFound(): void;
}

/** A retry does not help: the key waits until something changes. Throw it, or an error that it caused. */
export class TerminalError extends KeelsonError {
  static override readonly brand: string = "keelson.TerminalError";
  readonly code = "TERMINAL";
}
