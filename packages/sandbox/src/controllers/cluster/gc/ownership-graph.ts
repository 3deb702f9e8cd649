import type { GenericObject, OwnerReference } from "@keelson/core";
import type { StoreChange } from "../../../store/store.ts";

/** An object, where it is kept. */
export interface StoredNode {
  readonly collection: string;
  readonly object: GenericObject;
}

/** Everything that is stored, by uid, and who refers to whom. As new as the store: it is told within each write. */
export interface OwnershipGraph {
  apply(change: StoreChange): void;
  get(uid: string): StoredNode | undefined;
  /** The uids of those that name this one as their owner, whether it exists or not. */
  dependentsOf(uid: string): readonly string[];
}

export function createOwnershipGraph(): OwnershipGraph {
  const nodes = new Map<string, StoredNode>();
  const dependents = new Map<string, Set<string>>();

  function unlink(uid: string, object: GenericObject): void {
    for (const { uid: owner } of ownersOf(object)) {
      const set = dependents.get(owner);
      set?.delete(uid);
      if (set?.size === 0) dependents.delete(owner);
    }
  }

  function link(uid: string, object: GenericObject): void {
    for (const { uid: owner } of ownersOf(object)) {
      const set = dependents.get(owner);
      if (set === undefined) dependents.set(owner, new Set([uid]));
      else set.add(uid);
    }
  }

  return {
    apply({ type, collection, object, previous }) {
      const { uid = "" } = object.metadata;
      if (previous?.metadata.ownerReferences !== undefined) unlink(uid, previous);
      if (type === "DELETED") {
        unlink(uid, object);
        nodes.delete(uid);
        return;
      }
      nodes.set(uid, { collection, object });
      if (object.metadata.ownerReferences !== undefined) link(uid, object);
    },
    get: (uid) => nodes.get(uid),
    dependentsOf: (uid) => [...(dependents.get(uid) ?? [])],
  };
}

export function ownersOf({ metadata }: GenericObject): readonly OwnerReference[] {
  return metadata.ownerReferences ?? [];
}
