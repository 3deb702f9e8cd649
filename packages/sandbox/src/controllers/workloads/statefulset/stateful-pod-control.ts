import {
  deepEqual,
  type KubeObject,
  keyOf,
  type OwnerReference,
  ownerReferenceTo,
  type Stored,
  toError,
} from "@keelson/core";
import { StatefulSet } from "@keelson/core/kinds/apps/v1";
import { PersistentVolumeClaim, Pod } from "@keelson/core/kinds/core/v1";
import { ApiError } from "../../../status/api-error.ts";
import { type ControllerContext, controllerManager } from "../../controller.ts";
import { ignoreNotFound } from "../../refusals.ts";
import { isBeingDeleted } from "../pod-state.ts";
import { claimsOf, identityLabels, isInRange, ordinalOf } from "./stateful-pod.ts";

type Context = Pick<ControllerContext, "objects" | "recordEvent">;

const component = "statefulset-controller";
const options = { manager: controllerManager };

/** Creates a pod and the claims that it needs. */
export async function createStatefulPod(
  context: Context,
  set: Stored<StatefulSet>,
  pod: Pod,
): Promise<Stored<Pod>> {
  try {
    await createClaims(context, set, pod);
    const created = await context.objects.create(Pod, pod, options);
    await syncClaimOwners(context, set, created);
    recordSuccess(
      context,
      set,
      "create",
      `Create Pod ${pod.metadata.name} in StatefulSet ${set.metadata.name} successful`,
    );
    return created;
  } catch (error) {
    if (!isTaken(error)) recordFailure(context, set, "create", pod, error);
    throw error;
  }
}

export async function createClaims(context: Context, set: Stored<StatefulSet>, pod: Pod): Promise<void> {
  const { objects } = context;
  for (const claim of claimsOf(set, ordinalOf(set, pod) ?? 0)) {
    const present = objects.get(PersistentVolumeClaim, keyOf(claim));
    if (present !== undefined && isBeingDeleted(present))
      throw new Error(`pvc ${claim.metadata.name} is being deleted`);
    if (present !== undefined) continue;
    const subject = `Claim ${claim.metadata.name}`;
    const place = `Pod ${pod.metadata.name} in StatefulSet ${set.metadata.name}`;
    try {
      await objects.create(PersistentVolumeClaim, claim, options);
      recordSuccess(context, set, "create", `Create ${subject} ${place} success`);
    } catch (error) {
      const message = `Create ${subject} for ${place} failed error: ${toError(error).message}`;
      context.recordEvent(set, { component, type: "Warning", reason: "FailedCreate", message });
      throw new Error(`failed to create PVC ${claim.metadata.name}: ${toError(error).message}`, {
        cause: error,
      });
    }
  }
}

/** Whether the pod cannot be created yet, because a claim of its predecessor is still being deleted. */
export function isClaimStale({ objects }: Context, set: Stored<StatefulSet>, pod: Pod): boolean {
  if (set.spec?.persistentVolumeClaimRetentionPolicy?.whenScaled !== "Delete") return false;
  return claimsOf(set, ordinalOf(set, pod) ?? 0).some((claim) => {
    const present = objects.get(PersistentVolumeClaim, keyOf(claim));
    return present !== undefined && hasStaleOwner(present, pod);
  });
}

export async function deleteStatefulPod(
  context: Context,
  set: Stored<StatefulSet>,
  pod: Stored<Pod>,
): Promise<void> {
  try {
    await ignoreNotFound(context.objects.delete(Pod, keyOf(pod), options));
    recordSuccess(
      context,
      set,
      "delete",
      `Delete Pod ${pod.metadata.name} in StatefulSet ${set.metadata.name} successful`,
    );
  } catch (error) {
    recordFailure(context, set, "delete", pod, error);
    throw error;
  }
}

/** Gives a pod the labels of its identity back. */
export async function restoreIdentity(
  context: Context,
  set: Stored<StatefulSet>,
  pod: Stored<Pod>,
  ordinal: number,
): Promise<void> {
  const labels = identityLabels(set, pod, ordinal);
  await context.objects.update(Pod, { ...pod, metadata: { ...pod.metadata, labels } }, options);
  recordSuccess(
    context,
    set,
    "update",
    `Update Pod ${pod.metadata.name} in StatefulSet ${set.metadata.name} successful`,
  );
}

type Verb = "create" | "update" | "delete";

const titles: Readonly<Record<Verb, string>> = { create: "Create", update: "Update", delete: "Delete" };

function recordSuccess(context: Context, set: Stored<StatefulSet>, verb: Verb, message: string): void {
  context.recordEvent(set, { component, type: "Normal", reason: `Successful${titles[verb]}`, message });
}

function recordFailure(
  context: Context,
  set: Stored<StatefulSet>,
  verb: Verb,
  pod: Pod,
  error: unknown,
): void {
  const subject = `${titles[verb]} Pod ${pod.metadata.name} in StatefulSet ${set.metadata.name}`;
  const message = `${subject} failed error: ${toError(error).message}`;
  context.recordEvent(set, { component, type: "Warning", reason: `Failed${titles[verb]}`, message });
}

function isTaken(error: unknown): boolean {
  return error instanceof ApiError && error.status.reason === "AlreadyExists";
}

/** Makes the claims of a pod go with the set, or with the pod when the set shrinks, as the retention policy says. */
export async function syncClaimOwners(
  context: Pick<ControllerContext, "objects" | "recordEvent">,
  set: Stored<StatefulSet>,
  pod: Stored<Pod>,
): Promise<void> {
  const { objects } = context;
  const ordinal = ordinalOf(set, pod);
  if (ordinal === undefined) return;
  for (const wanted of claimsOf(set, ordinal)) {
    const claim = objects.get(PersistentVolumeClaim, keyOf(wanted));
    if (claim === undefined || hasStaleOwner(claim, set) || hasStaleOwner(claim, pod)) continue;
    const ownerReferences = desiredOwners(set, pod, ordinal, claim);
    if (deepEqual(ownerReferences, claim.metadata.ownerReferences ?? [])) continue;
    const updated = { ...claim, metadata: { ...claim.metadata, ownerReferences } };
    await objects.update(PersistentVolumeClaim, updated, { manager: controllerManager });
  }
}

function desiredOwners(
  set: Stored<StatefulSet>,
  pod: Stored<Pod>,
  ordinal: number,
  { metadata }: Stored<PersistentVolumeClaim>,
): readonly OwnerReference[] {
  const { whenDeleted, whenScaled } = set.spec?.persistentVolumeClaimRetentionPolicy ?? {};
  const foreign = (metadata.ownerReferences ?? []).filter(
    ({ uid }) => uid !== set.metadata.uid && uid !== pod.metadata.uid,
  );
  // Another controller decides when the claim is deleted.
  if (foreign.some(({ controller }) => controller === true)) return foreign;
  const isCondemned = !isInRange(set, ordinal);
  const options = { controller: true, blockOwnerDeletion: true };
  if (isCondemned && whenScaled === "Delete") {
    return [...foreign, ownerReferenceTo({ object: pod, resource: Pod }, options)];
  }
  return whenDeleted === "Delete"
    ? [...foreign, ownerReferenceTo({ object: set, resource: StatefulSet }, options)]
    : foreign;
}

/** Whether a claim belongs to an earlier object of the same name, and so is about to go. */
function hasStaleOwner({ metadata }: Stored<PersistentVolumeClaim>, owner: KubeObject): boolean {
  return (metadata.ownerReferences ?? []).some(
    ({ kind, name, uid }) =>
      kind === owner.kind && name === owner.metadata.name && uid !== owner.metadata.uid,
  );
}
