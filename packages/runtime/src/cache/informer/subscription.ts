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
import { plainKey, type Snapshot } from "../../watch/snapshot.ts";
import { SubscriptionRemovedError } from "../errors.ts";
import type {
  InformerCreate,
  InformerDelete,
  InformerEvent,
  InformerHandler,
  InformerUpdate,
  Subscription,
} from "./informer.ts";

/** What has happened to an object of a store. */
export type InformerChange<T extends KubeObject> =
  | { readonly type: "create"; readonly snapshot: Snapshot<T>; readonly isInInitialList: boolean }
  | {
      readonly type: "update";
      readonly old: Snapshot<T>;
      readonly snapshot: Snapshot<T>;
      readonly isSync: boolean;
    }
  | { readonly type: "delete"; readonly snapshot: Snapshot<T>; readonly finalStateUnknown: boolean };

/** What it means that an object is now in a store, where there was this before [IN4, IN6]. */
export function changeTo<T extends KubeObject>(
  snapshot: Snapshot<T>,
  old: Snapshot<T> | undefined,
  isInInitialList = false,
): InformerChange<T> {
  if (old === undefined) return { type: "create", snapshot, isInInitialList };
  return { type: "update", old, snapshot, isSync: isSameVersion(old, snapshot) };
}

/** What it means that these are the objects now, where there were those before: what is gone comes first [IN5]. */
export function* changesBetween<T extends KubeObject>(
  before: ReadonlyMap<string, Snapshot<T>>,
  now: ReadonlyMap<string, Snapshot<T>>,
  isInInitialList: boolean,
): Iterable<InformerChange<T>> {
  for (const [keyText, snapshot] of before) {
    if (!now.has(keyText)) yield { type: "delete", snapshot, finalStateUnknown: true };
  }
  for (const [keyText, snapshot] of now) yield changeTo(snapshot, before.get(keyText), isInInitialList);
}

/** What a subscriber is told. Objects are parsed no earlier than it looks at them. */
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
/** For so long one subscriber may hear of changes before everything else in the process gets its turn. */
const turnMs = 10;

export interface InformerSubscriptionOptions<T extends KubeObject> {
  readonly handler: InformerHandler<T>;
  readonly clock: Clock;
  /** See SubscribeOptions. */
  readonly resyncMs?: number;
  /** What a resync delivers. */
  readonly snapshots: () => Iterable<Snapshot<T>>;
  /** The handler has thrown, or rejected, for a change to this key. */
  readonly onFailure: (key: ObjectKey, error: Error) => void;
  readonly onRemoved: (subscription: InformerSubscription<T>) => void;
}

/** Marks in the backlog that come after the last of something. */
type Mark = "initialEnd" | "resyncEnd";

/**
 * Tells one subscriber of changes, in order and one at a time, from a backlog of its own: it neither waits for other
 * subscribers nor do they for it [IN3]. The handler is never called before the one who delivers has returned [IN2].
 */
export class InformerSubscription<T extends KubeObject> implements Subscription {
  readonly #options: InformerSubscriptionOptions<T>;
  readonly #backlog = new Backlog<InformerChange<T> | Mark>();
  /** Resolves when the backlog is empty. Undefined while it is. */
  #delivering: Promise<void> | undefined;
  /** The handler is on the stack: who calls now is the handler itself. */
  #isInHandler = false;
  readonly #synced = Promise.withResolvers<void>();
  #hasSynced = false;
  readonly #removal = new AbortController();
  #isResyncPending = false;
  #cancelResync: CancelTimer | undefined;

  constructor(options: InformerSubscriptionOptions<T>) {
    this.#options = options;
    // Nobody may be waiting for it.
    this.#synced.promise.catch(() => undefined);
  }

  get hasSynced(): boolean {
    return this.#hasSynced;
  }

  /** Throws a SubscriptionRemovedError if it is removed before, or the informer stopped. */
  async synced(signal?: AbortSignal): Promise<void> {
    await abortable(this.#synced.promise, signal);
  }

  /** Syncs are only for subscribers that asked for resyncs [IN6]. */
  deliver(change: InformerChange<T>): void {
    if (this.#removal.signal.aborted) return;
    if (change.type === "update" && change.isSync && this.#options.resyncMs === undefined) return;
    this.#add(change);
  }

  /** The objects that were there at the beginning have all been delivered [IN10]. Resyncs begin from here. */
  endInitialList(): void {
    if (this.#removal.signal.aborted) return;
    this.#add("initialEnd");
    this.#scheduleResync();
  }

  /** Waits for a handler that is at work, unless it is called by that handler itself before its first `await`. */
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
    let turnEndsMs = clock.monotonicNow() + turnMs;
    for (let entry = this.#backlog.shift(); entry !== undefined; entry = this.#backlog.shift()) {
      const pending = typeof entry === "string" ? this.#pass(entry) : this.#call(entry);
      if (pending !== undefined) await pending;
      if (clock.monotonicNow() < turnEndsMs) continue;
      await this.#nextTurn();
      turnEndsMs = clock.monotonicNow() + turnMs;
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

  /** Whoever is told, such as a log that cannot be written, must not keep the subscriber from the next change. */
  #fail(key: ObjectKey, error: Error): void {
    try {
      this.#options.onFailure(key, error);
    } catch {
      // There is nobody else to tell.
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

  async #nextTurn(): Promise<void> {
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

  /** A subscriber that is not done with the last resync is not given another one: it would never catch up. */
  #resync(): void {
    if (this.#isResyncPending) return;
    this.#isResyncPending = true;
    for (const snapshot of this.#options.snapshots())
      this.deliver({ type: "update", old: snapshot, snapshot, isSync: true });
    this.#add("resyncEnd");
  }
}
