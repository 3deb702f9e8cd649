import {
  type Clock,
  find,
  isControlledBy,
  type KubeObject,
  type ObjectContext,
  type ReconcileResult,
  type Resource,
} from "keelson";
import { Deployment } from "keelson/kinds/apps/v1";
import { HorizontalPodAutoscaler } from "keelson/kinds/autoscaling/v2";
import { Service } from "keelson/kinds/core/v1";
import { Ingress } from "keelson/kinds/networking/v1";
import { toError } from "keelson/low-level";
import { writeStatus } from "keelson/object";
import { operatorName } from "../api/labels.ts";
import { WebApp } from "../api/web-app.ts";
import { applyChild, isRefusal, removeChild } from "./apply-child.ts";
import { tellTurn } from "./events.ts";
import { decideDeployment } from "./replicas.ts";
import { makeAutoscaler } from "./resources/autoscaler.ts";
import { makeIngress } from "./resources/ingress.ts";
import { makeService } from "./resources/service.ts";
import { childKey, type Scope } from "./scope.ts";
import { statusOf } from "./status.ts";

/** How long a WebApp goes unlooked at if nothing happens, blocked or not. */
const resyncMs = 30_000;

/**
 * One pass over a WebApp: its children as they are wanted, its status as they are. The first pass only says that it
 * was seen; its own write makes the next one run.
 *
 * There is no finalizer. All that a WebApp leaves behind has an owner reference to it, so the garbage collector takes it
 * away, also while no operator runs; a finalizer would add nothing but a way to get stuck. The phase Deleting is seen
 * while somebody else holds the WebApp: `kubectl delete --cascade=foreground`, or a finalizer of theirs.
 */
export async function reconcileWebApp(
  {
    object: webapp,
    client,
    liveClient,
    events,
    log,
  }: Pick<ObjectContext<WebApp>, "object" | "client" | "liveClient" | "events" | "log">,
  clock: Clock,
): Promise<ReconcileResult> {
  const found = await gather(webapp, client);
  const scope: Scope = { webapp, client, liveClient, events, ...found, problems: [], isApplied: false };
  const isNew = webapp.status?.phase === undefined;
  const isDeleting = webapp.metadata.deletionTimestamp !== undefined;
  try {
    if (!isNew && !isDeleting) await applyChildren(scope);
  } catch (error) {
    // What went wrong first says more: it is what is reported, whatever becomes of the status.
    await tellStatus(scope, clock).catch((second: unknown) =>
      log.warn("the status could not be written either", { error: toError(second) }),
    );
    throw error;
  }
  await tellStatus(scope, clock);
  return { requeueAfterMs: resyncMs };
}

async function tellStatus(scope: Scope, clock: Clock): Promise<void> {
  const { client, webapp } = scope;
  const status = statusOf(scope, clock.now());
  const isTurn = await writeStatus(client, WebApp, webapp, status, { fieldOwner: operatorName });
  if (isTurn) tellTurn(scope, status);
}

async function gather(
  webapp: WebApp,
  client: Scope["client"],
): Promise<Pick<Scope, "deployment" | "service">> {
  const own = async <T extends KubeObject>(resource: Resource<T>): Promise<T | undefined> => {
    const object = await find(client, resource, childKey(webapp));
    return object !== undefined && isControlledBy(object, webapp) ? object : undefined;
  };
  return { deployment: await own(Deployment), service: await own(Service) };
}

/** One that is refused does not keep the others away; the first refusal is thrown when all have had their turn. */
async function applyChildren(scope: Scope): Promise<void> {
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
  // Before the number of pods is ours again, nobody else may choose it.
  if (scope.webapp.spec.autoscaling === undefined) await removeChild(scope, HorizontalPodAutoscaler);
  const applied = await applyChild(scope, Deployment, await decideDeployment(scope));
  scope.deployment = applied ?? scope.deployment;
}

async function applyService(scope: Scope): Promise<void> {
  const applied = await applyChild(scope, Service, makeService(scope.webapp));
  scope.service = applied ?? scope.service;
}

async function reconcileIngress(scope: Scope): Promise<void> {
  const { ingress } = scope.webapp.spec;
  if (ingress === undefined) await removeChild(scope, Ingress);
  else await applyChild(scope, Ingress, makeIngress(scope.webapp, ingress));
}

async function reconcileAutoscaler(scope: Scope): Promise<void> {
  const { autoscaling } = scope.webapp.spec;
  if (autoscaling !== undefined)
    await applyChild(scope, HorizontalPodAutoscaler, makeAutoscaler(scope.webapp, autoscaling));
}
