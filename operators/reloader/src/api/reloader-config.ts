import { defineResource, type InputOf, type ObjectOf } from "keelson";
import { spec } from "./spec.ts";
import { status } from "./status.ts";

/** Which workloads are reloaded when which resources change: `kubectl get rlc`. */
export const ReloaderConfig = defineResource({
  group: "reloader.stakater.com",
  version: "v1alpha1",
  kind: "ReloaderConfig",
  plural: "reloaderconfigs",
  shortNames: ["rlc"],
  description: "Which workloads are reloaded when which Secrets and ConfigMaps change",
  spec,
  status,
  printerColumns: [
    { name: "Strategy", type: "string", jsonPath: ".status.strategy" },
    { name: "Targets", type: "integer", jsonPath: ".status.targets" },
    { name: "Reloads", type: "integer", jsonPath: ".status.reloadCount" },
    { name: "Last Reload", type: "date", jsonPath: ".status.lastReloadTime" },
    {
      name: "Available",
      type: "string",
      jsonPath: '.status.conditions[?(@.type=="Available")].status',
      priority: 1,
    },
    {
      name: "Degraded",
      type: "string",
      jsonPath: '.status.conditions[?(@.type=="Degraded")].reason',
      priority: 1,
    },
    { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
  ],
});

export type ReloaderConfig = ObjectOf<typeof ReloaderConfig>;

/** A ReloaderConfig as a user writes it. */
export type NewReloaderConfig = InputOf<typeof ReloaderConfig>;
