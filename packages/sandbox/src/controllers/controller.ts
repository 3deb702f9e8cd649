import {
  type Clock,
  type GenericObject,
  genericResource,
  type KubeObject,
  type Random,
  type Resource,
  type Stored,
} from "@keelson/core";
import type { ResourceRegistry } from "../resource/resource-registry.ts";
import type { ServedResource } from "../resource/served-resource.ts";
import type { ObjectApi } from "../server/write/object-api.ts";
import type { Store } from "../store/store.ts";

/** What a controller of the embedded control plane works with. */
export interface ControllerContext {
  readonly objects: ObjectApi;
  readonly clock: Clock;
  readonly random: Random;
  /** Calls back for every object that exists now, then for every change. `object` of a deletion is the last state. */
  watch<T extends KubeObject>(resource: Resource<T>, listener: (change: ObjectChange<T>) => void): () => void;
  /** The same for the objects of all kinds, those of custom ones included, that come and go. */
  watchAll(listener: (change: StoredChange) => void): () => void;
  /** The kinds that are served now. */
  readonly registry: ResourceRegistry;
  /** For the few writes that do not go the common way: the binding of pods to nodes. */
  readonly store: Store;
  /** Records an Event for an object; never fails and never waits. */
  recordEvent(regarding: Stored, event: ControllerEvent): void;
  /** Reports an error that no caller receives; the controller retries what failed. */
  reportError(controller: string, error: unknown): void;
  readonly signal: AbortSignal;
}

export interface ObjectChange<T extends KubeObject> {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly object: Stored<T>;
  readonly previous?: Stored<T>;
}

/** A change of an object of any kind, with the collection that holds it. */
export interface StoredChange extends ObjectChange<GenericObject> {
  readonly collection: string;
}

export interface ControllerEvent {
  /** `deployment-controller` */
  readonly component: string;
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
}

/**
 * Starts working at once; gives a function that stops it. Many run side by side and know each other only by the store.
 */
export type StartController = (context: ControllerContext) => () => Promise<void>;

/** The field manager of what the controllers write. */
export const controllerManager = "kube-controller-manager";

/** The kind of a collection, in the stored version where that is served; undefined if it is not served any more. */
export function resourceOfCollection(
  registry: ResourceRegistry,
  collection: string,
): Resource<GenericObject> | undefined {
  let found: ServedResource | undefined;
  for (const resource of registry.all()) {
    if (resource.collection !== collection) continue;
    if (resource.version === resource.storageVersion) return genericResource(resource);
    found ??= resource;
  }
  return found && genericResource(found);
}
