import { expect, it } from "vitest";
import { at, gadget, note, servedKind } from "../../test/support/writer-world.ts";
import { etcdKey } from "./etcd-key.ts";

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
])("returns the etcd key of %o", (resource, key) => {
  expect(etcdKey(at(resource, "a"))).toBe(key);
});
