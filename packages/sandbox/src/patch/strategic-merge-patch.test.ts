import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { builtinSchema } from "../builtin/builtin-schemas.ts";
import { ApiError } from "../status/api-error.ts";
import { applyStrategicMergePatch } from "./strategic-merge-patch.ts";

const schema = builtinSchema("apps", "v1", "Deployment") ?? {};

const deployment = {
  metadata: { name: "d", labels: { x: "y" }, finalizers: ["a.b/c"] },
  spec: {
    strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1 } },
    template: {
      spec: {
        containers: [
          {
            name: "c",
            image: "i",
            args: ["a"],
            ports: [{ containerPort: 80 }, { containerPort: 443, name: "s" }],
            env: [{ name: "E", value: "1" }],
          },
        ],
      },
    },
  },
};

const container = deployment.spec.template.spec.containers[0];

function containers(podSpec: object): unknown {
  const patch = { spec: { template: { spec: podSpec } } };
  const result = applyStrategicMergePatch(deployment, patch, schema);
  return Object(result).spec.template.spec.containers;
}

function metadata(patch: object): unknown {
  return applyStrategicMergePatch(deployment, { metadata: patch }, schema).metadata;
}

function refusal(patch: Readonly<Record<string, unknown>>): unknown {
  try {
    applyStrategicMergePatch(deployment, patch, schema);
    return undefined;
  } catch (error) {
    return error instanceof ApiError ? error.status : error;
  }
}

describe("a strategic merge patch", () => {
  it("merges lists by their key, in the order of the patch", () => {
    expect(
      containers({
        containers: [
          { name: "z", image: "q" },
          { name: "c", image: "zz" },
        ],
      }),
    ).toEqual([
      { name: "z", image: "q" },
      { ...container, image: "zz" },
    ]);
  });

  it("replaces lists that have no strategy and merges nested ones that have", () => {
    const change = {
      name: "c",
      args: ["x", "y"],
      ports: [{ containerPort: 443, name: "t" }, { containerPort: 8 }],
    };
    expect(containers({ containers: [change] })).toEqual([
      { ...container, args: ["x", "y"], ports: [{ containerPort: 80 }, ...change.ports] },
    ]);
  });

  it("deletes and replaces elements by $patch", () => {
    expect(containers({ containers: [{ name: "c", $patch: "delete" }, { name: "n" }] })).toEqual([
      { name: "n" },
    ]);
    expect(containers({ containers: [{ $patch: "replace" }, { name: "n" }] })).toEqual([{ name: "n" }]);
    expect(containers({ containers: [{ name: "c", env: [{ name: "E", $patch: "delete" }] }] })).toEqual([
      { ...container, env: [] },
    ]);
  });

  it("orders elements by $setElementOrder", () => {
    const order = { "$setElementOrder/containers": [{ name: "n" }, { name: "c" }] };
    expect(containers({ ...order, containers: [{ name: "n" }] })).toEqual([{ name: "n" }, container]);
    const ports = [{ containerPort: 8080 }, { containerPort: 443 }, { containerPort: 80 }];
    expect(
      containers({
        containers: [{ name: "c", "$setElementOrder/ports": ports, ports: [{ containerPort: 8080 }] }],
      }),
    ).toEqual([
      {
        ...container,
        ports: [{ containerPort: 8080 }, { containerPort: 443, name: "s" }, { containerPort: 80 }],
      },
    ]);
  });

  it("merges lists of scalars as sets, and removes from them by a list beside them", () => {
    expect(metadata({ finalizers: ["q.r/s", "a.b/c"] })).toMatchObject({ finalizers: ["q.r/s", "a.b/c"] });
    expect(metadata({ "$deleteFromPrimitiveList/finalizers": ["a.b/c"] })).toMatchObject({ finalizers: [] });
  });

  it("keeps only the fields of a map that $retainKeys names", () => {
    const patch = { spec: { strategy: { $retainKeys: ["type"], type: "Recreate" } } };
    expect(applyStrategicMergePatch(deployment, patch, schema).spec).toMatchObject({
      strategy: { type: "Recreate" },
    });
    expect(
      Object(applyStrategicMergePatch(deployment, patch, schema)).spec.strategy.rollingUpdate,
    ).toBeUndefined();
  });

  it("replaces or empties a map by $patch, and removes fields that are null", () => {
    expect(metadata({ labels: { $patch: "replace", q: "r" } })).toMatchObject({ labels: { q: "r" } });
    expect(metadata({ labels: { $patch: "delete" } })).toMatchObject({ labels: {} });
    expect(metadata({ labels: { x: null, q: null } })).toMatchObject({ labels: {} });
  });

  it.each([
    [
      { spec: { template: { spec: { containers: [{ image: "x" }] } } } },
      500,
      "map: map[image:x] does not contain declared merge key: name",
    ],
    [
      { spec: { template: { spec: { containers: [{ $patch: "bla", name: "c" }] } } } },
      500,
      "unknown patch type: bla in map: map[$patch:bla name:c]",
    ],
    [{ metadata: { $patch: 3 } }, 500, "unknown patch type: %!s(int64=3) in map: map[$patch:3]"],
    [
      { spec: { template: { spec: { containers: [{ $patch: "merge" }] } } } },
      500,
      "merging lists cannot yet be specified in the patch",
    ],
    [
      { metadata: { "$setElementOrder/finalizers": ["x"], finalizers: ["q"] } },
      500,
      "The order in patch list:\n[q]\n doesn't match $setElementOrder list:\n[x]\n",
    ],
    [
      { metadata: { "$setElementOrder/finalizers": "x" } },
      500,
      "expected a []interface {}, but received a string",
    ],
    [
      { metadata: { "$setElementOrder/bogus": ["x"] } },
      500,
      'unable to find api field in struct ObjectMeta for the json field "bogus"',
    ],
    [{ metadata: { finalizers: [1] } }, 500, "list element types are not identical: [[a.b/c] [1]]"],
    [{ metadata: { finalizers: [null] } }, 500, "list element types are not identical: [[a.b/c] [<nil>]]"],
  ])("is refused with an plainError error: %j", (patch, code, message) => {
    expect(refusal(patch)).toEqual({
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message,
      code,
    });
  });

  it("is a bad request if a directive has the wrong form", () => {
    const retain = { code: 400, reason: "BadRequest", message: "invalid patch format of retainKeys" };
    expect(refusal({ spec: { strategy: { $retainKeys: "x" } } })).toMatchObject(retain);
    expect(refusal({ spec: { strategy: { $retainKeys: ["type"], rollingUpdate: {} } } })).toMatchObject(
      retain,
    );
    expect(refusal({ metadata: { $deleteFromPrimitiveList: ["a"] } })).toMatchObject({
      code: 400,
      message: "invalid patch format of primitive list",
    });
  });

  it("never changes the object, and only ever throws ApiErrors", () => {
    const before = JSON.stringify(deployment);
    const key = fc.constantFrom(
      "containers",
      "finalizers",
      "$patch",
      "$retainKeys",
      "$setElementOrder/containers",
      "__proto__",
      "$deleteFromPrimitiveList/finalizers",
      "$setElementOrder/finalizers",
      "name",
      "labels",
      "$setElementOrder",
    );
    const part = fc.dictionary(key, fc.oneof(fc.jsonValue(), fc.array(fc.dictionary(key, fc.jsonValue()))));
    fc.assert(
      fc.property(part, part, (metadata, spec) => {
        const result = refusal({ metadata, spec: { template: { spec } } });
        if (result !== undefined) expect(result).toHaveProperty("status", "Failure");
        expect(JSON.stringify(deployment)).toBe(before);
        expect(Reflect.get({}, "name")).toBeUndefined();
      }),
    );
  });
});
