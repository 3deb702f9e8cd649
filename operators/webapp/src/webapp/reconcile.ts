import {
  isControlledBy,
  type KubeObject,
  type ObjectContext,
  type ReconcileResult,
  type Resource,
  type Stored,
} from "keelson";
import { Deployment } from "keelson/kinds/apps/v1";
import { HorizontalPodAutoscaler } from "keelson/kinds/autoscaling/v2";
import { Service } from "keelson/kinds/core/v1";
import { Ingress } from "keelson/kinds/networking/v1";
import { toError } from "keelson/low-level";
import type { WebApp } from "../api/web-app.ts";
import { applyOwnedObject, isRefusal, removeOwnedObject } from "./apply-owned-object.ts";
import { recordTransition } from "./events.ts";
import { decideDeployment } from "./replicas.ts";
import { makeAutoscaler } from "./resources/autoscaler.ts";
import { makeIngress } from "./resources/ingress.ts";
import { makeService } from "./resources/service.ts";
import type { Scope } from "./scope.ts";
import { statusOf } from "./status.ts";

/** After this time a WebApp is reconciled even if nothing happens. */
const resyncMs = 30_000;

/**
 * Brings the objects of a WebApp to the desired state, and its status to what they are. The first reconcile only sets the
 * phase Created, and requests the next one.
 *
 * There is no finalizer. All that a WebApp creates has an owner reference to it, so the garbage collector deletes it, also
 * while no operator runs; a finalizer would add nothing but a way to get stuck. The phase Deleting is seen while something
 * else holds the WebApp back: `kubectl delete --cascade=foreground`, or a finalizer of a user.
 */
export async function reconcileWebApp(context: ObjectContext<WebApp>): Promise<ReconcileResult> {
  const { object: webapp, log } = context;
  const found = await gather(context);
  const scope: Scope = { context, webapp, ...found, problems: [], isApplied: false };
  const isNew = webapp.status?.phase === undefined;
  const isDeleting = webapp.metadata.deletionTimestamp !== undefined;
  try {
    if (!isNew && !isDeleting) await applyOwnedObjects(scope);
  } catch (error) {
    // The first error is the cause: it is thrown even if the status cannot be written either.
    await updateStatus(scope).catch((second: unknown) =>
      log.warn("the status could not be written either", { error: toError(second) }),
    );
    throw error;
  }
  await updateStatus(scope);
  return { requeueAfterMs: isNew ? 1 : resyncMs };
}

async function updateStatus(scope: Scope): Promise<void> {
  const { clock, setStatus } = scope.context;
  const status = statusOf(scope, clock.now());
  const changed = await setStatus(status);
  if (changed) recordTransition(scope, status);
}

async function gather({
  object: webapp,
  find,
}: ObjectContext<WebApp>): Promise<Pick<Scope, "deployment" | "service">> {
  const own = async <T extends KubeObject>(resource: Resource<T>): Promise<Stored<T> | undefined> => {
    const object = await find(resource, webapp.metadata.name);
    return object !== undefined && isControlledBy(object, webapp) ? object : undefined;
  };
  return { deployment: await own(Deployment), service: await own(Service) };
}

/** If the server refuses one object, the other objects are still applied; the first refusal is thrown at the end. */
async function applyOwnedObjects(scope: Scope): Promise<void> {
  const steps = [applyDeployment, applyService, reconcileIngress, reconcileAutoscaler];
  let refusal: Error | undefined;
  for (const step of steps) {
    try {
      await step(scope);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      refusal ??= error;
    }
  }
  if (refusal !== undefined) throw refusal;
  scope.isApplied = true;
}

async function applyDeployment(scope: Scope): Promise<void> {
  // The autoscaler goes before the operator sets the number of pods again.
  if (scope.webapp.spec.autoscaling === undefined) await removeOwnedObject(scope, HorizontalPodAutoscaler);
  const applied = await applyOwnedObject(scope, Deployment, await decideDeployment(scope));
  scope.deployment = applied ?? scope.deployment;
}

async function applyService(scope: Scope): Promise<void> {
  const applied = await applyOwnedObject(scope, Service, makeService(scope.webapp));
  scope.service = applied ?? scope.service;
}

async function reconcileIngress(scope: Scope): Promise<void> {
  const { ingress } = scope.webapp.spec;
  if (ingress === undefined) await removeOwnedObject(scope, Ingress);
  else await applyOwnedObject(scope, Ingress, makeIngress(scope.webapp, ingress));
}

async function reconcileAutoscaler(scope: Scope): Promise<void> {
  const { autoscaling } = scope.webapp.spec;
  if (autoscaling !== undefined)
    await applyOwnedObject(scope, HorizontalPodAutoscaler, makeAutoscaler(scope.webapp, autoscaling));
}
