import { expect, it } from "vitest";
import { at, gadget, note, servedKind } from "../../../test/support/writer-world.ts";
import { registryKey } from "./registry-key.ts";

it.each([
  [note, "/registry/notes/shop/a"],
  [gadget, "/registry/example.com/gadgets/shop/a"],
  [servedKind("Node", { scope: "Cluster" }), "/registry/minions/a"],
  [servedKind("Service"), "/registry/services/specs/shop/a"],
  [servedKind("Deployment", { group: "apps" }), "/registry/deployments/shop/a"],
  [
    servedKind("APIService", { group: "apiregistration.k8s.io", scope: "Cluster" }),
    "/registry/apiregistration.k8s.io/apiservices/a",
  ],
])("names the place of %o in etcd", (resource, key) => {
  expect(registryKey(at(resource, "a"))).toBe(key);
});
