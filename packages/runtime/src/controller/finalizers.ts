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

/**
 * Adds the missing finalizers by one guarded patch, and returns the object with them. The patch holds only for the version
 * that was read, so no finalizer is added to an object whose deletion has begun.
 */
export async function addFinalizers<T extends KubeObject>(
  run: ReconcileRun<ObjectKey>,
  resource: Resource<T>,
  object: Stored<T>,
  names: readonly string[],
): Promise<Stored<T> | typeof staleObject | undefined> {
  let current = object;
  for (const name of names) {
    const operations = addFinalizerPatch(current, name);
    if (operations === undefined) continue;
    const patched = await patchFinalizers(run, resource, current, operations);
    if (patched === undefined || patched === staleObject) return patched;
    current = patched;
  }
  return current;
}

/** Removes those of the finalizers that the object has, and no others; undefined if the object is deleted by that. */
export async function removeFinalizers<T extends KubeObject>(
  run: ReconcileRun<ObjectKey>,
  resource: Resource<T>,
  object: Stored<T>,
  names: readonly string[],
): Promise<Stored<T> | typeof staleObject | undefined> {
  let current = object;
  for (const name of names) {
    const operations = removeFinalizerPatch(current, name);
    if (operations === undefined) continue;
    const patched = await patchFinalizers(run, resource, current, operations);
    if (patched === undefined || patched === staleObject) return patched;
    current = patched;
  }
  return current;
}

/** The clean-up of the object, with Events while it does not succeed. */
export async function cleanUp<T extends KubeObject, Settings>(
  { name, cleanUp: call }: FinalizerDefinition<T, Settings>,
  context: ObjectContext<T, Settings>,
): Promise<ReconcileResult> {
  const { clock, event } = context;
  const cancelTimer = clock.schedule(slowMs, () =>
    event("Warning", finalizerEventReasons.slow, `finalizer ${name}: not finished after ${slowMs / 1000} s`),
  );
  try {
    const result = await call(context);
    if (isUnfinished(result))
      event("Normal", finalizerEventReasons.pending, `finalizer ${name}: waits for the clean-up to finish`);
    return result;
  } catch (error) {
    event("Warning", finalizerEventReasons.failed, `finalizer ${name}: ${toError(error).message}`);
    throw error;
  } finally {
    cancelTimer();
  }
}

/** Whether a clean-up asked to be called again, so that its finalizer stays. */
export function isUnfinished(result: ReconcileResult): boolean {
  return result !== undefined && (result.requeue === true || (result.requeueAfterMs ?? 0) > 0);
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
