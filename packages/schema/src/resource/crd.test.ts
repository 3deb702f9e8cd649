import { expect, it } from "vitest";
import { pluralOf } from "./crd.ts";

it.each([
  ["WebApp", "webapps"],
  ["SharedSecret", "sharedsecrets"],
  ["BackUp", "backups"],
  ["NetworkPolicy", "networkpolicies"],
  ["Proxy", "proxies"],
  ["Gateway", "gateways"],
  ["Ingress", "ingresses"],
  ["Prefix", "prefixes"],
  ["Batch", "batches"],
  ["Mesh", "meshes"],
  ["Database", "databases"],
])("calls several %s %s", (kind, plural) => {
  expect(pluralOf(kind)).toBe(plural);
});
