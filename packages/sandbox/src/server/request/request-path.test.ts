import { describe, expect, test } from "vitest";
import { parseRequestPath } from "./request-path.ts";

function parse(method: string, path: string): ReturnType<typeof parseRequestPath> {
  const [bare = "", query = ""] = path.split("?");
  return parseRequestPath(method, bare, new URLSearchParams(query));
}

describe("the path of a request", () => {
  test.each([
    ["GET", "/api/v1/namespaces/shop/pods", "list", { namespace: "shop", resource: "pods", name: "" }],
    ["GET", "/api/v1/namespaces/shop/pods?watch=1", "watch", { resource: "pods" }],
    ["GET", "/api/v1/namespaces/shop/pods?watch=false", "list", { resource: "pods" }],
    ["GET", "/api/v1/namespaces/shop/pods?watch", "watch", { resource: "pods" }],
    ["GET", "/api/v1/namespaces/shop/pods/a?watch=1", "get", { resource: "pods", name: "a" }],
    ["GET", "/api/v1/pods?fieldSelector=metadata.name%3Da", "list", { name: "a", pathName: "" }],
    ["GET", "/api/v1/pods?fieldSelector=metadata.name!%3Da", "list", { name: "" }],
    [
      "GET",
      "/api/v1/watch/namespaces/shop/pods/a",
      "watch",
      { namespace: "shop", name: "a", isLegacyWatch: true },
    ],
    ["GET", "/api/v1/namespaces/shop", "get", { namespace: "shop", resource: "namespaces", name: "shop" }],
    [
      "PUT",
      "/api/v1/namespaces/shop/finalize",
      "update",
      { resource: "namespaces", subresource: "finalize" },
    ],
    ["GET", "/api/v1/namespaces//pods", "list", { namespace: "", resource: "pods" }],
    ["POST", "/api/v1/namespaces/shop/pods/a/eviction", "create", { subresource: "eviction" }],
    ["DELETE", "/apis/apps/v1/namespaces/shop/deployments", "deletecollection", { group: "apps" }],
    ["DELETE", "/apis/apps/v1/namespaces/shop/deployments/web/", "delete", { name: "web" }],
    ["PATCH", "/apis/apps/v1/namespaces/shop/deployments/web/status", "patch", { subresource: "status" }],
    ["GET", "/api/v1/namespaces/shop/pods/a%2Fb", "get", { name: "a", subresource: "b" }],
    ["GET", "/api/v1/nodes/n/proxy/a/b", "get", { subresource: "proxy", rest: ["a", "b"] }],
    ["FOO", "/api/v1/nodes", "", { resource: "nodes" }],
  ])("of %s %s is understood", (method, path, verb, target) => {
    expect(parse(method, path)).toMatchObject({ verb, target });
  });

  test.each(["/", "/version", "/api", "/api/v1", "/apis/apps/v1", "//api/v1/pods", "/foo/v1/pods"])(
    "%s names no resource",
    (path) => {
      expect(parse("GET", path)).toMatchObject({ path, verb: "get", target: undefined });
    },
  );

  test("is refused if it cannot be decoded", () => {
    expect(parse("GET", "/api/v1/%zz")).toBeUndefined();
    expect(parse("GET", "/api/v1/%ff%")).toBeUndefined();
  });

  test("may have bytes that are no text", () => {
    expect(parse("GET", "/api/v1/nodes/é%c3%a9%ff")?.target).toMatchObject({ name: "éé\udcff" });
  });
});
