import {
  abortable,
  type CancelTimer,
  type Clock,
  type KubeObject,
  type ObjectKey,
  sleep,
  toError,
} from "@keelson/core";
import { Backlog } from "../backlog.ts";
import type { Snapshot } from "../watch/snapshot.ts";
import { SubscriptionRemovedError } from "./errors.ts";
import type { InformerHandler, Subscription } from "./informer.ts";
import { type InformerChange, toEvent } from "./informer-change.ts";

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
