import type { ResourceRegistry } from "../resource/resource-registry.ts";
import type { StoredObjects } from "../resource/strategy.ts";
import { type Store, storeKey } from "../store/store.ts";

/** Reads the present state of any kind that is served, in its storage version. */
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
