import {
  controllerOf,
  deepEqual,
  type KubeObject,
  keyOf,
  type LabelSelector,
  matchesLabels,
  type ObjectOfKind,
  ownerReferenceTo,
  type Resource,
  removeOwnerReference,
  type Stored,
} from "@keelson/core";
import { type ControllerContext, controllerManager, type ObjectChange } from "../controller.ts";
import { loopKey } from "../key-loop.ts";
import { ignoreNotFound } from "../refusals.ts";
import { byCreation, isBeingDeleted } from "./pod-state.ts";

/** The objects of a kind by their controller. As new as the store, which updates it within each write. */
export interface ControlledIndex<T extends KubeObject> {
  /** Oldest first. */
  controlledBy(owner: Stored): readonly Stored<T>[];
  /** Those of a namespace that have no controller. */
  orphansIn(namespace: string | undefined): readonly Stored<T>[];
  stop(): void;
}

export function indexByController<T extends KubeObject>(
  context: Pick<ControllerContext, "watch">,
  resource: Resource<T>,
  onChange: (change: ObjectChange<T>) => void,
): ControlledIndex<T> {
  const groups = new Map<string, Map<string, Stored<T>>>();

  function remove(object: Stored<T>): void {
    const group = groups.get(groupOf(object));
    group?.delete(loopKey(object));
    if (group?.size === 0) groups.delete(groupOf(object));
  }

  function add(object: Stored<T>): void {
    const name = groupOf(object);
    const group = groups.get(name) ?? new Map<string, Stored<T>>();
    group.set(loopKey(object), object);
    groups.set(name, group);
  }

  const stop = context.watch(resource, (change) => {
    if (change.previous !== undefined) remove(change.previous);
    if (change.type === "DELETED") remove(change.object);
    else add(change.object);
    onChange(change);
  });

  return {
    controlledBy: (owner) => [...(groups.get(owner.metadata.uid)?.values() ?? [])].sort(byCreation),
    orphansIn: (namespace) => [...(groups.get(orphans(namespace))?.values() ?? [])].sort(byCreation),
    stop,
  };
}

function groupOf(object: KubeObject): string {
  return controllerOf(object)?.uid ?? orphans(object.metadata.namespace);
}

function orphans(namespace: string | undefined): string {
  return `orphans in ${namespace}`;
}

export interface Claim<T extends KubeObject> {
  readonly owner: ObjectOfKind;
  readonly selector: LabelSelector | undefined;
  readonly resource: Resource<T>;
  /** The objects that the owner controls, and those without a controller. */
  readonly candidates: readonly Stored<T>[];
  /** Beside the selector: whether an object may be the owner's. Default: all may. */
  readonly accepts?: (object: Stored<T>) => boolean;
  /** Changes an adopted object, beside its owner reference. */
  readonly whenAdopted?: (object: Stored<T>) => T;
  /** Changes a released object, beside its owner reference. */
  readonly whenReleased?: (object: Stored<T>) => T;
}

/**
 * The candidates that belong to the owner, after it has adopted orphans that its selector finds and given up what it no
 * longer finds. An owner that is being deleted does neither.
 */
export async function claimObjects<T extends KubeObject>(
  context: Pick<ControllerContext, "objects">,
  claim: Claim<T>,
): Promise<readonly Stored<T>[]> {
  const { owner, selector, candidates, accepts = () => true } = claim;
  const claimed: Stored<T>[] = [];
  for (const object of candidates) {
    const controller = controllerOf(object);
    const matches = matchesLabels(selector, object.metadata.labels) && accepts(object);
    if (controller !== undefined && controller.uid !== owner.object.metadata.uid) continue;
    if (controller !== undefined && matches) claimed.push(object);
    else if (isBeingDeleted(owner.object)) continue;
    else if (controller !== undefined) await release(context, claim, object);
    else if (matches && !isBeingDeleted(object)) claimed.push(...(await adopt(context, claim, object)));
  }
  return claimed;
}

async function adopt<T extends KubeObject>(
  context: Pick<ControllerContext, "objects">,
  { owner, resource, whenAdopted = (object) => object }: Claim<T>,
  object: Stored<T>,
): Promise<readonly Stored<T>[]> {
  // An owner that was replaced by one of the same name must not adopt.
  if (context.objects.get(owner.resource, keyOf(owner.object))?.metadata.uid !== owner.object.metadata.uid)
    return [];
  const reference = ownerReferenceTo(owner, { controller: true, blockOwnerDeletion: true });
  const ownerReferences = [...(object.metadata.ownerReferences ?? []), reference];
  const adopted = whenAdopted({ ...object, metadata: { ...object.metadata, ownerReferences } });
  const written = await ignoreNotFound(
    context.objects.update(resource, adopted, { manager: controllerManager }),
  );
  return written === undefined ? [] : [written];
}

async function release<T extends KubeObject>(
  context: Pick<ControllerContext, "objects">,
  { owner, resource, whenReleased = (object) => object }: Claim<T>,
  object: Stored<T>,
): Promise<void> {
  const released = whenReleased(removeOwnerReference(owner.object, object));
  await ignoreNotFound(context.objects.update(resource, released, { manager: controllerManager }));
}

/** Replaces the status of an object, unless it says the same already. Gives the object as it is then. */
export async function writeStatus<T extends KubeObject & { readonly status?: object }>(
  { objects }: Pick<ControllerContext, "objects">,
  resource: Resource<T>,
  object: T,
  status: NonNullable<T["status"]>,
): Promise<T> {
  if (deepEqual(object.status, status)) return object;
  return await objects.update(
    resource,
    { ...object, status },
    {
      manager: controllerManager,
      subresource: "status",
    },
  );
}
