import type { TransportRequest } from "@keelson/core";
import { describe, expect, it } from "vitest";
import { describeWrite, writeOf } from "./recorded-write.ts";

const request = (
  method: TransportRequest["method"],
  path: string,
  more: Partial<TransportRequest> = {},
): TransportRequest => ({ method, path, headers: {}, isStream: false, ...more });
const apply = { headers: { "content-type": "application/apply-patch+yaml" } };
const merge = { headers: { "content-type": "application/merge-patch+json" } };

describe("a request that writes", () => {
  it.each([
    ["POST", "/api/v1/namespaces", { body: '{"metadata":{"name":"shop"}}' }, "create namespaces shop"],
    [
      "POST",
      "/api/v1/namespaces/shop/pods",
      { body: '{"metadata":{"generateName":"a-"}}' },
      "create pods shop",
    ],
    [
      "POST",
      "/apis/apps/v1/namespaces/shop/deployments",
      { body: '{"metadata":{"name":"web"}}' },
      "create deployments.apps shop/web",
    ],
    ["POST", "/api/v1/namespaces/shop/pods/web/eviction", { body: "{}" }, "create pods/eviction shop/web"],
    ["PUT", "/apis/apps/v1/namespaces/shop/deployments/web", {}, "update deployments.apps shop/web"],
    [
      "PATCH",
      "/apis/apps/v1/namespaces/shop/deployments/web?fieldManager=a&force=true",
      apply,
      "apply deployments.apps shop/web",
    ],
    [
      "PATCH",
      "/apis/example.com/v1/namespaces/shop/webapps/web/status",
      merge,
      "patch webapps.example.com/status shop/web",
    ],
    ["PATCH", "/api/v1/nodes/hollow-1", merge, "patch nodes hollow-1"],
    ["PATCH", "/api/v1/namespaces/shop", merge, "patch namespaces shop"],
    ["PUT", "/api/v1/namespaces/shop/finalize", {}, "update namespaces/finalize shop"],
    ["DELETE", "/api/v1/namespaces/shop/pods/web", {}, "delete pods shop/web"],
    ["DELETE", "/api/v1/namespaces/shop/pods?labelSelector=a", {}, "deletecollection pods shop"],
    [
      "DELETE",
      "/apis/rbac.authorization.k8s.io/v1/clusterroles/system%3Aa",
      {},
      "delete clusterroles.rbac.authorization.k8s.io system:a",
    ],
  ] as const)("%s %s is described by verb and object", (method, path, more, text) => {
    const write = writeOf(request(method, path, more));
    expect(write && describeWrite(write)).toBe(text);
  });
});

describe("a request that changes nothing of what an operator looks after", () => {
  it.each([
    ["a read", "GET", "/api/v1/namespaces/shop/pods/web"],
    ["a dry run", "PATCH", "/api/v1/namespaces/shop/pods/web?dryRun=All"],
    ["an Event", "POST", "/apis/events.k8s.io/v1/namespaces/shop/events"],
    ["an Event of the core group", "PATCH", "/api/v1/namespaces/shop/events/web.1"],
    ["a Lease", "PUT", "/apis/coordination.k8s.io/v1/namespaces/shop/leases/web"],
    ["a review", "POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"],
  ] as const)("is not recorded: %s", (_, method, path) => {
    expect(writeOf(request(method, path))).toBeUndefined();
  });
});
