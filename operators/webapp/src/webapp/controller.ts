import {
  annotationsChanged,
  anyOf,
  controller,
  controllerOf,
  generationChanged,
  type ObjectKey,
  type Stored,
} from "keelson";
import { Deployment } from "keelson/kinds/apps/v1";
import { HorizontalPodAutoscaler } from "keelson/kinds/autoscaling/v2";
import { Service } from "keelson/kinds/core/v1";
import { Ingress } from "keelson/kinds/networking/v1";
import { WebApp } from "../api/web-app.ts";
import { reconcileWebApp } from "./reconcile.ts";

/** Enough to be limited by the API server. */
const concurrency = 16;

/** Reconciles a WebApp when its spec or an annotation changes or its deletion starts, when an object that it owns changes, and when an object of its name does. */
export const webappController = controller(WebApp, {
  concurrency,
  backoff: "oneSecondToFiveMinutes",
  // A status that a failed reconcile writes must not shorten the back-off; an annotation requests a reconcile.
  predicates: [anyOf(generationChanged, annotationsChanged)],
})
  .owns(Deployment)
  .owns(Service)
  .owns(Ingress)
  .owns(HorizontalPodAutoscaler)
  .watches(Deployment, namesake)
  .watches(Service, namesake)
  .watches(Ingress, namesake)
  .watches(HorizontalPodAutoscaler, namesake)
  .reconcile(reconcileWebApp);

/** The WebApp that may need the name of the object, unless it owns the object. */
function namesake(object: Stored): readonly ObjectKey[] {
  const { namespace = "", name } = object.metadata;
  const owner = controllerOf(object);
  return owner?.kind === WebApp.kind && owner.name === name ? [] : [{ namespace, name }];
}
