import { expect, it } from "vitest";
import { builtinResourceFacts } from "./builtin-resources.ts";
import { builtinSchema } from "./builtin-schemas.ts";

function factsOf(
  group: string,
  version: string,
  plural: string,
): ReturnType<typeof builtinResourceFacts>[number] {
  const facts = builtinResourceFacts().find(
    (one) => one.group === group && one.version === version && one.plural === plural,
  );
  expect.assert(facts !== undefined);
  return facts;
}

it("describes a resource as discovery does", () => {
  expect(factsOf("apps", "v1", "deployments")).toMatchObject({
    kind: "Deployment",
    listKind: "DeploymentList",
    singular: "deployment",
    scope: "Namespaced",
    shortNames: ["deploy"],
    categories: ["all"],
    verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
    collection: "deployments.apps",
    storageVersion: "v1",
    storageVersionHash: "8aSe+NMegvE=",
  });
});

it("gives the kinds of subresources that belong to another group", () => {
  const { subresources } = factsOf("", "v1", "pods");
  expect(subresources.get("eviction")).toEqual({
    name: "eviction",
    verbs: ["create"],
    kind: "Eviction",
    group: "policy",
    version: "v1",
  });
  expect(factsOf("apps", "v1", "deployments").subresources.get("scale")).toMatchObject({
    kind: "Scale",
    group: "autoscaling",
    scale: { specReplicasPath: ".spec.replicas" },
  });
});

it("stores kinds that are served twice once", () => {
  expect(factsOf("events.k8s.io", "v1", "events").collection).toBe("events");
  expect(factsOf("autoscaling", "v1", "horizontalpodautoscalers").storageVersion).toBe("v2");
});

it("resolves references, also those that lead back", () => {
  const spec = builtinSchema("apps", "v1", "Deployment")?.properties?.spec?.properties?.template?.properties
    ?.spec;
  expect(spec?.properties?.containers).toMatchObject({
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["name"],
    "x-kubernetes-patch-merge-key": "name",
    items: { typeName: "v1.Container" },
  });
  const definition = builtinSchema("apiextensions.k8s.io", "v1", "CustomResourceDefinition");
  const version = definition?.properties?.spec?.properties?.versions?.items;
  const schema = version?.properties?.schema?.properties?.openAPIV3Schema;
  expect(schema?.properties?.properties?.additionalProperties).toMatchObject({
    typeName: "v1.JSONSchemaProps",
  });
  expect(builtinSchema("apps", "v1", "Deployment")).toBe(builtinSchema("apps", "v1", "Deployment"));
});

it.each([
  ["policy", "v1", "Eviction"],
  ["autoscaling", "v1", "Scale"],
  ["authentication.k8s.io", "v1", "TokenRequest"],
  ["", "v1", "Binding"],
  ["", "v1", "Status"],
  ["apps", "v1", "DeleteOptions"],
])("has the schema of %s/%s %s, which has no path of its own", (group, version, kind) => {
  expect(builtinSchema(group, version, kind)).toMatchObject({ type: "object", typeName: `v1.${kind}` });
});

it("has no schema of a kind that is not built in", () => {
  expect(builtinSchema("example.com", "v1", "Status")).toBeUndefined();
  expect(builtinSchema("apps", "v1", "Nothing")).toBeUndefined();
});

it("has a schema for the lists of all kinds that can be listed", () => {
  for (const { group, version, listKind, verbs } of builtinResourceFacts())
    if (verbs.includes("list")) expect(builtinSchema(group, version, listKind)).toBeDefined();
});
