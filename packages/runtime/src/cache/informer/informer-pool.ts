import { type CancelTimer, type Clock, groupResourceOf, type KubeObject, type Resource } from "@keelson/core";
import type { InformerLease } from "../cache.ts";
import { InformerReleasedError } from "../errors.ts";
import type { CachedInformer } from "./cached-informer.ts";
import type { Informer, Subscription } from "./informer.ts";

/** What a cache does with an informer of any kind. */
export type AnyInformer = Pick<
  CachedInformer<KubeObject>,
  | "resource"
  | "start"
  | "stop"
  | "hasSynced"
  | "synced"
  | "statuses"
  | "recordWrite"
  | "requireAtLeast"
  | "listWithOwnWrites"
  | "ownWritesHeld"
  | "versions"
  | "requireVersions"
>;

interface Pooled {
  readonly informer: AnyInformer;
  uses: number;
}

/** Informers by what they watch, each with the number of its leases; the release of the last one stops it. */
export class InformerPool {
  readonly #pooled = new Map<string, Pooled>();
  /** The same by collection, in any version, representation or selection. */
  readonly #byCollection = new Map<string, AnyInformer[]>();
  /** Informers that are no longer in the pool and still running. */
  readonly #stopping = new Set<Promise<void>>();

  get(id: string): AnyInformer | undefined {
    return this.#pooled.get(id)?.informer;
  }

  *all(): Iterable<AnyInformer> {
    for (const { informer } of this.#pooled.values()) yield informer;
  }

  add(id: string, informer: AnyInformer): void {
    this.#pooled.set(id, { informer, uses: 0 });
    const name = groupResourceOf(informer.resource);
    this.#byCollection.set(name, [...this.ofCollection(informer.resource), informer]);
  }

  /** The informers of the same objects, in any version, representation or selection. */
  ofCollection(resource: Resource): readonly AnyInformer[] {
    return this.#byCollection.get(groupResourceOf(resource)) ?? [];
  }

  use(id: string): void {
    const pooled = this.#pooled.get(id);
    if (pooled !== undefined) pooled.uses += 1;
  }

  /** Does nothing for an informer that is not in the pool, even if another one has taken its place. */
  async release(id: string, informer: AnyInformer | undefined): Promise<void> {
    const pooled = this.#pooled.get(id);
    if (pooled === undefined || pooled.informer !== informer) return;
    pooled.uses -= 1;
    if (pooled.uses > 0) return;
    this.#pooled.delete(id);
    const others = this.ofCollection(informer.resource).filter((other) => other !== informer);
    this.#byCollection.set(groupResourceOf(informer.resource), others);
    await this.#stop(pooled.informer);
  }

  /** Resolves when no informer is running any more, released ones included. */
  async stopAll(): Promise<void> {
    const informers = [...this.all()];
    this.#pooled.clear();
    this.#byCollection.clear();
    await Promise.all([...informers.map((informer) => this.#stop(informer)), ...this.#stopping]);
  }

  #stop(informer: AnyInformer): Promise<void> {
    const stopping = informer.stop().finally(() => this.#stopping.delete(stopping));
    this.#stopping.add(stopping);
    return stopping;
  }
}

/** A lease of an informer that can be released once. Using it afterwards is an error. */
export function leaseOf<T extends KubeObject>(
  informer: Informer<T>,
  release: () => Promise<void>,
): InformerLease<T> {
  const { resource } = informer;
  const subscriptions = new Set<Subscription>();
  let released: Promise<void> | undefined;
  const use = (): Informer<T> => {
    if (released !== undefined) throw new InformerReleasedError(groupResourceOf(resource));
    return informer;
  };
  const end = async (): Promise<void> => {
    await Promise.all([...subscriptions].map((subscription) => subscription.remove()));
    await release();
  };
  return {
    resource,
    get hasSynced() {
      return released === undefined && informer.hasSynced;
    },
    get statuses() {
      return released === undefined ? informer.statuses : [];
    },
    synced: async (signal) => use().synced(signal),
    get: (key) => use().get(key),
    list: (query) => use().list(query),
    addIndex: (name, valuesOf) => use().addIndex(name, valuesOf),
    subscribe(handler, options) {
      const subscription = use().subscribe(handler, options);
      subscriptions.add(subscription);
      return {
        get hasSynced() {
          return subscription.hasSynced;
        },
        synced: (signal) => subscription.synced(signal),
        async remove() {
          subscriptions.delete(subscription);
          await subscription.remove();
        },
      };
    },
    async release() {
      released ??= end();
      await released;
    },
  };
}

/** A lease of the informers that serve the reads of a kind. */
interface ReadLease {
  release(): Promise<void>;
}

interface Held {
  readonly use: ReadLease;
  /** The number of open reads. While there is one, the lease is kept: the read may wait for the first sync. */
  reading: number;
  /** When the last one ended. */
  lastReadMs: number;
  cancel: CancelTimer | undefined;
}

/** Holds the leases of informers that reads have started, for good or until there was no read for some time. */
export class ReadLeases {
  readonly #clock: Clock;
  readonly #idleMs: number | undefined;
  readonly #held = new Map<string, Held>();

  /** Without `idleMs` no lease is released. */
  constructor(clock: Clock, idleMs: number | undefined) {
    this.#clock = clock;
    this.#idleMs = idleMs;
  }

  /** Holds a lease that a read has acquired. Replaces one of the same name, whose informer has ended. */
  begin(name: string, use: ReadLease): void {
    this.#held.get(name)?.cancel?.();
    const held: Held = { use, reading: 0, lastReadMs: this.#clock.monotonicNow(), cancel: undefined };
    this.#held.set(name, held);
    if (this.#idleMs !== undefined) this.#checkLater(name, held, this.#idleMs);
  }

  /** Marks the begin of a read, which ends on dispose. Undefined if no lease is held under the name. */
  read(name: string): Disposable | undefined {
    const held = this.#held.get(name);
    if (held === undefined) return undefined;
    held.reading += 1;
    return {
      [Symbol.dispose]: () => {
        held.reading -= 1;
        held.lastReadMs = this.#clock.monotonicNow();
      },
    };
  }

  /** Marks a read that begins and ends at once. Does nothing if no lease is held under the name. */
  touch(name: string): void {
    if (this.#idleMs === undefined) return;
    const held = this.#held.get(name);
    if (held !== undefined) held.lastReadMs = this.#clock.monotonicNow();
  }

  /** Forgets all leases without releasing them. */
  clear(): void {
    for (const { cancel } of this.#held.values()) cancel?.();
    this.#held.clear();
  }

  /** One timer per lease, however many reads: when it fires, it checks how long ago the last read was. */
  #checkLater(name: string, held: Held, idleMs: number): void {
    const nowMs = this.#clock.monotonicNow();
    const idleSinceMs = held.reading > 0 ? nowMs : held.lastReadMs;
    held.cancel = this.#clock.schedule(idleSinceMs + idleMs - nowMs, () => {
      const isUsed = held.reading > 0 || held.lastReadMs + idleMs > this.#clock.monotonicNow();
      if (isUsed) return this.#checkLater(name, held, idleMs);
      this.#held.delete(name);
      // A release does not fail: the cache waits for it when it stops.
      void held.use.release();
    });
  }
}
