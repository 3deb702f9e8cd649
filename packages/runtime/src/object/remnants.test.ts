import type { KubeObject } from "@keelson/core";
import { describe, expect, it } from "vitest";
import { isRemnant, remnantPatch } from "./remnants.ts";

const web = 'k:{"name":"web"}';

/** A pod with one container, of which another field manager owns the fields. */
function pod(container: object, fields: object): KubeObject & { readonly spec: object } {
  const fieldsV1 = { "f:spec": { "f:containers": { [web]: fields } } };
  const managedFields = [
    {
      manager: "ours",
      operation: "Apply" as const,
      fieldsV1: { "f:spec": { "f:containers": { [web]: { ".": {} } } } },
    },
    { manager: "theirs", operation: "Update" as const, fieldsV1 },
  ];
  return {
    ...{ apiVersion: "v1", kind: "Pod", metadata: { name: "web", managedFields } },
    spec: { containers: [{ name: "web", ...container }] },
  };
}

const desired = { spec: { containers: [{ name: "web" }] } };
const httpGet = { port: 80 };

describe("the patch of remnants", () => {
  it.each<[string, object, object, string]>([
    [
      "a probe of which only a timing is theirs",
      { livenessProbe: { httpGet, periodSeconds: 7 } },
      { "f:livenessProbe": { "f:periodSeconds": {} } },
      "/spec/containers/0/livenessProbe",
    ],
    [
      "a variable of which only a part is theirs",
      { env: [{ name: "A", valueFrom: { secretKeyRef: { name: "s", key: "k", optional: true } } }] },
      { "f:env": { 'k:{"name":"A"}': { "f:valueFrom": { "f:secretKeyRef": { "f:optional": {} } } } } },
      "/spec/containers/0/env/0",
    ],
    [
      "a mount of which only a flag is theirs",
      { volumeMounts: [{ name: "data", mountPath: "/data", readOnly: true }] },
      { "f:volumeMounts": { 'k:{"mountPath":"/data"}': { "f:readOnly": {} } } },
      "/spec/containers/0/volumeMounts/0",
    ],
  ])("removes %s", (_, container, fields, path) => {
    const operations = remnantPatch(pod(container, fields), desired, "ours");
    expect(operations).toMatchObject([
      { op: "test", path },
      { op: "remove", path },
    ]);
    expect(
      remnantPatch(pod(container, fields), { spec: { containers: [{ name: "web", ...container }] } }, "ours"),
    ).toEqual([]);
    expect(remnantPatch(pod(container, {}), desired, "ours")).toEqual([]);
    expect(remnantPatch(pod(container, fields), desired, "theirs")).toEqual([]);
  });

  it.each<[string, object, object]>([
    [
      "a probe with a handler of theirs",
      { livenessProbe: { httpGet, periodSeconds: 7 } },
      { "f:livenessProbe": { ".": {}, "f:httpGet": { ".": {}, "f:port": {} }, "f:periodSeconds": {} } },
    ],
    [
      "a variable of theirs",
      { env: [{ name: "B", value: "1" }] },
      { "f:env": { 'k:{"name":"B"}': { ".": {}, "f:name": {} } } },
    ],
    ["a port", { ports: [{ containerPort: 80 }] }, { "f:ports": {} }],
  ])("keeps %s", (_, container, fields) => {
    expect(remnantPatch(pod(container, fields), desired, "ours")).toEqual([]);
  });

  it("removes from the end", () => {
    const env = ["A", "B"].map((name) => ({ name, valueFrom: { fieldRef: { apiVersion: "v1" } } }));
    const part = { "f:valueFrom": { "f:fieldRef": { "f:apiVersion": {} } } };
    const fields = { "f:env": { 'k:{"name":"A"}': part, 'k:{"name":"B"}': part } };
    const paths = remnantPatch(pod({ env }, fields), desired, "ours").map(({ op, path }) => `${op} ${path}`);
    expect(paths).toEqual([
      "test /spec/containers/0/env/1",
      "remove /spec/containers/0/env/1",
      "test /spec/containers/0/env/0",
      "remove /spec/containers/0/env/0",
    ]);
  });
});

it.each([
  ["FieldValueRequired", "spec.template.spec.containers[0].livenessProbe", true],
  ["FieldValueRequired", "spec.template.spec.volumes[1].secret.secretName", true],
  ["FieldValueRequired", "spec.template.spec.containers[0].volumeMounts[0].name", true],
  ["FieldValueRequired", "spec.template.spec.containers[0].name", false],
  ["FieldValueInvalid", "spec.template.spec.containers[0].livenessProbe", false],
])("finds out whether a complaint is about a remnant: %s of %s", (reason, field, expected) => {
  expect(isRemnant({ reason, field })).toBe(expected);
});
