import { groupResourceOf, type KubeObject } from "@keelson/core";
import type { InformerLease } from "./cache.ts";
import { InformerReleasedError } from "./errors.ts";
import type { Informer, Subscription } from "./informer.ts";

/** A use of an informer that can be given back once. What is asked of it afterwards is an error. */
export function leaseOf<T extends KubeObject>(
  informer: Informer<T>,
  giveBack: () => Promise<void>,
): InformerLease<T> {
  const { resource } = informer;
  const subscriptions = new Set<Subscription>();
  let released: Promise<void> | undefined;
  const use = (): Informer<T> => {
    if (released !== undefined) throw new InformerReleasedError(groupResourceOf(resource));
    return informer;
  };
  const end = async (): Promise<void> => {
    await Promise.all([...subscriptions].map((subscription) => subscription.remove()));
    await giveBack();
  };
  return {
    resource,
    get hasSynced() {
      return released === undefined && informer.hasSynced;
    },
    get statuses() {
      return released === undefined ? informer.statuses : [];
    },
    synced: async (signal) => use().synced(signal),
    get: (key) => use().get(key),
    list: (query) => use().list(query),
    addIndex: (name, valuesOf) => use().addIndex(name, valuesOf),
    subscribe(handler, options) {
      const subscription = use().subscribe(handler, options);
      subscriptions.add(subscription);
      return {
        get hasSynced() {
          return subscription.hasSynced;
        },
        synced: (signal) => subscription.synced(signal),
        async remove() {
          subscriptions.delete(subscription);
          await subscription.remove();
        },
      };
    },
    async release() {
      released ??= end();
      await released;
    },
  };
}
