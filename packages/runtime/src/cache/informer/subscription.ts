import {
  abortable,
  type CancelTimer,
  type Clock,
  type KubeObject,
  type ObjectKey,
  type Stored,
  sleep,
  toError,
} from "@keelson/core";
import { Backlog } from "../../backlog.ts";
import { lastReadable, plainKey, type Snapshot } from "../../watch/snapshot.ts";
import { SubscriptionRemovedError } from "../errors.ts";
import type {
  InformerCreate,
  InformerDelete,
  InformerEvent,
  InformerHandler,
  InformerUpdate,
  Subscription,
} from "./informer.ts";

/** A change of an object in a store. */
export type InformerChange<T extends KubeObject> =
  | { readonly type: "create"; readonly snapshot: Snapshot<T>; readonly isInInitialList: boolean }
  | {
      readonly type: "update";
      readonly old: Snapshot<T>;
      readonly snapshot: Snapshot<T>;
      readonly isSync: boolean;
    }
  | { readonly type: "delete"; readonly snapshot: Snapshot<T>; readonly finalStateUnknown: boolean };

/** The change when an object is stored; `old` was stored before [IN4, IN6]. */
export function changeTo<T extends KubeObject>(
  snapshot: Snapshot<T>,
  old: Snapshot<T> | undefined,
  isInInitialList = false,
): InformerChange<T> {
  if (old === undefined) return { type: "create", snapshot, isInInitialList };
  return { type: "update", old, snapshot, isSync: isSameVersion(old, snapshot) };
}

/** The changes when a store is replaced: deletions come first [IN5]. There are none to a state that cannot be read. */
export function* changesBetween<T extends KubeObject>(
  before: ReadonlyMap<string, Snapshot<T>>,
  now: ReadonlyMap<string, Snapshot<T>>,
  isInInitialList: boolean,
): Iterable<InformerChange<T>> {
  for (const [keyText, stored] of before) {
    const snapshot = now.has(keyText) ? undefined : lastReadable(stored);
    if (snapshot !== undefined) yield { type: "delete", snapshot, finalStateUnknown: true };
  }
  for (const [keyText, snapshot] of now) {
    if (snapshot.problem === undefined)
      yield changeTo(snapshot, lastReadable(before.get(keyText)), isInInitialList);
  }
}

/** The event for a subscriber. Objects are parsed no earlier than the subscriber reads them. */
function toEvent<T extends KubeObject>(change: InformerChange<T>): InformerEvent<T> {
  switch (change.type) {
    case "create":
      return new CreateEvent(change.snapshot, change.isInInitialList);
    case "update":
      return new UpdateEvent(change.old, change.snapshot, change.isSync);
    case "delete":
      return new DeleteEvent(change.snapshot, change.finalStateUnknown);
  }
}

function isSameVersion(a: Snapshot<KubeObject>, b: Snapshot<KubeObject>): boolean {
  return a.resourceVersion === b.resourceVersion && a.resourceVersion !== "";
}

class CreateEvent<T extends KubeObject> implements InformerCreate<T> {
  readonly type = "create";
  readonly key: ObjectKey;
  readonly isInInitialList: boolean;
  readonly #snapshot: Snapshot<T>;

  constructor(snapshot: Snapshot<T>, isInInitialList: boolean) {
    this.key = plainKey(snapshot);
    this.isInInitialList = isInInitialList;
    this.#snapshot = snapshot;
  }

  get object(): Stored<T> {
    return this.#snapshot.object;
  }
}

class UpdateEvent<T extends KubeObject> implements InformerUpdate<T> {
  readonly type = "update";
  readonly key: ObjectKey;
  readonly isSync: boolean;
  readonly #old: Snapshot<T>;
  readonly #snapshot: Snapshot<T>;

  constructor(old: Snapshot<T>, snapshot: Snapshot<T>, isSync: boolean) {
    this.key = plainKey(snapshot);
    this.isSync = isSync;
    this.#old = old;
    this.#snapshot = snapshot;
  }

  get old(): Stored<T> {
    return this.#old.object;
  }

  get object(): Stored<T> {
    return this.#snapshot.object;
  }
}

class DeleteEvent<T extends KubeObject> implements InformerDelete<T> {
  readonly type = "delete";
  readonly key: ObjectKey;
  readonly finalStateUnknown: boolean;
  readonly #snapshot: Snapshot<T>;

  constructor(snapshot: Snapshot<T>, finalStateUnknown: boolean) {
    this.key = plainKey(snapshot);
    this.finalStateUnknown = finalStateUnknown;
    this.#snapshot = snapshot;
  }

  get object(): Stored<T> {
    return this.#snapshot.object;
  }
}

const shortestResyncMs = 1_000;
/** How long one subscriber may receive changes before the event loop runs other tasks. */
const sliceMs = 10;

export interface InformerSubscriptionOptions<T extends KubeObject> {
  readonly handler: InformerHandler<T>;
  readonly clock: Clock;
  /** See SubscribeOptions. */
  readonly resyncMs?: number;
  /** The objects that a resync delivers. */
  readonly snapshots: () => Iterable<Snapshot<T>>;
  /** The handler has thrown, or rejected, for a change to this key. */
  readonly onFailure: (key: ObjectKey, error: Error) => void;
  readonly onRemoved: (subscription: InformerSubscription<T>) => void;
}

/** Entries of the backlog that mark the end of the initial list or of a resync. */
type Mark = "initialEnd" | "resyncEnd";

/**
 * Delivers changes to one subscriber, in order and one at a time, from a backlog of its own: subscribers do not wait for
 * each other [IN3]. The handler is never called before `deliver` has returned [IN2].
 */
export class InformerSubscription<T extends KubeObject> implements Subscription {
  readonly #options: InformerSubscriptionOptions<T>;
  readonly #backlog = new Backlog<InformerChange<T> | Mark>();
  /** Resolves when the backlog is empty. Undefined while it is. */
  #delivering: Promise<void> | undefined;
  /** The handler is on the stack, so a call now comes from the handler itself. */
  #isInHandler = false;
  readonly #synced = Promise.withResolvers<void>();
  #hasSynced = false;
  readonly #removal = new AbortController();
  #isResyncPending = false;
  #cancelResync: CancelTimer | undefined;

  constructor(options: InformerSubscriptionOptions<T>) {
    this.#options = options;
    // It may reject without a caller that waits for it.
    this.#synced.promise.catch(() => undefined);
  }

  get hasSynced(): boolean {
    return this.#hasSynced;
  }

  /** Throws a SubscriptionRemovedError if it is removed before, or the informer stopped. */
  async synced(signal?: AbortSignal): Promise<void> {
    await abortable(this.#synced.promise, signal);
  }

  /** Changes with `isSync` are only for subscribers with a resync period [IN6]. */
  deliver(change: InformerChange<T>): void {
    if (this.#removal.signal.aborted) return;
    if (change.type === "update" && change.isSync && this.#options.resyncMs === undefined) return;
    this.#add(change);
  }

  /** Marks that all objects of the initial list have been delivered [IN10]. Resyncs begin from here. */
  endInitialList(): void {
    if (this.#removal.signal.aborted) return;
    this.#add("initialEnd");
    this.#scheduleResync();
  }

  /** Waits for a handler that is running, unless that handler itself calls this before its first `await`. */
  async remove(): Promise<void> {
    if (!this.#removal.signal.aborted) {
      this.#removal.abort(new SubscriptionRemovedError());
      this.#synced.reject(this.#removal.signal.reason);
      this.#backlog.clear();
      this.#cancelResync?.();
      this.#options.onRemoved(this);
    }
    if (!this.#isInHandler) await this.#delivering;
  }

  #add(entry: InformerChange<T> | Mark): void {
    this.#backlog.push(entry);
    this.#delivering ??= this.#deliverAll();
  }

  async #deliverAll(): Promise<void> {
    await Promise.resolve();
    const { clock } = this.#options;
    let sliceEndsMs = clock.monotonicNow() + sliceMs;
    for (let entry = this.#backlog.shift(); entry !== undefined; entry = this.#backlog.shift()) {
      const pending = typeof entry === "string" ? this.#pass(entry) : this.#call(entry);
      if (pending !== undefined) await pending;
      if (clock.monotonicNow() < sliceEndsMs) continue;
      await this.#yield();
      sliceEndsMs = clock.monotonicNow() + sliceMs;
    }
    this.#delivering = undefined;
  }

  /** Undefined if there is nothing to wait for. */
  #call(change: InformerChange<T>): Promise<void> | undefined {
    const event = toEvent(change);
    const fail = (error: unknown): void => this.#fail(event.key, toError(error));
    this.#isInHandler = true;
    try {
      const result = this.#options.handler(event);
      return result === undefined ? undefined : Promise.resolve(result).catch(fail);
    } catch (error) {
      fail(error);
      return undefined;
    } finally {
      this.#isInHandler = false;
    }
  }

  /** An error of `onFailure`, such as a log that cannot be written, must not stop the delivery. */
  #fail(key: ObjectKey, error: Error): void {
    try {
      this.#options.onFailure(key, error);
    } catch {
      // There is no other place to report it.
    }
  }

  #pass(mark: Mark): undefined {
    if (mark === "resyncEnd") {
      this.#isResyncPending = false;
    } else {
      this.#hasSynced = true;
      this.#synced.resolve();
    }
  }

  async #yield(): Promise<void> {
    try {
      await sleep(this.#options.clock, 0, this.#removal.signal);
    } catch {
      // It has been removed, so that the backlog is empty and the loop ends.
    }
  }

  #scheduleResync(): void {
    const { resyncMs, clock } = this.#options;
    if (resyncMs === undefined) return;
    const delayMs = resyncMs > shortestResyncMs ? resyncMs : shortestResyncMs;
    this.#cancelResync = clock.schedule(delayMs, () => {
      this.#resync();
      this.#scheduleResync();
    });
  }

  /** A subscriber that has not finished the last resync gets no other one: it would never catch up. */
  #resync(): void {
    if (this.#isResyncPending) return;
    this.#isResyncPending = true;
    for (const snapshot of this.#options.snapshots())
      this.deliver({ type: "update", old: snapshot, snapshot, isSync: true });
    this.#add("resyncEnd");
  }
}
