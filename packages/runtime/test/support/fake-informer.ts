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

/** An informer without a server: a test says what it hears of. It has as many subscribers as there are. */
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

  /** Tells every subscriber, and waits until each is done. */
  async emit(event: InformerEvent<T>): Promise<void> {
    const id = formatKey(event.key);
    if (event.type === "delete") this.#objects.delete(id);
    else this.#objects.set(id, event.object);
    await Promise.all([...this.#subscribers].map((subscriber) => subscriber.tell(event)));
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

  /** All objects that there were in the beginning have been told. */
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
  readonly #leave: () => void;
  readonly options: SubscribeOptions;
  #last: Promise<void> = Promise.resolve();
  #isRemoved = false;

  constructor(
    informer: FakeInformer<T>,
    handler: InformerHandler<T>,
    options: SubscribeOptions,
    leave: () => void,
  ) {
    this.#informer = informer;
    this.#handler = handler;
    this.options = options;
    this.#leave = leave;
  }

  /** One event after the other. */
  tell(event: InformerEvent<T>): Promise<void> {
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
    this.#leave();
    await this.#last;
  }
}

/** Gives out one informer, to those who ask for its kind. */
export class FakeCache<T extends KubeObject> implements Cache {
  readonly informer: FakeInformer<T>;
  readonly acquired: AcquireOptions[] = [];
  readonly statuses: readonly InformerStatus[] = [];
  /** What `acquire` throws, if anything. */
  refusal: Error | undefined;

  constructor(informer: FakeInformer<T>) {
    this.informer = informer;
  }

  acquire<Asked extends KubeObject>(
    resource: Resource<Asked>,
    options: AcquireOptions = {},
  ): InformerLease<Asked> {
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

  async run(): Promise<void> {}

  async synced(): Promise<void> {}
}

function isOf<Asked extends KubeObject>(
  informer: InformerLease<KubeObject>,
  resource: Resource<Asked>,
): informer is InformerLease<Asked> {
  return informer.resource === resource;
}

function abortOf(signal: AbortSignal | undefined): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
  if (signal?.aborted) reject(signal.reason);
  return promise;
}
