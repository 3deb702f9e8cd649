import type { KubeObject } from "@keelson/core";
import type { WatchSink } from "../../src/watch/reflector-options.ts";
import type { ObjectEvent, Snapshot } from "../../src/watch/snapshot.ts";

/** A store that remembers all it was told. */
export class RecordingSink<T extends KubeObject> implements WatchSink<T> {
  objects = new Map<string, T>();
  readonly history: string[] = [];
  /** All that it was told of, bookmarks included, which the server may send at any time. */
  readonly versions: string[] = [];
  /** Those of whole states. */
  readonly replacedAt: string[] = [];
  /** What `apply` throws, if anything. */
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
