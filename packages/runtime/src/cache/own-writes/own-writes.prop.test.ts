import type { KubeObject, Stored } from "@keelson/core";
import fc from "fast-check";
import { expect, it } from "vitest";
import { stored } from "../../../test/support/stored.ts";
import { OwnWrites } from "./own-writes.ts";
import { hasReached } from "./version-order.ts";

interface Change {
  readonly version: string;
  readonly key: string;
  readonly uid: string;
  readonly isDeleted: boolean;
}

const stateOf = ({ key, uid, version }: Change): Stored =>
  stored({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: key, uid, resourceVersion: version } });

/** A server with a history, an informer that follows it late, and responses to own writes that come later still. */
class LateWorld {
  readonly history: Change[] = [];
  readonly #live = new Map<string, Change>();
  readonly #store = new Map<string, Change>();
  #delivered = 0;
  readonly #unconfirmed: Change[] = [];
  /** The latest own write whose response has come, by key. */
  readonly confirmed = new Map<string, string>();
  readonly deletedUids = new Set<string>();
  readonly writes = new OwnWrites<KubeObject>(
    {
      versionOf: (key) => this.#store.get(key)?.version,
      uidOf: (key) => this.#store.get(key)?.uid,
      areDeletionsFinal: true,
    },
    10_000,
  );

  write(key: string, isOwn: boolean): void {
    const uid = this.#live.get(key)?.uid ?? `uid-${this.history.length}`;
    this.#change({ version: this.#nextVersion(), key, uid, isDeleted: false }, isOwn);
  }

  remove(key: string, isOwn: boolean): void {
    const live = this.#live.get(key);
    if (live !== undefined)
      this.#change({ version: this.#nextVersion(), key, uid: live.uid, isDeleted: true }, isOwn);
  }

  /** Delivers the response to any of the open writes. */
  respond(pick: number): void {
    const [change] = this.#unconfirmed.splice(pick % Math.max(1, this.#unconfirmed.length), 1);
    if (change === undefined) return;
    const { key, version, uid, isDeleted } = change;
    if (isDeleted) {
      this.writes.recordDeletion(key, { uid }, 0);
      this.deletedUids.add(uid);
    } else {
      this.writes.recordObject(key, { version, uid, object: stateOf(change) });
      if (!hasReached(this.confirmed.get(key), version)) this.confirmed.set(key, version);
    }
  }

  /** The informer receives the next change. */
  deliver(): void {
    const change = this.history[this.#delivered];
    if (change === undefined) return;
    this.#delivered += 1;
    const { key, version, uid, isDeleted } = change;
    if (isDeleted) this.#store.delete(key);
    else this.#store.set(key, change);
    const deletion = isDeleted ? { deletedUid: uid } : {};
    this.writes.advance({ resourceVersion: version, keyText: key, ...deletion }, 0);
  }

  /** The informer lists everything, so that it does not receive the changes in between. */
  relist(): void {
    const version = this.history.at(-1)?.version;
    if (version === undefined) return;
    const gone = [...this.#store.values()].filter(({ key, uid }) => this.#live.get(key)?.uid !== uid);
    this.#delivered = this.history.length;
    this.#store.clear();
    for (const [key, change] of this.#live) this.#store.set(key, change);
    for (const { uid } of gone) this.writes.advance({ resourceVersion: version, deletedUid: uid }, 0);
    this.writes.advance({ resourceVersion: version }, 0);
  }

  settle(): void {
    while (this.#unconfirmed.length > 0) this.respond(0);
    while (this.#delivered < this.history.length) this.deliver();
  }

  stored(key: string): Change | undefined {
    return this.#store.get(key);
  }

  /** What a reader sees: a uid and a version, or nothing. */
  see(key: string): { readonly uid?: string; readonly version?: string } {
    const read = this.writes.read(key);
    if (read.type === "written")
      return {
        uid: read.object.metadata.uid ?? "",
        version: read.object.metadata.resourceVersion ?? "",
      };
    const stored = this.#store.get(key);
    return read.type === "stored" && stored !== undefined ? stored : {};
  }

  #nextVersion(): string {
    // Around 10 and 100, where versions that are compared as text go wrong.
    return String(this.history.length * 3 + 7);
  }

  #change(change: Change, isOwn: boolean): void {
    this.history.push(change);
    if (change.isDeleted) this.#live.delete(change.key);
    else this.#live.set(change.key, change);
    if (isOwn) this.#unconfirmed.push(change);
  }
}

const keys = ["a", "b", "c"];
const key = fc.constantFrom(...keys);
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant("write" as const), key, isOwn: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("remove" as const), key, isOwn: fc.boolean() }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("respond" as const), pick: fc.nat(5) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("deliver" as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("relist" as const) }) },
);

function take(world: LateWorld, next: typeof step extends fc.Arbitrary<infer Step> ? Step : never): void {
  if (next.do === "write") world.write(next.key, next.isOwn);
  else if (next.do === "remove") world.remove(next.key, next.isOwn);
  else if (next.do === "respond") world.respond(next.pick);
  else world[next.do]();
}

it("[RW1] [RW2] [RW6] a reader never sees an older state than the responses, a deleted object, or an older one than the store", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const world = new LateWorld();
      for (const next of steps) {
        take(world, next);
        for (const each of keys) {
          const { uid, version } = world.see(each);
          if (uid !== undefined) expect(world.deletedUids).not.toContain(uid);
          const stored = world.stored(each)?.version;
          if (version !== undefined && stored !== undefined) expect(hasReached(version, stored)).toBe(true);
          const confirmed = world.confirmed.get(each);
          if (confirmed === undefined) continue;
          // To see nothing is right only if it was deleted after the write.
          const wasDeletedLater = world.history.some(
            (change) => change.key === each && change.isDeleted && hasReached(change.version, confirmed),
          );
          if (version === undefined) expect(wasDeletedLater).toBe(true);
          else expect(hasReached(version, confirmed)).toBe(true);
        }
      }
    }),
    { numRuns: 500 },
  );
});

it("[RW5] nothing is held when all responses and events have come", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const world = new LateWorld();
      for (const next of steps) take(world, next);
      world.settle();
      // A deletion that the informer could not receive, because a list came in between, expires.
      world.writes.expire(10_000);
      expect(world.writes.size).toBe(0);
      for (const each of keys) expect(world.see(each).version).toBe(world.stored(each)?.version);
    }),
    { numRuns: 500 },
  );
});
