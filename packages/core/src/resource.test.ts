import { describe, expect, it } from "vitest";
import {
  apiVersionOf,
  formatKey,
  genericResource,
  groupResourceOf,
  kindOf,
  metadataOnly,
  parseApiVersion,
} from "./resource.ts";

const deployments = {
  group: "apps",
  version: "v1",
  kind: "Deployment",
  plural: "deployments",
  scope: "Namespaced",
} as const;

describe("a kind", () => {
  it("is named by group and version, or the version alone in the core group", () => {
    expect(apiVersionOf(deployments)).toBe("apps/v1");
    expect(apiVersionOf({ group: "", version: "v1" })).toBe("v1");
    expect(parseApiVersion("apps/v1")).toEqual({ group: "apps", version: "v1" });
    expect(parseApiVersion("v1")).toEqual({ group: "", version: "v1" });
  });

  it("is read from an object", () => {
    expect(kindOf({ apiVersion: "apps/v1", kind: "Deployment" })).toEqual({
      group: "apps",
      version: "v1",
      kind: "Deployment",
    });
    expect(kindOf({ apiVersion: "v1", kind: "Pod" })).toEqual({ group: "", version: "v1", kind: "Pod" });
  });

  it("is called by its plural and group", () => {
    expect(groupResourceOf(deployments)).toBe("deployments.apps");
    expect(groupResourceOf({ plural: "pods", group: "" })).toBe("pods");
  });

  it("takes from a description only what addresses its objects", () => {
    const described = { ...deployments, verbs: ["get"], isMetadataOnly: true as const };
    expect(genericResource(described)).toEqual(deployments);
    expect(genericResource(described)).not.toHaveProperty("verbs");
    expect(metadataOnly(described)).toEqual({ ...deployments, isMetadataOnly: true });
  });
});

describe("the key of an object", () => {
  it("has its namespace unless there is none", () => {
    expect(formatKey({ namespace: "shop", name: "web" })).toBe("shop/web");
    expect(formatKey({ name: "node-1" })).toBe("node-1");
    expect(formatKey({ namespace: "", name: "node-1" })).toBe("node-1");
  });
});
