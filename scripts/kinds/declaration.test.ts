import { describe, expect, it } from "vitest";
import { interfaceText, objectKindOf, valueText } from "./declaration.ts";
import type { TypeScope } from "./type-text.ts";

const scope: TypeScope = {
  schemaOf: () => ({ properties: {} }),
  nameOf: (name) => name.split(".").at(-1) ?? "",
  keyed: () => "Keyed",
};
const string = { type: "string" };

describe("the interface of a schema", () => {
  it("has sorted, read-only properties that are optional unless required", () => {
    const properties = {
      size: { type: "integer" },
      name: string,
      "x-flag": { type: "boolean" },
      $ref: string,
    };
    expect(interfaceText("Disk", { properties, required: ["name"] }, scope)).toBe(
      [
        "export interface Disk {",
        "  readonly $ref?: string;",
        "  readonly name: string;",
        "  readonly size?: number;",
        '  readonly "x-flag"?: boolean;',
        "}\n",
      ].join("\n"),
    );
  });

  it("has its kind and apiVersion as literals where the schema has a kind, and requires its metadata", () => {
    const text = interfaceText(
      "Disk",
      {
        properties: {
          apiVersion: string,
          kind: string,
          metadata: { $ref: "#/components/schemas/meta.v1.ObjectMeta" },
          spec: string,
        },
        "x-kubernetes-group-version-kind": [{ group: "storage.k8s.io", version: "v1", kind: "Disk" }],
      },
      scope,
    );
    expect(text).toContain('readonly apiVersion: "storage.k8s.io/v1";');
    expect(text).toContain('readonly kind: "Disk";');
    expect(text).toContain("readonly metadata: ObjectMeta;");
    expect(text).toContain("readonly spec?: string;");
  });

  it("names no group in the core group", () => {
    const kinds = [{ group: "", version: "v1", kind: "Pod" }];
    const text = interfaceText(
      "Pod",
      { properties: { apiVersion: string }, "x-kubernetes-group-version-kind": kinds },
      scope,
    );
    expect(text).toContain('readonly apiVersion: "v1";');
  });

  it("leaves open which object it is where the schema has a kind in every group", () => {
    const kinds = ["", "apps"].map((group) => ({ group, version: "v1", kind: "DeleteOptions" }));
    const text = interfaceText(
      "DeleteOptions",
      { properties: { kind: string }, "x-kubernetes-group-version-kind": kinds },
      scope,
    );
    expect(text).toContain("readonly kind?: string;");
  });

  it("reports which property could not be translated", () => {
    const properties = { size: { type: "null" } };
    expect(() => interfaceText("Disk", { properties }, scope)).toThrow("translate Disk.size");
  });
});

it("writes the value of a kind", () => {
  const text = valueText(
    { group: "apps", version: "v1", kind: "Deployment", plural: "deployments", scope: "Namespaced" },
    "Resource",
  );
  expect(text).toBe(
    [
      "export const Deployment: Resource<Deployment> = {",
      '  group: "apps",',
      '  version: "v1",',
      '  kind: "Deployment",',
      '  plural: "deployments",',
      '  scope: "Namespaced",',
      "};\n",
    ].join("\n"),
  );
});

describe("the kind of objects", () => {
  const eviction = { group: "policy", version: "v1", kind: "Eviction" };
  const properties = { metadata: { $ref: "#/components/schemas/meta.v1.ObjectMeta" } };

  it("is the only kind of a schema that has metadata and is not a list", () => {
    const gvk = "x-kubernetes-group-version-kind";
    expect(objectKindOf({ properties, [gvk]: [eviction] })).toEqual(eviction);
    expect(objectKindOf({ properties: { ...properties, items: {} }, [gvk]: [eviction] })).toBeUndefined();
    expect(objectKindOf({ properties: {}, [gvk]: [eviction] })).toBeUndefined();
    expect(objectKindOf({ properties, [gvk]: [eviction, { ...eviction, group: "apps" }] })).toBeUndefined();
    expect(objectKindOf({ properties })).toBeUndefined();
  });

  it("is a value without plural and scope if it has no path of its own", () => {
    expect(valueText(eviction, "Kind")).toBe(
      'export const Eviction: Kind<Eviction> = {\n  group: "policy",\n  version: "v1",\n  kind: "Eviction",\n};\n',
    );
  });
});
