import { isRecord } from "@keelson/core";
import { field, type Stage } from "../../stage.ts";
import { type Fields, manifest } from "../manifests.ts";
import type { Step } from "./session.ts";

/** A group of the case's own; kinds of other cases have the same names. */
const groupOf = ({ namespace }: Stage): string => `${namespace}.example.com`;

const schema: Fields = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      required: ["size"],
      properties: {
        size: { type: "integer", minimum: 1 },
        color: { type: "string", enum: ["red", "blue"], default: "blue" },
        parts: {
          type: "array",
          items: { type: "object", properties: { name: { type: "string" }, count: { type: "integer" } } },
        },
      },
    },
    status: { type: "object", properties: { size: { type: "integer" }, phase: { type: "string" } } },
  },
};

const version: Fields = {
  name: "v1",
  served: true,
  storage: true,
  schema: { openAPIV3Schema: schema },
  subresources: {
    status: {},
    scale: { specReplicasPath: ".spec.size", statusReplicasPath: ".status.size" },
  },
  additionalPrinterColumns: [
    { name: "Size", type: "integer", jsonPath: ".spec.size" },
    { name: "Color", type: "string", jsonPath: ".spec.color", priority: 1 },
    { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
  ],
};

/** A custom resource as a case writes it; `$ns` is replaced when it is given to kubectl. */
export function widget(name: string, spec: Fields = { size: 2 }, rest: Fields = {}): Fields {
  return manifest("$ns.example.com/v1", "Widget", name, { ...rest, spec });
}

/** Makes the kind `Widget` of the group `$ns.example.com`, and waits until it is served and documented. */
export const widgetsAreServed: Step = async (stage) => {
  const group = groupOf(stage);
  const names = { plural: "widgets", singular: "widget", kind: "Widget" };
  await stage.prepare(
    "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
    manifest("apiextensions.k8s.io/v1", "CustomResourceDefinition", `widgets.${group}`, {
      spec: { group, scope: "Namespaced", names, versions: [version] },
    }),
  );
  await stage.until(`/apis/${group}/v1`, (response) => field(response, "kind") === "APIResourceList");
  // kubectl finds kinds there, and the real server writes it later than the group's own list.
  const accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
  await stage.untilAnswer({ method: "GET", path: "/apis", headers: { accept } }, (response) =>
    JSON.stringify(field(response, "items") ?? "").includes(`"${group}"`),
  );
  await stage.until("/openapi/v3", (response) => {
    const paths = field(response, "paths");
    return isRecord(paths) && paths[`apis/${group}/v1`] !== undefined;
  });
};

/**
 * The list of documents that kubectl has kept from another case is asked for anew by its time, in whole seconds: what
 * came in the same second is not seen until that is over.
 */
export const documentsAreFresh: Step = (stage) => stage.pass(1_000);

export const widgetsAreRemoved: Step = async (stage) => {
  await stage.remove(`/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.${groupOf(stage)}`);
};
