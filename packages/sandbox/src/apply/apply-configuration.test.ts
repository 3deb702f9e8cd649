import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { builtinSchema } from "../builtin/builtin-schemas.ts";
import type { JsonObject } from "../schema/json-document.ts";
import { ApiError } from "../status/api-error.ts";
import { type Application, applyConfiguration } from "./apply-configuration.ts";
import { trackUpdate } from "./track-update.ts";

const time = "2026-01-01T00:00:00Z";
const later = "2026-01-01T00:00:05Z";

const deployments = {
  schema: builtinSchema("apps", "v1", "Deployment") ?? {},
  isCustom: false,
  apiVersion: "apps/v1",
  kind: "Deployment",
  subresource: undefined,
  resetFields: [["status"]],
};

function apply(configuration: JsonObject, application: Partial<Application> = {}): JsonObject {
  return applyConfiguration({
    ...deployments,
    live: undefined,
    configuration,
    manager: "app",
    force: false,
    time,
    ...application,
  });
}

function deployment(spec: unknown, metadata: JsonObject = {}): JsonObject {
  return { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "d", ...metadata }, spec };
}

function withContainers(...containers: unknown[]): JsonObject {
  return deployment({ template: { spec: { containers } } });
}

/** Stored after an update by `m1`. */
function updated(object: JsonObject): JsonObject {
  const write = { ...deployments, live: undefined, updated: object, manager: "m1", time };
  return { ...object, metadata: { ...Object(object.metadata), uid: "u", managedFields: trackUpdate(write) } };
}

function managedFields(object: JsonObject): readonly JsonObject[] {
  return Object(object.metadata).managedFields;
}

function containersOf(object: JsonObject): unknown {
  return Object(object.spec).template.spec.containers;
}

function refusal(configuration: JsonObject, application: Partial<Application> = {}): unknown {
  try {
    apply(configuration, application);
    return undefined;
  } catch (error) {
    return error instanceof ApiError ? error.status : error;
  }
}

const failure = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure" };

describe("applying a configuration", () => {
  it("owns the fields of the configuration, and not the objects that contain them", () => {
    const object = apply(withContainers({ name: "c", ports: [{ containerPort: 80 }] }));
    expect(managedFields(object)).toEqual([
      {
        manager: "app",
        operation: "Apply",
        apiVersion: "apps/v1",
        time,
        fieldsType: "FieldsV1",
        fieldsV1: {
          "f:spec": {
            "f:template": {
              "f:spec": {
                "f:containers": {
                  'k:{"name":"c"}': {
                    ".": {},
                    "f:name": {},
                    "f:ports": {
                      'k:{"containerPort":80,"protocol":"TCP"}': { ".": {}, "f:containerPort": {} },
                    },
                  },
                },
              },
            },
          },
        },
      },
    ]);
  });

  it("changes nothing, not even the time, when it is repeated", () => {
    const live = apply(withContainers({ name: "c", image: "i" }));
    expect(apply(withContainers({ name: "c", image: "i" }), { live, time: later })).toEqual(live);
  });

  it("shares fields that another manager applies with the same value, without a time", () => {
    const live = apply(deployment({ replicas: 1 }));
    const object = apply(deployment({ replicas: 1 }), { live, manager: "other", time: later });
    const fieldsV1 = { "f:spec": { "f:replicas": {} } };
    expect(managedFields(object).map((entry) => [entry.manager, entry.time, entry.fieldsV1])).toEqual([
      ["other", undefined, fieldsV1],
      ["app", time, fieldsV1],
    ]);
    const left = apply(deployment({}), { live: object });
    expect(left.spec).toMatchObject({ replicas: 1 });
    expect(apply(deployment({}), { live: left, manager: "other" }).spec).not.toHaveProperty("replicas");
  });

  it("removes fields that are no longer applied, and keeps fields of other owners inside", () => {
    const first = apply(withContainers({ name: "a", image: "i" }, { name: "b", image: "i" }));
    const inside = { name: "b", env: [{ name: "E", value: "1" }] };
    const second = apply(withContainers(inside), { live: first, manager: "other" });
    const third = apply(withContainers({ name: "a", image: "i" }), { live: second });
    expect(containersOf(third)).toEqual([{ name: "a", image: "i" }, inside]);
  });

  it("keeps the order of the configuration for the items it has", () => {
    const live = apply(withContainers({ name: "a" }, { name: "b" }));
    const object = apply(withContainers({ name: "z" }, { name: "b" }, { name: "a" }), { live, manager: "x" });
    expect(containersOf(object)).toEqual([{ name: "z" }, { name: "b" }, { name: "a" }]);
  });

  it("conflicts with the owner of another value", () => {
    const live = updated(deployment({ replicas: 1 }));
    expect(refusal(deployment({ replicas: 3 }), { live })).toEqual({
      ...failure,
      message: 'Apply failed with 1 conflict: conflict with "m1" using apps/v1: .spec.replicas',
      reason: "Conflict",
      details: {
        causes: [
          {
            reason: "FieldManagerConflict",
            message: 'conflict with "m1" using apps/v1',
            field: ".spec.replicas",
          },
        ],
      },
      code: 409,
    });
  });

  it("lists several conflicts by their owners", () => {
    const live = apply(deployment({ replicas: 1 }, { labels: { x: "y" } }), { manager: "b" });
    const both = apply(withContainers({ name: "c", image: "i" }), { live, manager: "a" });
    const change = deployment(
      { replicas: 3, template: { spec: { containers: [{ name: "c", image: "j" }] } } },
      { labels: { x: "z" } },
    );
    expect(refusal(change, { live: both })).toMatchObject({
      message: [
        'Apply failed with 3 conflicts: conflicts with "a":',
        '- .spec.template.spec.containers[name="c"].image',
        'conflicts with "b":',
        "- .metadata.labels.x",
        "- .spec.replicas",
      ].join("\n"),
    });
  });

  it("takes fields by force", () => {
    const live = updated(deployment({ replicas: 1, paused: true }));
    const object = apply(deployment({ replicas: 3 }), { live, force: true, time: later });
    expect(object.spec).toEqual({ replicas: 3, paused: true });
    expect(managedFields(object).map((entry) => entry.fieldsV1)).toEqual([
      { "f:spec": { "f:replicas": {} } },
      { "f:spec": { "f:paused": {} } },
    ]);
  });

  it("finds an owner for objects without managed fields", () => {
    const live = deployment({ replicas: 1 }, { uid: "u" });
    expect(refusal(deployment({ replicas: 2 }), { live })).toMatchObject({
      message:
        'Apply failed with 1 conflict: conflict with "before-first-apply" using apps/v1: .spec.replicas',
    });
    const object = apply(deployment({ paused: true }), { live });
    expect(managedFields(object).map((entry) => entry.manager)).toEqual(["app", "before-first-apply"]);
  });

  it("never owns fields that the write does not change", () => {
    const object = apply({ ...deployment({ replicas: 1 }), status: { replicas: 1 } });
    expect(managedFields(object)[0]?.fieldsV1).toEqual({ "f:spec": { "f:replicas": {} } });
  });

  it("is a bad request with managed fields in the configuration", () => {
    const message = "metadata.managedFields must be nil";
    const configuration = deployment({}, { managedFields: [] });
    expect(refusal(configuration)).toEqual({ ...failure, message, reason: "BadRequest", code: 400 });
  });

  it.each([
    [deployment({ foo: 1 }), ".spec.foo: field not declared in schema"],
    [
      withContainers({ name: "c" }, { name: "c" }),
      '.spec.template.spec.containers: duplicate entries for key [name="c"]',
    ],
    [
      withContainers("c"),
      ".spec.template.spec.containers: element 0: associative list with keys may not have non-map elements",
    ],
    [
      withContainers(null),
      ".spec.template.spec.containers: element 0: associative list with keys may not have a null element",
    ],
    [
      deployment({ template: { spec: { containers: "c" } } }),
      ".spec.template.spec.containers: expected list, got &{c}",
    ],
    [deployment(3), ".spec: expected map, got &{3}"],
    [
      deployment({ replicas: "x", paused: 1, template: { spec: { containers: [{ name: 3 }] } } }),
      "errors:\n  .spec.paused: expected boolean, got &{1}\n  .spec.replicas: expected numeric (int or float), got string\n  .spec.template.spec.containers[name=3].name: expected string, got &value.valueUnstructured{Value:3}",
    ],
    [
      deployment({}, { finalizers: ["x", "x", { a: 1 }, null] }),
      'errors:\n  .metadata.finalizers: duplicate entries for key [="x"]\n  .metadata.finalizers: element 2: associative list without keys has an element that\'s a map type',
    ],
    [
      deployment({ strategy: { type: { a: 1 } } }),
      '.spec.strategy.type: expected string, got &value.valueUnstructured{Value:map[string]interface {}{"a":1}}',
    ],
  ])("reports what does not fit: %j", (configuration, problem) => {
    const message = `failed to create typed patch object (/d; apps/v1, Kind=Deployment): ${problem}`;
    expect(refusal(configuration)).toEqual({ ...failure, message, code: 500 });
  });

  it("lets kubectl take over the fields of its client-side apply, and updates its annotation", () => {
    const annotation = "kubectl.kubernetes.io/last-applied-configuration";
    const last = JSON.stringify(deployment({ replicas: 1 }));
    const live = updated(deployment({ replicas: 1 }, { annotations: { [annotation]: `${last}\n` } }));
    const object = apply(deployment({ replicas: 2 }), { live, manager: "kubectl" });
    expect(object.spec).toEqual({ replicas: 2 });
    expect(Object(object.metadata).annotations[annotation]).toBe(
      '{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d"},"spec":{"replicas":2}}\n',
    );
    expect(refusal(deployment({ replicas: 2 }), { live })).toMatchObject({ code: 409 });
  });

  it("never changes its arguments, and throws only ApiErrors", () => {
    const live = updated(withContainers({ name: "c", ports: [{ containerPort: 80 }] }));
    const before = JSON.stringify(live);
    const key = fc.constantFrom(
      "containers",
      "name",
      "ports",
      "containerPort",
      "nodeSelector",
      "__proto__",
      "env",
    );
    const part = fc.dictionary(key, fc.oneof(fc.jsonValue(), fc.array(fc.dictionary(key, fc.jsonValue()))));
    fc.assert(
      fc.property(part, fc.boolean(), (spec, force) => {
        const result = refusal(deployment({ template: { spec } }), { live, force });
        if (result !== undefined) expect(result).toHaveProperty("status", "Failure");
        expect(JSON.stringify(live)).toBe(before);
      }),
    );
  });
});
