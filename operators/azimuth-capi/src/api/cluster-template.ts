import { type DefinedResource, defineResource, type Immutable, type ObjectOf, z } from "keelson";
import type { KindNames } from "./cluster.ts";

const text = z.string().min(1);

const spec = z.object({
  label: text.describe("The name for people"),
  description: text,
  deprecated: z.boolean().nullish().describe("Whether new Clusters may not use it; default: false"),
  tags: z.array(text).nullish(),
  values: z
    .looseObject({ kubernetesVersion: text, machineImageId: text })
    .describe("Values for the chart of clusters"),
});

/** The kind of templates of Clusters: which Kubernetes version they have, and with which values they are installed. */
export function clusterTemplateKind({
  apiGroup,
  crdCategories,
}: KindNames): DefinedResource<string, "v1alpha1", "ClusterTemplate", typeof spec, undefined, "Cluster"> {
  return defineResource({
    group: apiGroup,
    version: "v1alpha1",
    kind: "ClusterTemplate",
    scope: "Cluster",
    categories: crdCategories,
    description: "What Clusters are made of",
    spec,
    printerColumns: [
      { name: "Label", type: "string", jsonPath: ".spec.label" },
      { name: "Kubernetes Version", type: "string", jsonPath: ".spec.values.kubernetesVersion" },
      { name: "Deprecated", type: "boolean", jsonPath: ".spec.deprecated" },
      { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
    ],
  });
}

export type ClusterTemplateKind = ReturnType<typeof clusterTemplateKind>;
export type ClusterTemplate = ObjectOf<ClusterTemplateKind>;
export type ClusterTemplateSpec = Immutable<z.output<typeof spec>>;
