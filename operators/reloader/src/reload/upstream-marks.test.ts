import type { PodTemplateSpec } from "keelson/kinds/core/v1";
import { describe, expect, it } from "vitest";
import { annotationKeys } from "../api/annotation-keys.ts";
import type { ResourceKind, WatchedResource } from "../resource/watched-resource.ts";
import { upstreamBaselines, upstreamVariable } from "./upstream-marks.ts";

const keys = annotationKeys();

function resource(name: string, upstreamHash: string, kind: ResourceKind = "Secret"): WatchedResource {
  return {
    ...{ kind, namespace: "shop", name, upstreamHash, hash: `sha256-${upstreamHash}` },
    ...{ labels: {}, annotations: {}, creationTimestamp: "2026-11-18T09:00:00Z" },
  };
}

function baselines(template: PodTemplateSpec, ...resources: readonly WatchedResource[]): object {
  const workload = { template, metadata: { namespace: "shop", name: "web", uid: "uid-1" } };
  return Object.fromEntries(upstreamBaselines(workload, resources, keys));
}

function variable(name: string, value: string): PodTemplateSpec {
  return { spec: { containers: [{ name: "app" }, { name: "other", env: [{ name, value }] }] } };
}

function annotation(source: unknown): PodTemplateSpec {
  const text = typeof source === "string" ? source : JSON.stringify(source);
  return {
    metadata: { annotations: { [keys.lastReloadedFrom]: text } },
    spec: { containers: [{ name: "app" }] },
  };
}

it.each([
  ["db", "Secret", "STAKATER_DB_SECRET"],
  ["my--secret.v1", "Secret", "STAKATER_MY_SECRET_V1_SECRET"],
  ["9lives", "ConfigMap", "STAKATER_9LIVES_CONFIGMAP"],
  ["vault", "SecretProviderClass", "STAKATER_VAULT_SECRETPROVIDERCLASS"],
] as const)("upstream's variable for %s of kind %s is %s", (name, kind, expected) => {
  expect(upstreamVariable({ kind, name })).toBe(expected);
});

describe("the baselines that upstream has left", () => {
  it.each([
    ["a variable in any container", variable("STAKATER_DB_SECRET", "h1")],
    [
      "an annotation of upstream's first version",
      annotation({ type: "SECRET", name: "db", namespace: "shop", hash: "h1" }),
    ],
    [
      "an annotation of upstream's second version",
      annotation({ kind: "secret", name: "db", namespace: "shop", hash: "h1" }),
    ],
  ])("are read from %s", (_title, template) => {
    expect(baselines(template, resource("db", "h2"), resource("other", "h3"))).toEqual({
      "shop/Secret/db": "h1",
    });
  });

  it.each([
    ["another kind", variable("STAKATER_DB_CONFIGMAP", "h1")],
    ["a text that is no JSON", annotation("{")],
    ["JSON that is no object", annotation([1])],
    ["a kind that is not watched", annotation({ type: "POD", name: "db", namespace: "shop", hash: "h1" })],
    ["another namespace", annotation({ type: "SECRET", name: "db", namespace: "other", hash: "h1" })],
    ["a hash that is no text", annotation({ type: "SECRET", name: "db", namespace: "shop", hash: 1 })],
  ])("do not come from %s", (_title, template) => {
    expect(baselines(template, resource("db", "h2"))).toEqual({});
  });

  it("are those of the content now if the variable and the annotation differ", () => {
    const { spec } = variable("STAKATER_DB_SECRET", "h1");
    const { metadata } = annotation({ type: "SECRET", name: "db", namespace: "shop", hash: "h2" });
    const template = { ...(metadata && { metadata }), ...(spec && { spec }) };
    expect(baselines(template, resource("db", "h1"))).toEqual({ "shop/Secret/db": "h1" });
    expect(baselines(template, resource("db", "h2"))).toEqual({ "shop/Secret/db": "h2" });
  });

  it("of a variable that two resources share are those of the one whose hash it has", () => {
    const template = variable("STAKATER_A_B_SECRET", "h1");
    expect(baselines(template, resource("a.b", "h1"), resource("a-b", "h2"))).toEqual({
      "shop/Secret/a.b": "h1",
    });
  });

  it("of a variable that two resources share are those of both if it has the hash of neither", () => {
    const template = variable("STAKATER_A_B_SECRET", "h0");
    expect(baselines(template, resource("a.b", "h1"), resource("a-b", "h2"))).toEqual({
      "shop/Secret/a.b": "h0",
      "shop/Secret/a-b": "h0",
    });
  });

  it("are not those of a resource in another namespace", () => {
    const foreign = { ...resource("db", "h2"), namespace: "other" };
    expect(baselines(variable("STAKATER_DB_SECRET", "h1"), foreign)).toEqual({});
  });
});
