import type { Clock, GenericObject, KubeObject, Random, Resource, Stored } from "@keelson/core";
import { decoded } from "../resource/mutable-object.ts";
import type { ResourceRegistry } from "../resource/resource-registry.ts";
import type { ObjectApi } from "../server/write/object-api.ts";
import { pageNotFound } from "../status/api-error.ts";
import type { Store, StoreChange } from "../store/store.ts";
import {
  type ControllerContext,
  controllerManager,
  type ObjectChange,
  type StartController,
  type StoredChange,
} from "./controller.ts";
import { createEventRecorder } from "./event-recorder.ts";

export interface ControllersOptions {
  readonly objects: ObjectApi;
  readonly store: Store;
  readonly registry: ResourceRegistry;
  readonly clock: Clock;
  readonly random: Random;
  /** Is called with errors that the controllers retry. */
  onError(controller: string, error: unknown): void;
}

export interface RunningControllers {
  readonly context: ControllerContext;
  /** Waits for what the controllers are doing, and for the last Event to be written. */
  stop(): Promise<void>;
}

/** Starts controllers on a store, in the order given. */
export function runControllers(
  controllers: readonly StartController[],
  options: ControllersOptions,
): RunningControllers {
  const { objects, clock, random } = options;
  const ending = new AbortController();
  const recorder = createEventRecorder({
    objects,
    clock,
    manager: controllerManager,
    onError: (error) => options.onError("event-recorder", error),
  });
  const context: ControllerContext = {
    objects,
    clock,
    random,
    signal: ending.signal,
    watch: (resource, listener) => watch(options, resource, listener),
    watchAll: (listener) => watchAll(options.store, listener),
    registry: options.registry,
    store: options.store,
    recordEvent: (regarding, event) => recorder.record(regarding, event),
    reportError: (controller, error) => options.onError(controller, error),
  };
  const stops = controllers.map((start) => start(context));
  return {
    context,
    async stop() {
      ending.abort();
      await Promise.all(stops.map((stop) => stop()));
      await recorder.flush();
    },
  };
}

function watch<T extends KubeObject>(
  { store, registry, objects }: ControllersOptions,
  resource: Resource<T>,
  listener: (change: ObjectChange<T>) => void,
): () => void {
  const { group, version, plural } = resource;
  const served = registry.find(group, version, plural);
  if (served === undefined) throw pageNotFound();
  const { revision } = store;
  for (const object of objects.list(resource)) listener({ type: "ADDED", object });
  return store.subscribe(served.collection, revision, (change) => listener(typedChange<T>(change)));
}

function watchAll(store: Store, listener: (change: StoredChange) => void): () => void {
  const { revision } = store;
  for (const collection of store.collections()) {
    for (const object of store.list(collection)) {
      listener({ type: "ADDED", collection, object: decoded<Stored<GenericObject>>(object) });
    }
  }
  return store.subscribe(undefined, revision, (change) =>
    listener({ collection: change.collection, ...typedChange<GenericObject>(change) }),
  );
}

/** Every object in the store was checked by the schema of its kind, and has what the server gives to stored objects. */
function typedChange<T extends KubeObject>({ type, object, previous }: StoreChange): ObjectChange<T> {
  return {
    type,
    object: decoded<Stored<T>>(object),
    ...(previous === undefined ? {} : { previous: decoded<Stored<T>>(previous) }),
  };
}
