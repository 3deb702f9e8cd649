import { abortable, type KubeObject, type ObjectKey, type Resource, type Stored } from "@keelson/core";
import type {
  IndexFunction,
  Informer,
  InformerEvent,
  InformerHandler,
  InformerStatus,
  StoreQuery,
  SubscribeOptions,
  Subscription,
} from "./informer.ts";

/** Several informers of one kind with different objects, such as one per namespace, as one informer [IN17]. */
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

  /** The handler is called with one event at a time, whichever informer it comes from. Each informer keeps its order. */
  subscribe(handler: InformerHandler<T>, options?: SubscribeOptions): Subscription {
    const removed = new AbortController();
    const serialized = oneAtATime(handler, removed.signal);
    const subscriptions = this.#parts.map((part) => part.subscribe(serialized, options));
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

/**
 * A handler that several informers may call at once and that calls `handler` with one event after the other. Once the
 * signal has aborted, calls that wait are dropped.
 */
function oneAtATime<T extends KubeObject>(
  handler: InformerHandler<T>,
  signal: AbortSignal,
): InformerHandler<T> {
  let last: Promise<void> | undefined;
  const call = (event: InformerEvent<T>): void | Promise<void> => {
    const result = handler(event);
    if (result === undefined) return;
    const running = result.finally(() => {
      if (last === settled) last = undefined;
    });
    const settled = running.catch(() => undefined);
    last = settled;
    return running;
  };
  const callAfter = async (event: InformerEvent<T>): Promise<void> => {
    // Another call that waited may have been made first.
    while (last !== undefined) {
      if (await isAborted(last, signal)) return;
    }
    await call(event);
  };
  return (event) => {
    if (signal.aborted) return;
    return last === undefined ? call(event) : callAfter(event);
  };
}

async function isAborted(running: Promise<void>, signal: AbortSignal): Promise<boolean> {
  try {
    await abortable(running, signal);
    return false;
  } catch {
    // The call itself never fails here, so it was the signal: the subscription is removed.
    return true;
  }
}
