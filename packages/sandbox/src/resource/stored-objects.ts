import { type Store, type StoredObject, storeKey } from "../store/store.ts";
import type { ResourceRegistry } from "./resource-registry.ts";

/** Reads current objects of any kind, in the storage version. */
export interface StoredObjects {
  get(resource: StoredKind, name: string, namespace?: string): StoredObject | undefined;
  list(resource: StoredKind, namespace?: string): readonly StoredObject[];
}

export interface StoredKind {
  readonly group: string;
  readonly plural: string;
}

/** Reads from the store, by the resources of the registry. */
export function storedObjects(store: Store, registry: ResourceRegistry): StoredObjects {
  return {
    get({ group, plural }, name, namespace) {
      const resource = registry.findStored(group, plural);
      return resource && store.get(resource.collection, storeKey(namespace, name));
    },
    list({ group, plural }, namespace) {
      const resource = registry.findStored(group, plural);
      if (resource === undefined) return [];
      return store.list(resource.collection, namespace === undefined ? {} : { namespace });
    },
  };
}
