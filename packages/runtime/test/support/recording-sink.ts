import type { KubeObject } from "@keelson/core";
import type { WatchSink } from "../../src/watch/reflector-options.ts";
import type { ObjectEvent, Snapshot } from "../../src/watch/snapshot.ts";

/** A store that records all its changes. */
export class RecordingSink<T extends KubeObject> implements WatchSink<T> {
  objects = new Map<string, T>();
  readonly history: string[] = [];
  /** All resource versions, including those of bookmarks, which the server may send at any time. */
  readonly versions: string[] = [];
  /** The resource versions of complete lists. */
  readonly replacedAt: string[] = [];
  /** The error that `apply` throws, if it is set. */
  mistake: Error | undefined;

  replace(snapshots: ReadonlyMap<string, Snapshot<T>>, resourceVersion: string): void {
    this.objects = new Map([...snapshots.values()].map(({ name, object }) => [name, object]));
    this.history.push(`REPLACE ${[...this.objects.keys()].sort().join(" ")}`.trim());
    this.versions.push(resourceVersion);
    this.replacedAt.push(resourceVersion);
  }

  apply({ type, snapshot: { name, object, resourceVersion } }: ObjectEvent<T>): void {
    if (this.mistake !== undefined) throw this.mistake;
    if (type === "DELETED") this.objects.delete(name);
    else this.objects.set(name, object);
    this.history.push(`${type} ${name}`);
    this.versions.push(resourceVersion);
  }

  bookmark(resourceVersion: string): void {
    this.versions.push(resourceVersion);
  }

  get names(): readonly string[] {
    return [...this.objects.keys()].sort();
  }
}
