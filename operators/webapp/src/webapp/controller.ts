import {
  type Clock,
  type ControllerDefinition,
  controller,
  controllerOf,
  type KubeObject,
  type ObjectKey,
} from "keelson";
import { Deployment } from "keelson/kinds/apps/v1";
import { HorizontalPodAutoscaler } from "keelson/kinds/autoscaling/v2";
import { Service } from "keelson/kinds/core/v1";
import { Ingress } from "keelson/kinds/networking/v1";
import { WebApp } from "../api/web-app.ts";
import { reconcileWebApp } from "./reconcile.ts";
import { childKey } from "./scope.ts";

/** Enough to be limited by the API server. */
const concurrency = 16;

/** The controller of all WebApps: it wakes for them, for what they own, and for what has the name of what they want to own. */
export function webappController(clock: Clock): ControllerDefinition {
  return controller(WebApp, { concurrency, backoff: "oneSecondToFiveMinutes" })
    .owns(Deployment, { verbs: ["create", "patch"] })
    .owns(Service, { verbs: ["create", "patch"] })
    .owns(Ingress)
    .owns(HorizontalPodAutoscaler)
    .watches(Deployment, namesake)
    .watches(Service, namesake)
    .watches(Ingress, namesake)
    .watches(HorizontalPodAutoscaler, namesake)
    .reconcile((context) => reconcileWebApp(context, clock));
}

/** The WebApp that an object keeps from having a child of this name, if there is one; not the one that owns it. */
function namesake(object: KubeObject): readonly ObjectKey[] {
  const key = childKey(object);
  const owner = controllerOf(object);
  return owner?.kind === WebApp.kind && owner.name === key.name ? [] : [key];
}
