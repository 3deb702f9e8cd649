import { describe, expect, it } from "vitest";
import { type ApiCall, describeCall } from "./api-call.ts";
import { pathOf } from "./prepared-request.ts";

const Deployment = {
  group: "apps",
  version: "v1",
  kind: "Deployment",
  plural: "deployments",
  scope: "Namespaced",
} as const;
const Node = { group: "", version: "v1", kind: "Node", plural: "nodes", scope: "Cluster" } as const;

function call(parts: Partial<ApiCall>): ApiCall {
  return { verb: "get", resource: Deployment, query: {}, isStream: false, ...parts };
}

describe("the path of a call", () => {
  it.each([
    ["/apis/apps/v1/namespaces/shop/deployments/web", call({ namespace: "shop", name: "web" })],
    [
      "/apis/apps/v1/namespaces/shop/deployments/web/scale",
      call({ namespace: "shop", name: "web", subresource: "scale" }),
    ],
    ["/apis/apps/v1/namespaces/shop/deployments", call({ verb: "list", namespace: "shop" })],
    ["/apis/apps/v1/deployments", call({ verb: "watch" })],
    ["/api/v1/nodes/node-1", call({ resource: Node, name: "node-1" })],
    ["/api/v1/nodes/system%3Aa%3F", call({ resource: Node, name: "system:a?" })],
    [
      "/apis/apps/v1/deployments?limit=5&labelSelector=a%3Db%2Cc",
      call({ verb: "list", query: { limit: "5", labelSelector: "a=b,c", continue: undefined } }),
    ],
  ])("is %s", (path, made) => {
    expect(pathOf(made)).toBe(path);
  });

  it.each([
    [
      "get deployments.apps web: Deployment lives in a namespace; name it, or use inNamespace",
      call({ name: "web" }),
    ],
    [
      "get nodes shop/a: Node has no namespaces; leave shop out",
      call({ resource: Node, namespace: "shop", name: "a" }),
    ],
    [
      "get deployments.apps shop/: the object has no name; say which one is meant",
      call({ namespace: "shop", name: "" }),
    ],
  ])("is refused: %s", (message, made) => {
    expect(() => pathOf(made)).toThrow(message);
  });
});

it("names a call as people would", () => {
  expect(describeCall(call({ verb: "list" }))).toBe("list deployments.apps");
  expect(describeCall(call({ verb: "patch", namespace: "shop", name: "web", subresource: "status" }))).toBe(
    "patch deployments.apps/status shop/web",
  );
});
