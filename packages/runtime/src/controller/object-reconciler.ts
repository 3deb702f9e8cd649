import { type Client, NotFoundError } from "@keelson/client";
import type { KubeObject, ObjectKey, Resource, Stored } from "@keelson/core";
import type { Logger } from "../logger.ts";
import type { Trigger } from "../queue/work-item.ts";
import type { EventRecorder } from "./event-recorder.ts";
import type {
  ObjectContext,
  ObjectReconciler,
  ReconcileContext,
  ReconcileResult,
  Reconciler,
} from "./reconciler.ts";
import { Run } from "./run.ts";

/**
 * A reconciler of keys out of one of objects: it reads the object, and if there is none it is done without calling the
 * other [CT18]. Objects on their way out are passed on. `metadataOnly(kind)` reads the metadata only.
 */
export function reconcileObject<T extends KubeObject>(
  resource: Resource<T>,
  reconcile: ObjectReconciler<T>,
): Reconciler<ObjectKey> {
  const reconcileFound = async (context: ReconcileContext<ObjectKey>): Promise<ReconcileResult> => {
    const object = await findObject(resource, context);
    if (object !== undefined) return reconcile(new ContextWithObject(context, object));
    if (context instanceof Run) context.noteGone();
  };
  return (context) => {
    const object = context instanceof Run ? context.peek(resource, context.key) : undefined;
    return object === undefined ? reconcileFound(context) : reconcile(new ContextWithObject(context, object));
  };
}

/** Only that the object itself is not found means that it is gone: what the other does not find is an error. */
async function findObject<T extends KubeObject>(
  resource: Resource<T>,
  { client, key }: ReconcileContext<ObjectKey>,
): Promise<Stored<T> | undefined> {
  try {
    return await client.get(resource, key);
  } catch (error) {
    if (error instanceof NotFoundError) return undefined;
    throw error;
  }
}

/** Hands everything on, so that what nobody asks for is still not made. */
class ContextWithObject<T extends KubeObject> implements ObjectContext<T> {
  readonly object: Stored<T>;
  readonly #context: ReconcileContext<ObjectKey>;

  constructor(context: ReconcileContext<ObjectKey>, object: Stored<T>) {
    this.#context = context;
    this.object = object;
  }

  get key(): ObjectKey {
    return this.#context.key;
  }

  get client(): Client {
    return this.#context.client;
  }

  get liveClient(): Client {
    return this.#context.liveClient;
  }

  get log(): Logger {
    return this.#context.log;
  }

  get events(): EventRecorder {
    return this.#context.events;
  }

  get signal(): AbortSignal {
    return this.#context.signal;
  }

  get failures(): number {
    return this.#context.failures;
  }

  get reasons(): readonly Trigger[] {
    return this.#context.reasons;
  }

  get reasonCount(): number {
    return this.#context.reasonCount;
  }

  get reconcileId(): string {
    return this.#context.reconcileId;
  }
}
