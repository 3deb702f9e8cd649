import { expect, it } from "vitest";
import { usesOf } from "./api-use.ts";
import { Deployment } from "./kinds/apps/v1.ts";

it("lists the uses of a kind and of its subresources, as RBAC names them", () => {
  expect(usesOf(Deployment, ["create", "patch"])).toEqual([
    { verb: "create", group: "apps", resource: "deployments" },
    { verb: "patch", group: "apps", resource: "deployments" },
  ]);
  expect(usesOf(Deployment, ["patch"], "status")).toEqual([
    { verb: "patch", group: "apps", resource: "deployments", subresource: "status" },
  ]);
});
