import { jsonPatch, NotFoundError } from "@keelson/client";
import {
  addFinalizerPatch,
  type JsonPatchOperation,
  type KubeObject,
  keyOf,
  type ObjectKey,
  type Resource,
  removeFinalizerPatch,
  type Stored,
  toError,
} from "@keelson/core";
import { isRefusedPatch } from "../object/errors.ts";
import type { ObjectContext, ObjectReconciler } from "./object-context.ts";
import { outcomeOfResult } from "./outcome.ts";
import type { ReconcileResult, ReconcileRun } from "./reconciler.ts";

/** A clean-up that must succeed before an object may go, and the finalizer that holds the object back until then. */
export interface FinalizerDefinition<T extends KubeObject, Settings = unknown> {
  readonly name: string;
  /** Called for an object that is being deleted, until it returns nothing. */
  readonly cleanUp: ObjectReconciler<T, Settings>;
}

/** The reasons of the Events that show a clean-up which does not succeed. */
export const finalizerEventReasons = {
  /** The clean-up threw, and is tried again after a back-off. */
  failed: "CleanupFailed",
  /** The clean-up asked to be called again. */
  pending: "CleanupPending",
  /** The clean-up has been running for long. */
  slow: "CleanupSlow",
} as const;

/** After this time a clean-up that has not ended is shown by an Event. */
const slowMs = 30_000;

/** The object has changed since it was read: the next reconcile reads it again. */
export const staleObject = "stale";

type FinalizerPatch = (object: KubeObject, name: string) => readonly JsonPatchOperation[] | undefined;

/**
 * Adds the finalizers that are missing, each by a patch that holds only for the version that was read: none is added to an
 * object whose deletion has begun. Returns the object with them; undefined if it no longer exists.
 */
export function addFinalizers<T extends KubeObject>(
  run: ReconcileRun<ObjectKey>,
  resource: Resource<T>,
  object: Stored<T>,
  names: readonly string[],
): Promise<Stored<T> | typeof staleObject | undefined> {
  return changeFinalizers(run, resource, object, names, addFinalizerPatch);
}

/** Removes those of the finalizers that the object has, and no others; undefined if the object is deleted by that. */
export function removeFinalizers<T extends KubeObject>(
  run: ReconcileRun<ObjectKey>,
  resource: Resource<T>,
  object: Stored<T>,
  names: readonly string[],
): Promise<Stored<T> | typeof staleObject | undefined> {
  return changeFinalizers(run, resource, object, names, removeFinalizerPatch);
}

/** Calls the clean-up of a finalizer, with Events while it does not succeed. The stop of the controller is no failure. */
export async function callCleanUp(
  name: string,
  call: () => ReturnType<ObjectReconciler<KubeObject>>,
  context: Pick<ObjectContext<KubeObject>, "clock" | "event" | "signal">,
): Promise<ReconcileResult> {
  const { clock, event } = context;
  const cancelTimer = clock.schedule(slowMs, () =>
    event("Warning", finalizerEventReasons.slow, `finalizer ${name}: not finished after ${slowMs / 1000} s`),
  );
  try {
    const result = await call();
    if (isUnfinished(result))
      event("Normal", finalizerEventReasons.pending, `finalizer ${name}: waits for the clean-up to finish`);
    return result;
  } catch (error) {
    if (!context.signal.aborted)
      event("Warning", finalizerEventReasons.failed, `finalizer ${name}: ${toError(error).message}`);
    throw error;
  } finally {
    cancelTimer();
  }
}

/** Whether a clean-up returned anything but success, such as a requeue or an invalid result: its finalizer stays. */
export function isUnfinished(result: ReconcileResult): boolean {
  return outcomeOfResult(result).type !== "success";
}

async function changeFinalizers<T extends KubeObject>(
  run: ReconcileRun<ObjectKey>,
  resource: Resource<T>,
  object: Stored<T>,
  names: readonly string[],
  patchFor: FinalizerPatch,
): Promise<Stored<T> | typeof staleObject | undefined> {
  let current = object;
  for (const name of names) {
    const operations = patchFor(current, name);
    if (operations === undefined) continue;
    const patched = await patchFinalizers(run, resource, current, operations);
    if (patched === undefined || patched === staleObject) return patched;
    current = patched;
  }
  return current;
}

async function patchFinalizers<T extends KubeObject>(
  { client, fieldOwner }: ReconcileRun<ObjectKey>,
  resource: Resource<T>,
  object: Stored<T>,
  operations: readonly JsonPatchOperation[],
): Promise<Stored<T> | typeof staleObject | undefined> {
  try {
    return await client.patch(resource, keyOf(object), jsonPatch(operations), { fieldOwner });
  } catch (error) {
    if (error instanceof NotFoundError) return undefined;
    if (isRefusedPatch(error)) return staleObject;
    throw error;
  }
}
