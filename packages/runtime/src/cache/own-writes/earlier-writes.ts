import type { Resource } from "@keelson/core";
import { RecentMap } from "../../recent-map.ts";
import { hasReached, isOrdered } from "./version-order.ts";
import type { DeletedOutcome } from "./write-through.ts";

/** A deletion that an informer that starts now may not know. */
export interface EarlierDeletion {
  readonly collection: string;
  readonly outcome: DeletedOutcome;
  readonly atMs: number;
}

const rememberedKinds = 1024;
const rememberedDeletions = 1024;

/**
 * The own writes that were made before an informer existed. Such an informer may begin with a list that is older than the
 * writes, so it must pass them before it is read. Bounded, and of each kind only the latest version.
 */
export class EarlierWrites {
  /** By kind. */
  readonly #versions = new RecentMap<string, string>(rememberedKinds);
  /** A set: the values have no meaning. */
  readonly #deletions = new RecentMap<EarlierDeletion, true>(rememberedDeletions);

  recordVersion(resource: Resource, version: string): void {
    const collection = collectionOf(resource);
    if (!isOrdered(version) || hasReached(this.#versions.peek(collection), version)) return;
    this.#versions.set(collection, version);
  }

  recordDeletion(resource: Resource, outcome: DeletedOutcome, atMs: number): void {
    this.#deletions.set({ collection: collectionOf(resource), outcome, atMs }, true);
  }

  versionOf(resource: Resource): string | undefined {
    return this.#versions.peek(collectionOf(resource));
  }

  /** Those of the kind that are not older than a moment. */
  *deletionsSince(resource: Resource, sinceMs: number): Iterable<EarlierDeletion> {
    const collection = collectionOf(resource);
    for (const deletion of this.#deletions.keys()) {
      if (deletion.collection === collection && deletion.atMs >= sinceMs) yield deletion;
    }
  }
}

/** Versions of a kind in one API version are those of the same objects in another. */
function collectionOf({ group, plural }: Resource): string {
  return `${group}/${plural}`;
}
