import type { Client, Clock } from "keelson";
import type { AnnotationKeys } from "../api/annotation-keys.ts";

/** What a reload needs. The context of a reconcile has it, beside the keys. */
export interface ReloadContext {
  /** Writes to workloads go through it, so that the next reconcile reads them. */
  readonly client: Client;
  /** Reads pods, ReplicaSets and Jobs: they are not cached. */
  readonly liveClient: Client;
  readonly clock: Clock;
  readonly keys: AnnotationKeys;
}
