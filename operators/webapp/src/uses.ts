import { type ApiUse, usesOf } from "keelson";
import { Deployment } from "keelson/kinds/apps/v1";
import { HorizontalPodAutoscaler } from "keelson/kinds/autoscaling/v2";
import { Service } from "keelson/kinds/core/v1";
import { Ingress } from "keelson/kinds/networking/v1";
import { WebApp } from "./api/web-app.ts";

/** What the operator does beyond watching: an apply is a patch, and a creation if there is nothing yet. */
export const webappUses: readonly ApiUse[] = [
  ...usesOf(WebApp, ["patch"], "status"),
  // Where owner references that block a deletion are policed, they are an update of the owner's finalizers.
  ...usesOf(WebApp, ["update"], "finalizers"),
  ...usesOf(Deployment, ["create", "patch"]),
  ...usesOf(Service, ["create", "patch"]),
  ...usesOf(Ingress, ["create", "patch", "delete"]),
  ...usesOf(HorizontalPodAutoscaler, ["create", "patch", "delete"]),
];
