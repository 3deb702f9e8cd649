import type { KubeObject, ObjectKey, Resource, Stored } from "@keelson/core";
import type {
  IndexFunction,
  Informer,
  InformerHandler,
  InformerStatus,
  StoreQuery,
  SubscribeOptions,
  Subscription,
} from "./informer.ts";
import { oneAtATime } from "./one-at-a-time.ts";

/** Several informers of one kind whose objects are not the same, such as of several namespaces, as one [IN17]. */
export class CombinedInformer<T extends KubeObject> implements Informer<T> {
  readonly resource: Resource<T>;
  readonly #parts: readonly Informer<T>[];

  constructor(resource: Resource<T>, parts: readonly Informer<T>[]) {
    this.resource = resource;
    this.#parts = parts;
  }

  get hasSynced(): boolean {
    return this.#parts.every(({ hasSynced }) => hasSynced);
  }

  async synced(signal?: AbortSignal): Promise<void> {
    await Promise.all(this.#parts.map((part) => part.synced(signal)));
  }

  get(key: ObjectKey): Stored<T> | undefined {
    for (const part of this.#parts) {
      const object = part.get(key);
      if (object !== undefined) return object;
    }
    return undefined;
  }

  list(query: StoreQuery = {}): readonly Stored<T>[] {
    const objects = this.#parts.flatMap((part) => part.list(query));
    return query.limit === undefined ? objects : objects.slice(0, query.limit);
  }

  addIndex(name: string, valuesOf: IndexFunction<T>): void {
    for (const part of this.#parts) part.addIndex(name, valuesOf);
  }

  /** The handler is called with one event at a time, whichever part it comes from. Each part keeps its order. */
  subscribe(handler: InformerHandler<T>, options?: SubscribeOptions): Subscription {
    const removed = new AbortController();
    const inTurn = oneAtATime(handler, removed.signal);
    const subscriptions = this.#parts.map((part) => part.subscribe(inTurn, options));
    return {
      get hasSynced() {
        return subscriptions.every(({ hasSynced }) => hasSynced);
      },
      async synced(signal) {
        await Promise.all(subscriptions.map((subscription) => subscription.synced(signal)));
      },
      async remove() {
        removed.abort(new Error("the subscription was removed"));
        await Promise.all(subscriptions.map((subscription) => subscription.remove()));
      },
    };
  }

  get statuses(): readonly InformerStatus[] {
    return this.#parts.flatMap(({ statuses }) => statuses);
  }
}
