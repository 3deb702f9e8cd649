import { type DefinedResource, defineResource, type Immutable, type ObjectOf, z } from "keelson";
import type { KindNames } from "./cluster.ts";

const text = z.string().min(1);
const freeMap = z.record(z.string(), z.unknown());

const spec = z.object({
  chart: z.object({
    repo: z
      .url()
      .regex(/^https?:\/\/.+/)
      .describe("The URL of a Helm repository"),
    name: z.string().regex(/^[a-z0-9-]+$/),
  }),
  label: z.string().nullish().describe("Default: what the chart says"),
  logo: z.string().nullish().describe("Default: what the chart says"),
  description: z.string().nullish().describe("Default: what the chart says"),
  versionRange: z
    .string()
    .nullish()
    .describe("Constraints with commas between them, such as >=1.0.0,<2.0.0; default: >=0.0.0"),
  keepVersions: z.int().positive().nullish().describe("How many versions are offered; default: 5"),
  syncFrequency: z.int().positive().nullish().describe("In seconds; default: 86400"),
  defaultValues: freeMap.nullish().describe("Values that the app is deployed with"),
});

const version = z.object({
  name: z.string().describe("A version of the chart"),
  valuesSchema: freeMap.exactOptional(),
  uiSchema: freeMap.exactOptional(),
});

const status = z.looseObject({
  label: text.nullable().exactOptional(),
  logo: text.nullable().exactOptional(),
  description: text.nullable().exactOptional(),
  versions: z.array(version).exactOptional().describe("The newest one first"),
  lastSync: z.iso.datetime().nullable().exactOptional(),
  // Not known to the original, whose clients ignore both.
  observedGeneration: z.int().exactOptional().describe("Of the spec at the last sync"),
  syncedChart: z
    .object({ repo: z.string(), name: z.string() })
    .exactOptional()
    .describe("The chart that the versions are of"),
});

/** The kind of apps that can be deployed to Clusters: a chart, and the versions of it that are offered. */
export function appTemplateKind({
  apiGroup,
  crdCategories,
}: KindNames): DefinedResource<string, "v1alpha1", "AppTemplate", typeof spec, typeof status, "Cluster"> {
  return defineResource({
    group: apiGroup,
    version: "v1alpha1",
    kind: "AppTemplate",
    scope: "Cluster",
    categories: crdCategories,
    description: "An app that can be deployed to Clusters",
    spec,
    status,
    printerColumns: [
      { name: "Chart name", type: "string", jsonPath: ".spec.chart.name" },
      { name: "Version range", type: "string", jsonPath: ".spec.versionRange" },
      { name: "Keep versions", type: "integer", jsonPath: ".spec.keepVersions", priority: 1 },
      { name: "Sync freq.", type: "integer", jsonPath: ".spec.syncFrequency", priority: 1 },
      { name: "Label", type: "string", jsonPath: ".status.label" },
      { name: "Last sync", type: "date", jsonPath: ".status.lastSync" },
      { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
    ],
  });
}

export type AppTemplateKind = ReturnType<typeof appTemplateKind>;
export type AppTemplate = ObjectOf<AppTemplateKind>;
export type AppTemplateSpec = Immutable<z.output<typeof spec>>;
export type AppTemplateStatus = Immutable<z.output<typeof status>>;
export type AppVersion = Immutable<z.output<typeof version>>;
