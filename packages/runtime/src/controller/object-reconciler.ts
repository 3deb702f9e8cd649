import { find } from "@keelson/client";
import type { KubeObject, ObjectKey, Resource, Stored } from "@keelson/core";
import { reconcileContext } from "./context-view.ts";
import {
  addFinalizers,
  callCleanUp,
  type FinalizerDefinition,
  isUnfinished,
  removeFinalizers,
  staleObject,
} from "./finalizers.ts";
import { type ObjectReconciler, ObjectRun, objectContext } from "./object-context.ts";
import type { ReconcileResult, ReconcileRun, Reconciler } from "./reconciler.ts";

/** What a controller does with objects of a kind. */
export interface ObjectReconcilers<T extends KubeObject, Settings> {
  readonly reconcile: ObjectReconciler<T, Settings>;
  /** Held by every object from before its first reconcile until its clean-up has succeeded. */
  readonly finalizers: readonly FinalizerDefinition<T, Settings>[];
  /** Finalizers of former versions of the operator, removed from objects that still have them. */
  readonly droppedFinalizers: readonly string[];
  /** Called for a key whose object does not exist. Default: nothing is. */
  readonly notFound?: Reconciler<ObjectKey, Settings> | undefined;
}

type RunReconciler<Settings> = (
  run: ReconcileRun<ObjectKey, Settings>,
) => Promise<ReconcileResult> | ReconcileResult;

/**
 * Reconciles the object of a key; does nothing if it does not exist [CT18]. Without finalizers, objects that are being
 * deleted are reconciled like others; with them, they are cleaned up instead:
 *
 *     created ── add finalizers ──▶ reconcile … ── deletion ──▶ clean up until it succeeds ── remove finalizer ──▶ deleted
 *
 * `metadataOnly(kind)` reads the metadata only.
 */
export function objectReconciler<T extends KubeObject, Settings>(
  resource: Resource<T>,
  reconcilers: ObjectReconcilers<T, Settings>,
): RunReconciler<Settings> {
  const { finalizers, droppedFinalizers, reconcile, notFound } = reconcilers;
  const hasFinalizers = finalizers.length > 0 || droppedFinalizers.length > 0;
  const reconcileExisting = (
    run: ReconcileRun<ObjectKey, Settings>,
    object: Stored<T>,
  ): Promise<ReconcileResult> | ReconcileResult =>
    hasFinalizers
      ? reconcileWithFinalizers(run, resource, object, reconcilers)
      : reconcile(objectContext(new ObjectRun(run, resource, object)));
  const reconcileFound = async (run: ReconcileRun<ObjectKey, Settings>): Promise<ReconcileResult> => {
    // Only this read decides whether the object exists: a NotFoundError of the reconciler's own reads is an error.
    const object = await find(run.client, resource, run.key);
    if (object !== undefined) return reconcileExisting(run, object);
    run.objectNotFound();
    return notFound?.(reconcileContext(run));
  };
  return (run) => {
    const object = run.peek(resource, run.key);
    return object === undefined ? reconcileFound(run) : reconcileExisting(run, object);
  };
}

async function reconcileWithFinalizers<T extends KubeObject, Settings>(
  run: ReconcileRun<ObjectKey, Settings>,
  resource: Resource<T>,
  read: Stored<T>,
  { reconcile, finalizers, droppedFinalizers }: ObjectReconcilers<T, Settings>,
): Promise<ReconcileResult> {
  const object = await removeFinalizers(run, resource, read, droppedFinalizers);
  if (object === staleObject) return { requeue: true };
  if (object === undefined) return undefined;
  if (object.metadata.deletionTimestamp !== undefined) return finalize(run, resource, object, finalizers);
  const names = finalizers.map(({ name }) => name);
  const held = await addFinalizers(run, resource, object, names);
  if (held === staleObject) return { requeue: true };
  return held === undefined ? undefined : reconcile(objectContext(new ObjectRun(run, resource, held)));
}

/** Cleans up in the order of declaration; a clean-up that is not finished holds back those after it. */
async function finalize<T extends KubeObject, Settings>(
  run: ReconcileRun<ObjectKey, Settings>,
  resource: Resource<T>,
  read: Stored<T>,
  finalizers: readonly FinalizerDefinition<T, Settings>[],
): Promise<ReconcileResult> {
  let object = read;
  for (const finalizer of finalizers) {
    if (object.metadata.finalizers?.includes(finalizer.name) !== true) continue;
    const context = objectContext(new ObjectRun(run, resource, object));
    const result = await callCleanUp(finalizer.name, () => finalizer.cleanUp(context), context);
    if (isUnfinished(result)) return result;
    const left = await removeFinalizers(run, resource, object, [finalizer.name]);
    if (left === staleObject) return { requeue: true };
    if (left === undefined) return undefined;
    object = left;
  }
  return undefined;
}
