import type { ApiUse } from "@keelson/core";
import { type Cluster, startCluster } from "@keelson/testkit";
import { afterAll, beforeAll, expect, it } from "vitest";
import { allows, makeClusterRole, rbacRules } from "../../src/index.ts";

const uses: readonly ApiUse[] = [
  { verb: "get", group: "", resource: "pods" },
  { verb: "list", group: "", resource: "pods" },
  { verb: "get", group: "", resource: "services" },
  { verb: "patch", group: "", resource: "services", subresource: "status" },
  { verb: "get", group: "", resource: "secrets", name: "certificate" },
  { verb: "create", group: "", resource: "secrets", name: "certificate" },
  { verb: "update", group: "*", resource: "*", subresource: "scale" },
  { verb: "get", nonResourceUrl: "/healthz/*" },
];

const others: readonly ApiUse[] = [
  { verb: "delete", group: "", resource: "pods" },
  { verb: "get", group: "", resource: "pods", subresource: "log" },
  { verb: "list", group: "", resource: "services" },
  { verb: "get", group: "", resource: "services", subresource: "status" },
  { verb: "get", group: "", resource: "secrets", name: "password" },
  { verb: "get", group: "", resource: "secrets" },
  { verb: "update", group: "apps", resource: "deployments" },
  { verb: "update", group: "apps", resource: "deployments", subresource: "scale" },
  { verb: "get", nonResourceUrl: "/healthz/etcd" },
  { verb: "get", nonResourceUrl: "/metrics" },
];

let controlPlane: Cluster;

beforeAll(async () => {
  controlPlane = await startCluster(process.env.KEELSON_LEVEL);
  const role = makeClusterRole("operator", rbacRules(uses));
  await controlPlane.kubectl(["create", "-f", "-"], { input: JSON.stringify(role) });
  await controlPlane.kubectl([
    "create",
    "clusterrolebinding",
    "operator",
    "--clusterrole=operator",
    "--user=ann",
  ]);
});
afterAll(() => controlPlane?.stop());

/** What the server says to a request of Ann's. */
async function review(use: ApiUse): Promise<string> {
  const attributes =
    "nonResourceUrl" in use
      ? { nonResourceAttributes: { verb: use.verb, path: use.nonResourceUrl } }
      : // The name is not in the request that creates an object.
        { resourceAttributes: use.verb === "create" ? { ...use, name: undefined } : use };
  const input = JSON.stringify({
    apiVersion: "authorization.k8s.io/v1",
    kind: "SubjectAccessReview",
    spec: { user: "ann", ...attributes },
  });
  return controlPlane.kubectl(["create", "-f", "-", "-o", "jsonpath={.status.allowed}"], { input });
}

it("allows every use", async () => {
  for (const use of uses) await expect.poll(() => review(use)).toBe("true");
});

it("allows other requests exactly where the evaluation of the rules says so", async () => {
  for (const use of others)
    expect([use, await review(use)]).toEqual([use, `${allows(rbacRules(uses), use)}`]);
});
