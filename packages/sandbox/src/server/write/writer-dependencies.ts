import type { Clock, Random } from "@keelson/core";
import type { AdmissionChain } from "../../admission/admission.ts";
import type { ResourceRegistry } from "../../resource/resource-registry.ts";
import type { StoredObjects, WriteContext } from "../../resource/strategy.ts";
import { type Store, storeKey } from "../../store/store.ts";

export interface WriterDependencies {
  readonly store: Store;
  readonly registry: ResourceRegistry;
  /** Asked for each write: webhooks and policies come and go. */
  readonly admission: () => AdmissionChain;
  readonly clock: Clock;
  readonly random: Random;
}

/** What all steps of a write share. */
export interface WriterTools extends WriterDependencies {
  readonly read: StoredObjects;
}

export function withReader(dependencies: WriterDependencies): WriterTools {
  const { store, registry } = dependencies;
  const read: StoredObjects = {
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
  return { ...dependencies, read };
}

export function writeContext({ clock, read }: WriterTools, subresource: string | undefined): WriteContext {
  return { subresource, now: clock.now(), read };
}
