import { describe, expect, it } from "vitest";
import { servedKinds, stableApi, unstoredKinds } from "./server-api.ts";

describe("the paths of an OpenAPI index", () => {
  it.each([
    ["api/v1", { group: "", version: "v1" }],
    ["apis/apps/v1", { group: "apps", version: "v1" }],
    ["apis/autoscaling/v2", { group: "autoscaling", version: "v2" }],
    ["apis/rbac.authorization.k8s.io/v1", { group: "rbac.authorization.k8s.io", version: "v1" }],
  ])("give the stable API %s", (path, api) => {
    expect(stableApi(path)).toEqual(api);
  });

  it.each(["apis", "apis/apps", "apis/apps/v1beta1", "apis/apps/v2alpha1", "version", "openid/v1/jwks"])(
    "give none for %s",
    (path) => {
      expect(stableApi(path)).toBeUndefined();
    },
  );
});

it("takes the kinds that have a path of their own, and leaves out subresources", () => {
  const resources = [
    { name: "pods", kind: "Pod", namespaced: true },
    { name: "pods/eviction", kind: "Eviction", namespaced: true },
    { name: "nodes", kind: "Node", namespaced: false },
  ];
  expect(servedKinds({ group: "", version: "v1" }, { resources })).toEqual([
    { group: "", version: "v1", kind: "Pod", plural: "pods", scope: "Namespaced" },
    { group: "", version: "v1", kind: "Node", plural: "nodes", scope: "Cluster" },
  ]);
});

it("takes kinds that are neither watched nor updated under any path for kinds that are not stored", () => {
  const resource = (name: string, kind: string, verbs: readonly string[]) => {
    return { name, kind, verbs, singularName: "", namespaced: true };
  };
  const token = resource("serviceaccounts/token", "TokenRequest", ["create"]);
  const resources = [
    resource("pods", "Pod", ["create", "get", "watch"]),
    resource("pods/status", "Pod", ["get", "patch"]),
    resource("pods/scale", "Scale", ["get", "patch", "update"]),
    resource("componentstatuses", "ComponentStatus", ["get", "list"]),
    { ...token, group: "authentication.k8s.io", version: "v1" },
  ];
  expect(unstoredKinds([{ group: "", version: "v1", resources }])).toEqual([
    { group: "", version: "v1", kind: "ComponentStatus" },
    { group: "authentication.k8s.io", version: "v1", kind: "TokenRequest" },
  ]);
});
