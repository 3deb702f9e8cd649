import { type DefinedResource, defineResource, type ObjectOf, type z } from "keelson";
import { nameRule } from "./rules.ts";
import { type WebAppSpec, type WebAppSpecInput, webAppSpec } from "./spec.ts";
import { type WebAppStatus, webAppStatus } from "./status.ts";

/** The kind of web applications: `kubectl get webapps`, or `wa` in short. */
export const WebApp: DefinedResource<
  "example.com",
  "v1",
  "WebApp",
  z.ZodType<WebAppSpec, WebAppSpecInput>,
  z.ZodType<WebAppStatus, WebAppStatus>
> = defineResource({
  group: "example.com",
  version: "v1",
  kind: "WebApp",
  scope: "Namespaced",
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
