import { keyOf } from "@keelson/core";
import type { StatefulSet } from "@keelson/core/kinds/apps/v1";
import { PersistentVolumeClaim, Pod } from "@keelson/core/kinds/core/v1";
import { ApiError } from "../../../status/api-error.ts";
import type { ControllerContext } from "../../controller.ts";
import { controllerManager } from "../../manager-name.ts";
import { unlessGone } from "../claim.ts";
import { textOf } from "../pod-control.ts";
import { isBeingDeleted } from "../pod-state.ts";
import { hasStaleOwner, syncClaimOwners } from "./claim-owners.ts";
import { claimsOf, identityLabels, ordinalOf } from "./stateful-pod.ts";

type Context = Pick<ControllerContext, "objects" | "recordEvent">;

const component = "statefulset-controller";
const options = { manager: controllerManager };

/** Creates a pod and the claims that it needs. */
export async function createStatefulPod(context: Context, set: StatefulSet, pod: Pod): Promise<Pod> {
  try {
    await createClaims(context, set, pod);
    const created = await context.objects.create(Pod, pod, options);
    await syncClaimOwners(context, set, created);
    tell(
      context,
      set,
      "create",
      `Create Pod ${pod.metadata.name} in StatefulSet ${set.metadata.name} successful`,
    );
    return created;
  } catch (error) {
    if (!isTaken(error)) tellFailure(context, set, "create", pod, error);
    throw error;
  }
}

export async function createClaims(context: Context, set: StatefulSet, pod: Pod): Promise<void> {
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
      tell(context, set, "create", `Create ${subject} ${place} success`);
    } catch (error) {
      const message = `Create ${subject} for ${place} failed error: ${textOf(error)}`;
      context.recordEvent(set, { component, type: "Warning", reason: "FailedCreate", message });
      throw new Error(`failed to create PVC ${claim.metadata.name}: ${textOf(error)}`, { cause: error });
    }
  }
}

/** Whether the pod cannot be made yet, because a claim of its predecessor is still on its way out. */
export function isClaimStale({ objects }: Context, set: StatefulSet, pod: Pod): boolean {
  if (set.spec?.persistentVolumeClaimRetentionPolicy?.whenScaled !== "Delete") return false;
  return claimsOf(set, ordinalOf(set, pod) ?? 0).some((claim) => {
    const present = objects.get(PersistentVolumeClaim, keyOf(claim));
    return present !== undefined && hasStaleOwner(present, pod);
  });
}

export async function deleteStatefulPod(context: Context, set: StatefulSet, pod: Pod): Promise<void> {
  try {
    await unlessGone(context.objects.delete(Pod, keyOf(pod), options));
    tell(
      context,
      set,
      "delete",
      `Delete Pod ${pod.metadata.name} in StatefulSet ${set.metadata.name} successful`,
    );
  } catch (error) {
    tellFailure(context, set, "delete", pod, error);
    throw error;
  }
}

/** Gives a pod the labels of its identity back. */
export async function restoreIdentity(
  context: Context,
  set: StatefulSet,
  pod: Pod,
  ordinal: number,
): Promise<void> {
  const labels = identityLabels(set, pod, ordinal);
  await context.objects.update(Pod, { ...pod, metadata: { ...pod.metadata, labels } }, options);
  tell(
    context,
    set,
    "update",
    `Update Pod ${pod.metadata.name} in StatefulSet ${set.metadata.name} successful`,
  );
}

type Verb = "create" | "update" | "delete";

const titles: Readonly<Record<Verb, string>> = { create: "Create", update: "Update", delete: "Delete" };

function tell(context: Context, set: StatefulSet, verb: Verb, message: string): void {
  context.recordEvent(set, { component, type: "Normal", reason: `Successful${titles[verb]}`, message });
}

function tellFailure(context: Context, set: StatefulSet, verb: Verb, pod: Pod, error: unknown): void {
  const subject = `${titles[verb]} Pod ${pod.metadata.name} in StatefulSet ${set.metadata.name}`;
  const message = `${subject} failed error: ${textOf(error)}`;
  context.recordEvent(set, { component, type: "Warning", reason: `Failed${titles[verb]}`, message });
}

function isTaken(error: unknown): boolean {
  return error instanceof ApiError && error.status.reason === "AlreadyExists";
}
