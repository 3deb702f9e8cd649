import { expect, test } from "vitest";
import { builtinServedResources } from "../../builtin/builtin-resources.ts";
import { createRegistry } from "../../resource/resource-registry.ts";
import { otherKindProblem, versionProblem } from "./registered-kind.ts";

const registry = createRegistry();
registry.replace("builtin", builtinServedResources());
const expected = { group: "", kind: "ConfigMap" };

test.each([
  ["v1", "Secret"],
  ["v1", "ConfigMapList"],
  ["v1", "List"],
  ["v1", "Status"],
  ["apps/v1", "DeploymentList"],
  ["apps/v1", "DeleteOptions"],
])("%s %s is known, but cannot be converted to the expected kind", (apiVersion, kind) => {
  expect(otherKindProblem(registry, { apiVersion, kind }, {}, expected)).toBe(
    `converting (v1.${kind}) to (core.ConfigMap): unknown conversion`,
  );
});

test.each([
  ["v9", "ConfigMap"],
  ["v1", "ThingList"],
  ["none.example.com/v1", "DeleteOptions"],
  ["apiextensions.k8s.io/v1", "CustomResourceDefinition"],
])("%s %s is not known", (apiVersion, kind) => {
  expect(otherKindProblem(registry, { apiVersion, kind }, {}, expected)).toBe(
    `no kind "${kind}" is registered for version "${apiVersion}" in scheme "pkg/runtime/scheme.go:111"`,
  );
});

test("a problem of the claimed kind is reported first, and the value is not changed", () => {
  const secret = { data: { a: "xl" }, extra: 1 };
  expect(otherKindProblem(registry, { apiVersion: "v1", kind: "Secret" }, secret, expected)).toBe(
    "illegal base64 data at input byte 0",
  );
  expect(secret).toEqual({ data: { a: "xl" }, extra: 1 });
});

test("a version has one slash at most", () => {
  expect(versionProblem("a/b/c")).toBe("unexpected GroupVersion string: a/b/c");
  expect(versionProblem("apps/v1")).toBeUndefined();
});
