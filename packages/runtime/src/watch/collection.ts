import type { KubeObject } from "@keelson/core";
import type { Snapshot } from "./snapshot.ts";
import type { ObjectEvent } from "./watch-state.ts";

/** The objects of a sync that is not complete yet, each in its newest state. Nobody sees them before they are taken. */
export class Collection<T extends KubeObject> {
  #snapshots = new Map<string, Snapshot<T>>();

  change({ type, snapshot }: ObjectEvent<T>): void {
    if (type === "DELETED") this.#snapshots.delete(snapshot.keyText);
    else this.#snapshots.set(snapshot.keyText, snapshot);
  }

  add(snapshots: readonly Snapshot<T>[]): void {
    for (const snapshot of snapshots) this.#snapshots.set(snapshot.keyText, snapshot);
  }

  /** Everything that was collected, by `keyText`, after which there is nothing. Whoever takes it may keep it. */
  take(): Map<string, Snapshot<T>> {
    const snapshots = this.#snapshots;
    this.clear();
    return snapshots;
  }

  clear(): void {
    this.#snapshots = new Map();
  }
}
