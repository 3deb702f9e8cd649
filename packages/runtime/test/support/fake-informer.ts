import type { KubeObject, ObjectKey, Resource, Stored } from "@keelson/core";
import { formatKey, keyOf } from "@keelson/core";
import type { AcquireOptions, Cache, InformerLease } from "../../src/cache/cache.ts";
import type {
  InformerEvent,
  InformerHandler,
  InformerStatus,
  SubscribeOptions,
  Subscription,
} from "../../src/cache/informer/informer.ts";
import { noWatches } from "../../src/watch/reflector-options.ts";

/** An informer without a server: the test emits its events. */
export class FakeInformer<T extends KubeObject> implements InformerLease<T> {
  readonly resource: Resource<T>;
  readonly #objects = new Map<string, Stored<T>>();
  readonly #subscribers = new Set<FakeSubscription<T>>();
  readonly #synced = Promise.withResolvers<void>();
  hasSynced = false;
  releases = 0;
  lastError: Error | undefined;

  constructor(resource: Resource<T>) {
    this.resource = resource;
  }

  /** Notifies every subscriber, and waits until each has handled the event. */
  async emit(event: InformerEvent<T>): Promise<void> {
    const id = formatKey(event.key);
    if (event.type === "delete") this.#objects.delete(id);
    else this.#objects.set(id, event.object);
    await Promise.all([...this.#subscribers].map((subscriber) => subscriber.notify(event)));
  }

  create(object: Stored<T>, isInInitialList = false): Promise<void> {
    return this.emit({ type: "create", key: keyOf(object), object, isInInitialList });
  }

  update(old: Stored<T>, object: Stored<T>, isSync = false): Promise<void> {
    return this.emit({ type: "update", key: keyOf(object), old, object, isSync });
  }

  delete(object: Stored<T>, finalStateUnknown = false): Promise<void> {
    return this.emit({ type: "delete", key: keyOf(object), object, finalStateUnknown });
  }

  /** Marks the informer as synced: it has emitted all objects that existed at its start. */
  markSynced(): void {
    this.hasSynced = true;
    this.#synced.resolve();
  }

  async synced(signal?: AbortSignal): Promise<void> {
    await Promise.race([this.#synced.promise, abortOf(signal)]);
  }

  get(key: ObjectKey): Stored<T> | undefined {
    return this.#objects.get(formatKey(key));
  }

  list(): readonly Stored<T>[] {
    return [...this.#objects.values()];
  }

  addIndex(): void {
    throw new Error("add an index: the fake informer has none");
  }

  subscribe(handler: InformerHandler<T>, options: SubscribeOptions = {}): Subscription {
    const subscription = new FakeSubscription(this, handler, options, () =>
      this.#subscribers.delete(subscription),
    );
    this.#subscribers.add(subscription);
    return subscription;
  }

  async release(): Promise<void> {
    this.releases++;
  }

  get subscribers(): readonly FakeSubscription<T>[] {
    return [...this.#subscribers];
  }

  get statuses(): readonly InformerStatus[] {
    const { hasSynced, resource, lastError } = this;
    return [
      {
        name: resource.plural,
        hasSynced,
        objects: this.#objects.size,
        phase: hasSynced ? "watching" : "listing",
        resourceVersion: undefined,
        lastEventAtMs: undefined,
        lastBookmarkAtMs: undefined,
        bytesReceived: 0,
        lastEventLagMs: undefined,
        lists: 0,
        watches: noWatches(),
        ...(lastError !== undefined && { lastError }),
      },
    ];
  }
}

class FakeSubscription<T extends KubeObject> implements Subscription {
  readonly #informer: FakeInformer<T>;
  readonly #handler: InformerHandler<T>;
  readonly #onRemove: () => void;
  readonly options: SubscribeOptions;
  #last: Promise<void> = Promise.resolve();
  #isRemoved = false;

  constructor(
    informer: FakeInformer<T>,
    handler: InformerHandler<T>,
    options: SubscribeOptions,
    onRemove: () => void,
  ) {
    this.#informer = informer;
    this.#handler = handler;
    this.options = options;
    this.#onRemove = onRemove;
  }

  /** Handles one event after the other. */
  notify(event: InformerEvent<T>): Promise<void> {
    this.#last = this.#last.then(async () => {
      if (!this.#isRemoved) await this.#handler(event);
    });
    return this.#last;
  }

  get hasSynced(): boolean {
    return this.#informer.hasSynced;
  }

  async synced(signal?: AbortSignal): Promise<void> {
    await this.#informer.synced(signal);
    await this.#last;
  }

  async remove(): Promise<void> {
    this.#isRemoved = true;
    this.#onRemove();
    await this.#last;
  }
}

/** A cache with one informer. */
export class FakeCache<T extends KubeObject> implements Cache {
  readonly informer: FakeInformer<T>;
  readonly acquired: AcquireOptions[] = [];
  readonly statuses: readonly InformerStatus[] = [];
  /** The error that `acquire` throws, if it is set. */
  refusal: Error | undefined;

  constructor(informer: FakeInformer<T>) {
    this.informer = informer;
  }

  acquire<Requested extends KubeObject>(
    resource: Resource<Requested>,
    options: AcquireOptions = {},
  ): InformerLease<Requested> {
    if (this.refusal !== undefined) throw this.refusal;
    this.acquired.push(options);
    const { informer } = this;
    if (!isOf(informer, resource)) throw new Error(`acquire ${resource.plural}: this cache has another kind`);
    return informer;
  }

  addIndex(): void {
    throw new Error("add an index: the fake cache has none");
  }

  peek(): undefined {
    return undefined;
  }

  coversNamespace(): boolean {
    return true;
  }

  async run(): Promise<void> {}

  async synced(): Promise<void> {}
}

function isOf<Requested extends KubeObject>(
  informer: InformerLease<KubeObject>,
  resource: Resource<Requested>,
): informer is InformerLease<Requested> {
  return informer.resource === resource;
}

function abortOf(signal: AbortSignal | undefined): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
  if (signal?.aborted) reject(signal.reason);
  return promise;
}
