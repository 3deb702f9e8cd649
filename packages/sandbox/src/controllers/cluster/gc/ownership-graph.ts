import {
  type GenericObject,
  hasFinalizer,
  type OwnerReference,
  parseApiVersion,
  type Stored,
} from "@keelson/core";
import type { ResourceRegistry } from "../../../resource/resource-registry.ts";
import type { ControllerContext, StoredChange } from "../../controller.ts";
import { isBeingDeleted } from "../../workloads/pod-state.ts";

/** An object, where it is kept. */
interface StoredNode {
  readonly collection: string;
  readonly object: Stored<GenericObject>;
}

/** All stored objects by uid, and their owner references. As new as the store, which updates it within each write. */
export interface OwnershipGraph {
  apply(change: StoredChange): void;
  get(uid: string): StoredNode | undefined;
  /** The uids of those that name this one as their owner, whether it exists or not. */
  dependentsOf(uid: string): readonly string[];
}

export function createOwnershipGraph(): OwnershipGraph {
  const nodes = new Map<string, StoredNode>();
  const dependents = new Map<string, Set<string>>();

  function unlink(uid: string, object: Stored<GenericObject>): void {
    for (const { uid: owner } of ownersOf(object)) {
      const set = dependents.get(owner);
      set?.delete(uid);
      if (set?.size === 0) dependents.delete(owner);
    }
  }

  function link(uid: string, object: Stored<GenericObject>): void {
    for (const { uid: owner } of ownersOf(object)) {
      const set = dependents.get(owner);
      if (set === undefined) dependents.set(owner, new Set([uid]));
      else set.add(uid);
    }
  }

  return {
    apply({ type, collection, object, previous }) {
      const { uid } = object.metadata;
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

export function ownersOf({ metadata }: Stored<GenericObject>): readonly OwnerReference[] {
  return metadata.ownerReferences ?? [];
}

export interface ClassifiedOwners {
  /** They exist and stay. */
  readonly solid: readonly OwnerReference[];
  /** They do not exist: never did, not under that uid, or not in the namespace of the dependent. */
  readonly dangling: readonly OwnerReference[];
  /** They wait for this dependent to go. */
  readonly waiting: readonly OwnerReference[];
  /** Cannot be decided, because the kind is not served now, or may never own this object. */
  readonly unknown: readonly OwnerReference[];
}

export function classifyOwners(
  graph: OwnershipGraph,
  registry: ResourceRegistry,
  object: Stored<GenericObject>,
): ClassifiedOwners {
  const [solid, dangling, waiting, unknown]: OwnerReference[][] = [[], [], [], []];
  for (const reference of ownersOf(object)) {
    const verdict = verdictOn(graph, registry, object, reference);
    const list = { solid, dangling, waiting, unknown }[verdict];
    list?.push(reference);
  }
  return { solid: solid ?? [], dangling: dangling ?? [], waiting: waiting ?? [], unknown: unknown ?? [] };
}

function verdictOn(
  graph: OwnershipGraph,
  registry: ResourceRegistry,
  { metadata }: Stored<GenericObject>,
  { apiVersion, kind, name, uid }: OwnerReference,
): keyof ClassifiedOwners {
  const { group, version } = parseApiVersion(apiVersion);
  const resource = registry.findKind(group, version, kind);
  if (resource === undefined) return "unknown";
  const isNamespaced = resource.scope === "Namespaced";
  if (isNamespaced && metadata.namespace === undefined) return "unknown";
  const owner = graph.get(uid);
  const isThere =
    owner !== undefined &&
    owner.collection === resource.collection &&
    owner.object.metadata.name === name &&
    owner.object.metadata.namespace === (isNamespaced ? metadata.namespace : undefined);
  if (!isThere) return "dangling";
  return isDeletingDependents(owner.object) ? "waiting" : "solid";
}

/** By these finalizers a deletion says what is to become of dependents. */
export const orphanFinalizer = "orphan";
export const foregroundFinalizer = "foregroundDeletion";

/** Whether the deletion waits for the deletion of the dependents. */
export function isDeletingDependents(object: Stored<GenericObject>): boolean {
  return isBeingDeleted(object) && hasFinalizer(object, foregroundFinalizer);
}

/** Whether the deletion waits until the dependents have lost their reference to this owner. */
export function isOrphaningDependents(object: Stored<GenericObject>): boolean {
  return isBeingDeleted(object) && hasFinalizer(object, orphanFinalizer);
}

/** Records an Event for each owner that exists in another namespace and so cannot own this object. */
export function reportWrongNamespaces(
  { recordEvent }: ControllerContext,
  graph: OwnershipGraph,
  object: Stored<GenericObject>,
  references: readonly OwnerReference[],
): void {
  const namespace = object.metadata.namespace ?? "";
  for (const { apiVersion, kind, name, uid } of references) {
    const owner = graph.get(uid)?.object;
    if (owner?.metadata.namespace === undefined || owner.metadata.namespace === namespace) continue;
    const identity = `[${apiVersion}/${kind}, namespace: ${namespace}, name: ${name}, uid: ${uid}]`;
    recordEvent(object, {
      component: "garbage-collector-controller",
      type: "Warning",
      reason: "OwnerRefInvalidNamespace",
      message: `ownerRef ${identity} does not exist in namespace ${JSON.stringify(namespace)}`,
    });
  }
}
