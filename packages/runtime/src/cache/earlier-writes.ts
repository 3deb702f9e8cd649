import type { Resource } from "@keelson/core";
import { RecentSet } from "./recent-set.ts";
import { hasReached, isOrdered } from "./version-order.ts";
import type { GoneOutcome } from "./write-outcome.ts";

/** A deletion of which an informer that starts now may not know. */
export interface EarlierDeletion {
  readonly collection: string;
  readonly outcome: GoneOutcome;
  readonly atMs: number;
}

const rememberedKinds = 1024;
const rememberedDeletions = 1024;

/**
 * What was written before an informer was there. Such an informer may begin with a list that is older than the writes,
 * so it must get past them before it is read. Bounded, and of each kind only the latest version.
 */
export class EarlierWrites {
  /** By kind; the one that was written last comes last. */
  readonly #versions = new Map<string, string>();
  readonly #deletions = new RecentSet<EarlierDeletion>(rememberedDeletions);

  noteVersion(resource: Resource, version: string): void {
    const collection = collectionOf(resource);
    const known = this.#versions.get(collection);
    if (!isOrdered(version) || hasReached(known, version)) return;
    this.#versions.delete(collection);
    this.#versions.set(collection, version);
    if (this.#versions.size <= rememberedKinds) return;
    const [oldest] = this.#versions.keys();
    if (oldest !== undefined) this.#versions.delete(oldest);
  }

  noteDeletion(resource: Resource, outcome: GoneOutcome, atMs: number): void {
    this.#deletions.add({ collection: collectionOf(resource), outcome, atMs });
  }

  versionOf(resource: Resource): string | undefined {
    return this.#versions.get(collectionOf(resource));
  }

  /** Those of the kind that are not older than a moment. */
  *deletionsSince(resource: Resource, sinceMs: number): Iterable<EarlierDeletion> {
    const collection = collectionOf(resource);
    for (const deletion of this.#deletions.values()) {
      if (deletion.collection === collection && deletion.atMs >= sinceMs) yield deletion;
    }
  }
}

/** Versions of a kind in one API version are those of the same objects in another. */
function collectionOf({ group, plural }: Resource): string {
  return `${group}/${plural}`;
}
