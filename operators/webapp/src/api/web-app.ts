import { defineResource, type InputOf, type ObjectOf } from "keelson";
import { nameRule } from "./rules.ts";
import { webAppSpec } from "./spec.ts";
import { webAppStatus } from "./status.ts";

/** The kind of web applications: `kubectl get webapps`, or `wa` in short. */
export const WebApp = defineResource({
  group: "example.com",
  version: "v1",
  kind: "WebApp",
  shortNames: ["wa"],
  categories: ["all"],
  description: "A web application: a Deployment and a Service, on request an Ingress and an autoscaler.",
  spec: webAppSpec,
  status: webAppStatus,
  rules: [{ rule: nameRule.rule, message: nameRule.message }],
  scale: { labelSelectorPath: ".status.selector" },
  printerColumns: [
    { name: "Phase", type: "string", jsonPath: ".status.phase" },
    { name: "Replicas", type: "integer", jsonPath: ".status.replicas" },
    { name: "Available", type: "integer", jsonPath: ".status.availableReplicas" },
    { name: "URL", type: "string", jsonPath: ".status.url" },
    { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
    { name: "Image", type: "string", jsonPath: ".spec.image", priority: 1 },
  ],
});

export type WebApp = ObjectOf<typeof WebApp>;

/** A WebApp as a user writes it. */
export type NewWebApp = InputOf<typeof WebApp>;
