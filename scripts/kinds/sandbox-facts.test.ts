import { expect, it } from "vitest";
import { factModules } from "./sandbox-facts.ts";
import type { Schema } from "./schema.ts";
import type { DiscoveredApi } from "./server-api.ts";

const schemas: Readonly<Record<string, Schema & { readonly description?: string }>> = {
  "io.k8s.api.core.v1.Pod": {
    type: "object",
    description: "Text of Kubernetes.",
    properties: {
      metadata: {
        allOf: [{ $ref: "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta" }],
        default: {},
      },
    },
    "x-kubernetes-group-version-kind": [{ group: "", version: "v1", kind: "Pod" }],
  },
  "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta": { type: "object" },
  "com.example.v1.Stranger": { type: "object" },
};

const pods = { name: "pods", singularName: "pod", namespaced: true, kind: "Pod", verbs: ["get"] };

const api: DiscoveredApi = {
  kubernetes: "v1.36.2",
  groups: [{ name: "autoscaling", versions: ["v2", "v1"] }],
  groupVersions: [{ group: "", version: "v1", kinds: [], resources: [pods] }],
  schemas: new Map(Object.entries(schemas)),
  unstored: [],
};

/** Module text without its header. */
function body(path: string): string | undefined {
  return factModules(api).get(path)?.split("do not edit.\n")[1];
}

it("writes the schemas of served groups and of what they use, without descriptions, one a line", () => {
  expect([...factModules(api).keys()]).toEqual([
    "core/v1.ts",
    "meta/v1.ts",
    "schema-modules.ts",
    "discovery.ts",
  ]);
  expect(body("core/v1.ts")).toBe(
    [
      "export const schemas: string = `{",
      '"io.k8s.api.core.v1.Pod":{"type":"object",' +
        '"x-kubernetes-group-version-kind":[{"group":"","version":"v1","kind":"Pod"}],' +
        '"properties":{"metadata":{"$ref":"io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta","default":{}}}}',
      "}`;\n",
    ].join("\n"),
  );
});

it("lists the modules of schemas", () => {
  expect(body("schema-modules.ts")).toContain('import { schemas as coreV1 } from "./core/v1.ts";');
  expect(body("schema-modules.ts")).toContain('["core/v1", coreV1],');
});

it("writes what discovery lists of groups and resources", () => {
  expect(body("discovery.ts")).toContain('"autoscaling":["v2","v1"]');
  expect(body("discovery.ts")).toContain(`"/v1/pods":${JSON.stringify(pods)}`);
});
