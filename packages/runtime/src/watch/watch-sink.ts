import type { KubeObject } from "@keelson/core";
import type { Snapshot } from "./snapshot.ts";
import type { ObjectEvent } from "./watch-state.ts";

/**
 * Where a reflector puts what it learns, such as a store. Its methods are called one after the other and do their work
 * before they return. If one throws, the error is reported and everything is handed over again by `replace`, because
 * something may have been missed.
 */
export interface WatchSink<T extends KubeObject> {
  /**
   * These are all the objects there are, by their `keyText`, as of that version: whatever else it holds is gone. The map
   * is the sink's from here on.
   */
  replace(snapshots: Map<string, Snapshot<T>>, resourceVersion: string): void;
  /** One object has changed; its version is in its snapshot. ADDED may come for an object that is known [RF10]. */
  apply(event: ObjectEvent<T>): void;
  /** Nothing else has changed up to this version. */
  bookmark(resourceVersion: string): void;
}
