import { describe, expect, it } from "vitest";
import { changedFields, changedPaths } from "./changed-paths.ts";

describe("changed paths", () => {
  it("name fields, and quote keys that are no plain words", () => {
    const old = { metadata: { labels: { "app.kubernetes.io/name": "a", tier: "x" } }, spec: { replicas: 1 } };
    const now = { metadata: { labels: { "app.kubernetes.io/name": "b", tier: "y" } }, spec: { replicas: 2 } };
    expect(changedPaths(old, now)).toEqual([
      'metadata.labels["app.kubernetes.io/name"]',
      "metadata.labels.tier",
      "spec.replicas",
    ]);
  });

  it("name elements of a list by their key field, else by their index", () => {
    const old = {
      containers: [
        { name: "web", image: "1", args: ["a", "b"] },
        { name: "log", image: "1" },
      ],
      ports: [{ port: 80, targetPort: 1 }],
      rules: [{ verbs: ["get"] }, { verbs: ["list"] }],
    };
    const now = {
      containers: [
        { name: "proxy", image: "1" },
        { name: "web", image: "2", args: ["a", "c", "d"] },
      ],
      ports: [{ port: 80, targetPort: 2 }],
      rules: [{ verbs: ["get"] }, { verbs: ["watch"] }],
    };
    expect(changedPaths(old, now)).toEqual([
      "containers[name=web].image",
      "containers[name=web].args[1]",
      "containers[name=web].args[2]",
      "containers[name=log]",
      "containers[name=proxy]",
      "ports[port=80].targetPort",
      "rules[1].verbs[0]",
    ]);
  });

  it("name a list as a whole that was only put into another order", () => {
    const list = [{ type: "Ready" }, { type: "Live" }];
    expect(changedPaths({ list }, { list: list.toReversed() })).toEqual(["list"]);
  });

  it("leave out fields that every write changes, but only at their path", () => {
    const metadata = { resourceVersion: "1", managedFields: [], generation: 1 };
    const template = { metadata: { resourceVersion: "1" } };
    const old = { metadata, template };
    const now = {
      metadata: { resourceVersion: "2", managedFields: [{}], generation: 2 },
      template: { metadata: { resourceVersion: "2" } },
    };
    expect(changedPaths(old, now)).toEqual(["metadata.generation", "template.metadata.resourceVersion"]);
  });

  it("are at most 32, and show if there were more", () => {
    const fields = (count: number, value: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, place) => [`f${place}`, value]));
    expect(changedPaths(fields(32, 0), fields(32, 1))).toHaveLength(32);
    expect(changedPaths(fields(33, 0), fields(33, 1)).slice(31)).toEqual(["f31", "…"]);
    expect(changedFields(fields(33, 0), fields(33, 1))).toHaveLength(33);
  });

  it("end with … where the objects are so large that not all of them is compared", () => {
    const list = (last: number) => Array.from({ length: 5_000 }, (_, place) => ({ value: [place, last] }));
    expect(changedPaths({ first: 1, list: list(0) }, { first: 2, list: list(1) }).slice(-1)).toEqual(["…"]);
    const late = (value: number) => ({ list: list(0), value });
    expect(changedPaths(late(0), late(1))).toEqual(["…"]);
    expect(changedFields(late(0), late(1)).map(({ path }) => path)).toEqual(["value"]);
  });

  it("show no value of a field that may be a secret", () => {
    const old = { data: { password: "aHVudGVy" }, keys: [{ key: "old-secret" }] };
    const now = { data: { password: "aHVudGVyMg==" }, keys: [{ key: "new-secret" }] };
    expect(changedPaths(old, now)).toEqual(["data.password", "keys[0].key"]);
  });
});

describe("changed fields", () => {
  it("carry the values, and undefined where there is none", () => {
    expect(changedFields({ a: 1, gone: { b: 1 } }, { a: 2, came: [1] })).toEqual([
      { path: "a", before: 1, after: 2 },
      { path: "gone", before: { b: 1 }, after: undefined },
      { path: "came", before: undefined, after: [1] },
    ]);
  });

  it("are not mistaken about keys that every object inherits", () => {
    expect(changedFields({}, { constructor: "x" })).toEqual([
      { path: "constructor", before: undefined, after: "x" },
    ]);
    expect(changedFields([{ name: "a" }], [{ name: "a", toString: "x" }])).toEqual([
      { path: "[name=a].toString", before: undefined, after: "x" },
    ]);
  });
});
