import { expect, it } from "vitest";
import { makeClusterRole, makeRole } from "./roles.ts";

const rules = [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }];

it("makes the objects that hold rules", () => {
  expect(makeClusterRole("operator", rules)).toEqual({
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRole",
    metadata: { name: "operator" },
    rules,
  });
  expect(makeRole("shop", "operator", rules)).toEqual({
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "Role",
    metadata: { namespace: "shop", name: "operator" },
    rules,
  });
});
