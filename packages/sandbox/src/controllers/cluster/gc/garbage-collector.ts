import {
  type GenericObject,
  hasFinalizer,
  keyOf,
  type OwnerReference,
  type Resource,
  type Stored,
  withoutFinalizer,
} from "@keelson/core";
import type { DeleteOptions } from "../../../server/options/delete-options.ts";
import {
  type ControllerContext,
  controllerManager,
  resourceOfCollection,
  type StartController,
  type StoredChange,
} from "../../controller.ts";
import { startKeyLoop } from "../../key-loop.ts";
import { isBeingDeleted } from "../../workloads/pod-state.ts";
import {
  classifyOwners,
  createOwnershipGraph,
  foregroundFinalizer,
  isDeletingDependents,
  isOrphaningDependents,
  type OwnershipGraph,
  orphanFinalizer,
  ownersOf,
  reportWrongNamespaces,
} from "./ownership-graph.ts";

/**
 * Deletes objects whose owners do not exist, and completes the deletion of owners in the foreground or whose dependents
 * are to stay. Events are not part of the ownership graph.
 */
export const startGarbageCollector: StartController = (context) => {
  const graph = createOwnershipGraph();
  /** Of kinds that are not known now. */
  const undecided = new Set<string>();
  const loop = startKeyLoop({
    name: "garbage-collector-controller",
    context,
    workers: 20,
    reconcile: (uid) => reconcile({ context, graph, undecided, enqueue: loop.enqueue }, uid),
  });
  const stopWatching = context.watchAll((change) => {
    if (change.collection === "events") return;
    graph.apply(change);
    for (const uid of affectedBy(graph, change)) loop.enqueue(uid);
  });
  const stopListening = context.registry.onChange(() => {
    for (const uid of undecided) loop.enqueue(uid);
    undecided.clear();
  });
  return async () => {
    stopWatching();
    stopListening();
    await loop.stop();
  };
};

/** The uids of the objects that must be reconciled after a change. */
function affectedBy(graph: OwnershipGraph, { type, object, previous }: StoredChange): readonly string[] {
  const { uid } = object.metadata;
  const owners = ownersOf(object);
  const isDeleting = isBeingDeleted(object);
  if (
    owners.length === 0 &&
    previous?.metadata.ownerReferences === undefined &&
    !isDeleting &&
    type !== "DELETED"
  )
    return [];
  // Owners wait for those that go, and for those that no longer hold them up.
  const waitingOwners = [...owners, ...(previous === undefined ? [] : ownersOf(previous))].flatMap(
    (owner) => {
      const node = graph.get(owner.uid);
      return node !== undefined && isDeletingDependents(node.object) ? [owner.uid] : [];
    },
  );
  if (type === "DELETED") return [...graph.dependentsOf(uid), ...waitingOwners];
  const hasBegun =
    isDeletingDependents(object) && (previous === undefined || !isDeletingDependents(previous));
  const hasNewOwners = owners !== previous?.metadata.ownerReferences && owners.length > 0;
  return [
    ...waitingOwners,
    ...(hasBegun ? graph.dependentsOf(uid) : []),
    ...(hasNewOwners || isDeleting ? [uid] : []),
  ];
}

interface Collection {
  readonly context: ControllerContext;
  readonly graph: OwnershipGraph;
  readonly undecided: Set<string>;
  enqueue(uid: string): void;
}

async function reconcile(collection: Collection, uid: string): Promise<void> {
  const { context, graph, enqueue } = collection;
  const node = graph.get(uid);
  if (node === undefined) return;
  const { object } = node;
  const resource = resourceOfCollection(context.registry, node.collection);
  if (resource === undefined) return;
  if (isOrphaningDependents(object)) {
    await orphanDependents(collection, uid);
    await removeFinalizer(context, resource, object, orphanFinalizer);
    return;
  }
  if (isDeletingDependents(object)) {
    const blocking = blockingDependents(graph, uid);
    if (blocking.length === 0) await removeFinalizer(context, resource, object, foregroundFinalizer);
    for (const dependent of blocking) if (!isDeletingDependents(dependent.object)) enqueue(dependent.uid);
    return;
  }
  if (!isBeingDeleted(object) && ownersOf(object).length > 0) await collect(collection, resource, object);
}

/** Deletes an object without an existing owner, or removes the references to owners that do not exist. */
async function collect(
  { context, graph, undecided }: Collection,
  resource: Resource<GenericObject>,
  object: Stored<GenericObject>,
): Promise<void> {
  const { uid } = object.metadata;
  const { solid, dangling, waiting, unknown } = classifyOwners(graph, context.registry, object);
  reportWrongNamespaces(context, graph, object, [...dangling, ...unknown]);
  if (unknown.length > 0) {
    undecided.add(uid);
    return;
  }
  if (solid.length > 0) {
    if (dangling.length + waiting.length > 0) {
      await replaceOwners(context, resource, object, solid);
    }
    return;
  }
  const dependents = graph.dependentsOf(uid).flatMap((dependent) => graph.get(dependent) ?? []);
  if (waiting.length > 0 && dependents.length > 0) {
    // Two that wait for each other would wait for ever.
    if (dependents.some((dependent) => isDeletingDependents(dependent.object))) {
      const unblocked = ownersOf(object).map((owner) => ({ ...owner, blockOwnerDeletion: false }));
      await replaceOwners(context, resource, object, unblocked);
      await deleteObject(context, resource, graph.get(uid)?.object ?? object, "Foreground");
      return;
    }
    await deleteObject(context, resource, object, "Foreground");
    return;
  }
  await deleteObject(context, resource, object, policyOf(object));
}

function policyOf(object: Stored<GenericObject>): NonNullable<DeleteOptions["propagationPolicy"]> {
  if (hasFinalizer(object, orphanFinalizer)) return "Orphan";
  return hasFinalizer(object, foregroundFinalizer) ? "Foreground" : "Background";
}

function blockingDependents(
  graph: OwnershipGraph,
  owner: string,
): readonly { readonly uid: string; readonly object: Stored<GenericObject> }[] {
  return graph.dependentsOf(owner).flatMap((uid) => {
    const object = graph.get(uid)?.object;
    const isBlocking =
      object && ownersOf(object).some((one) => one.uid === owner && one.blockOwnerDeletion === true);
    return isBlocking ? [{ uid, object }] : [];
  });
}

async function orphanDependents({ context, graph }: Collection, owner: string): Promise<void> {
  for (const uid of graph.dependentsOf(owner)) {
    const node = graph.get(uid);
    const resource = node && resourceOfCollection(context.registry, node.collection);
    if (node === undefined || resource === undefined) continue;
    const remaining = ownersOf(node.object).filter((reference) => reference.uid !== owner);
    await replaceOwners(context, resource, node.object, remaining);
  }
}

async function replaceOwners(
  { objects }: ControllerContext,
  resource: Resource<GenericObject>,
  object: Stored<GenericObject>,
  owners: readonly OwnerReference[],
): Promise<void> {
  const { ownerReferences: _, ...rest } = object.metadata;
  const metadata = owners.length === 0 ? rest : { ...rest, ownerReferences: owners };
  await objects.update(resource, { ...object, metadata }, { manager: controllerManager });
}

async function removeFinalizer(
  { objects }: ControllerContext,
  resource: Resource<GenericObject>,
  object: Stored<GenericObject>,
  finalizer: string,
): Promise<void> {
  await objects.update(resource, withoutFinalizer(object, finalizer), { manager: controllerManager });
}

async function deleteObject(
  { objects }: ControllerContext,
  resource: Resource<GenericObject>,
  object: Stored<GenericObject>,
  propagationPolicy: NonNullable<DeleteOptions["propagationPolicy"]>,
): Promise<void> {
  const { uid, resourceVersion } = object.metadata;
  await objects.delete(resource, keyOf(object), {
    manager: controllerManager,
    propagationPolicy,
    preconditions: { uid, resourceVersion },
  });
}
