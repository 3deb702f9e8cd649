import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { builtinSchema } from "../builtin/builtin-schemas.ts";
import type { FieldSchema } from "../schema/field-schema.ts";
import type { JsonObject } from "../schema/json-document.ts";
import { type TrackedUpdate, trackUpdate } from "./track-update.ts";

const time = "2026-01-01T00:00:00Z";
const later = "2026-01-01T00:00:05Z";

function configMapWrite(write: Partial<TrackedUpdate> & Pick<TrackedUpdate, "updated">): TrackedUpdate {
  return {
    live: undefined,
    schema: builtinSchema("", "v1", "ConfigMap") ?? {},
    isCustom: false,
    apiVersion: "v1",
    kind: "ConfigMap",
    manager: "m1",
    subresource: undefined,
    resetFields: [],
    time,
    ...write,
  };
}

function configMap(data: Record<string, string>, metadata: JsonObject = {}): JsonObject {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", ...metadata }, data };
}

/** The object as it is stored after a write by a manager. */
function stored(updated: JsonObject, live?: JsonObject, manager = "m1"): JsonObject {
  const { managedFields: _old, ...metadata } = Object(updated.metadata);
  const managedFields = trackUpdate(configMapWrite({ live, updated: { ...updated, metadata }, manager }));
  return { ...updated, metadata: { uid: "u", ...metadata, managedFields } };
}

function owned(object: JsonObject): unknown {
  const entries: { manager: string; fieldsV1: unknown }[] = Object(object.metadata).managedFields;
  return Object.fromEntries(entries.map(({ manager, fieldsV1 }) => [manager, fieldsV1]));
}

describe("the managed fields after a write", () => {
  it("have all created fields, except those that the server sets", () => {
    const updated = configMap({ k: "v", b: "c" }, { labels: { x: "y" }, uid: "u", finalizers: ["b", "a"] });
    expect(JSON.stringify(trackUpdate(configMapWrite({ updated })))).toBe(
      JSON.stringify([
        {
          manager: "m1",
          operation: "Update",
          apiVersion: "v1",
          time,
          fieldsType: "FieldsV1",
          fieldsV1: {
            "f:data": { ".": {}, "f:b": {}, "f:k": {} },
            "f:metadata": {
              "f:finalizers": { ".": {}, 'v:"a"': {}, 'v:"b"': {} },
              "f:labels": { ".": {}, "f:x": {} },
            },
          },
        },
      ]),
    );
  });

  it("move with fields that another manager changes, and are removed with removed fields", () => {
    const first = stored(configMap({ a: "1", b: "2" }));
    const second = stored(configMap({ a: "1", b: "3", c: "4" }), first, "m2");
    expect(owned(second)).toEqual({
      m1: { "f:data": { ".": {}, "f:a": {} } },
      m2: { "f:data": { "f:b": {}, "f:c": {} } },
    });
    const third = stored(configMap({ a: "1" }), second, "m3");
    expect(owned(third)).toEqual({ m1: { "f:data": { ".": {}, "f:a": {} } } });
  });

  it("are the same, times included, if nothing changed", () => {
    const live = stored(configMap({ a: "1" }));
    const write = configMapWrite({ live, updated: structuredClone(live), manager: "m2", time: later });
    expect(trackUpdate(write)).toBe(Object(live.metadata).managedFields);
  });

  it("can be cleared by the request, and are not tracked then", () => {
    const live = stored(configMap({ a: "1" }));
    for (const managedFields of [[], [{}]]) {
      const updated = configMap({ a: "2" }, { managedFields });
      expect(trackUpdate(configMapWrite({ live, updated }))).toEqual([]);
    }
    const untracked = configMap({ a: "2" }, { uid: "u" });
    expect(trackUpdate(configMapWrite({ live: untracked, updated: configMap({ a: "3" }) }))).toEqual([]);
  });

  it("stay unchanged if the request has invalid ones", () => {
    const live = stored(configMap({ a: "1", b: "1" }));
    for (const entry of [{ manager: "x" }, 3, { operation: "Update", apiVersion: "v1", fieldsType: "X" }]) {
      const updated = configMap({ a: "2", b: "1" }, { managedFields: [entry] });
      const entries = trackUpdate(configMapWrite({ live, updated, manager: "m2" }));
      expect(entries.map(({ manager }) => manager)).toEqual(["m1", "m2"]);
    }
  });

  it("can be written by hand", () => {
    const live = stored(configMap({ y: "1", z: "1" }));
    const hand = {
      manager: "hand",
      operation: "Update",
      apiVersion: "v1",
      fieldsType: "FieldsV1",
      fieldsV1: { "f:data": { "f:z": {}, "f:y": {}, ".": {} } },
      time: "2020-01-01T00:00:00+01:00",
    };
    const updated = configMap({ y: "1", z: "1", x: "r" }, { managedFields: [hand] });
    expect(JSON.stringify(trackUpdate(configMapWrite({ live, updated, manager: "m4" })))).toBe(
      JSON.stringify([
        {
          manager: "hand",
          operation: "Update",
          apiVersion: "v1",
          time: "2019-12-31T23:00:00Z",
          fieldsType: "FieldsV1",
          fieldsV1: { "f:data": { ".": {}, "f:y": {}, "f:z": {} } },
        },
        {
          manager: "m4",
          operation: "Update",
          apiVersion: "v1",
          time,
          fieldsType: "FieldsV1",
          fieldsV1: { "f:data": { "f:x": {} } },
        },
      ]),
    );
  });

  it("are merged under one name when there are more than ten", () => {
    let live = stored(configMap({ k0: "v" }), undefined, "u0");
    for (let i = 1; i < 14; i += 1) {
      const data = Object.fromEntries(Array.from({ length: i + 1 }, (_, n) => [`k${n}`, "v"]));
      const updated = configMap(data);
      const seconds = String(i).padStart(2, "0");
      const write = { live, updated, manager: `u${i}`, time: `2026-01-01T00:00:${seconds}Z` };
      live = configMap(data, { uid: "u", managedFields: trackUpdate(configMapWrite(write)) });
    }
    expect(Object.keys(Object(owned(live)))).toEqual([
      "ancient-changes",
      ...Array.from({ length: 9 }, (_, i) => `u${i + 5}`),
    ]);
    expect(Object(owned(live))["ancient-changes"]).toEqual({
      "f:data": { ".": {}, "f:k0": {}, "f:k1": {}, "f:k2": {}, "f:k3": {}, "f:k4": {} },
    });
  });
});

describe("the managed fields of a Deployment", () => {
  const deployment = {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "d" },
    spec: {
      replicas: 0,
      selector: { matchLabels: { a: "b" } },
      strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: "25%" } },
      template: {
        metadata: { labels: { a: "b" } },
        spec: {
          containers: [
            {
              name: "c",
              image: "i",
              args: ["a"],
              env: [{ name: "E", value: "1" }],
              ports: [
                { containerPort: 443, protocol: "TCP" },
                { containerPort: 80, protocol: "TCP" },
              ],
              resources: {},
            },
          ],
          securityContext: {},
        },
      },
    },
    status: { replicas: 3 },
  };

  const write: TrackedUpdate = {
    live: undefined,
    updated: deployment,
    schema: builtinSchema("apps", "v1", "Deployment") ?? {},
    isCustom: false,
    apiVersion: "apps/v1",
    kind: "Deployment",
    manager: "m1",
    subresource: undefined,
    resetFields: [["status"]],
    time,
  };

  it("have lists by key, atomic lists as a whole, and no structs that always exist", () => {
    expect(JSON.stringify(trackUpdate(write)[0]?.fieldsV1)).toBe(
      JSON.stringify({
        "f:spec": {
          "f:replicas": {},
          "f:selector": {},
          "f:strategy": { "f:rollingUpdate": { ".": {}, "f:maxSurge": {} }, "f:type": {} },
          "f:template": {
            "f:metadata": { "f:labels": { ".": {}, "f:a": {} } },
            "f:spec": {
              "f:containers": {
                'k:{"name":"c"}': {
                  ".": {},
                  "f:args": {},
                  "f:env": { ".": {}, 'k:{"name":"E"}': { ".": {}, "f:name": {}, "f:value": {} } },
                  "f:image": {},
                  "f:name": {},
                  "f:ports": {
                    ".": {},
                    'k:{"containerPort":80,"protocol":"TCP"}': {
                      ".": {},
                      "f:containerPort": {},
                      "f:protocol": {},
                    },
                    'k:{"containerPort":443,"protocol":"TCP"}': {
                      ".": {},
                      "f:containerPort": {},
                      "f:protocol": {},
                    },
                  },
                  "f:resources": {},
                },
              },
              "f:securityContext": {},
            },
          },
        },
      }),
    );
  });

  it("have an entry of its own for the status", () => {
    const live = { ...deployment, metadata: { name: "d", uid: "u", managedFields: trackUpdate(write) } };
    const updated = { ...deployment, spec: {}, status: { replicas: 4 } };
    const entries = trackUpdate({ ...write, live, updated, subresource: "status", resetFields: [["spec"]] });
    expect(entries[1]).toEqual({
      manager: "m1",
      operation: "Update",
      apiVersion: "apps/v1",
      time,
      fieldsType: "FieldsV1",
      fieldsV1: { "f:status": { "f:replicas": {} } },
      subresource: "status",
    });
  });
});

describe("the managed fields of a custom resource", () => {
  const schema: FieldSchema = {
    type: "object",
    properties: {
      spec: {
        type: "object",
        properties: {
          items: {
            type: "array",
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["name", "port"],
            items: {
              type: "object",
              properties: { name: { type: "string" }, port: { type: "integer", default: 80 } },
            },
          },
          nums: { type: "array", "x-kubernetes-list-type": "set", items: { type: "integer" } },
          plain: { type: "array", items: { type: "object" } },
          atomic: {
            type: "object",
            "x-kubernetes-map-type": "atomic",
            additionalProperties: { type: "string" },
          },
          free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
          any: { "x-kubernetes-int-or-string": true },
        },
      },
    },
  };

  function fieldsAfter(spec: unknown, before?: unknown): unknown {
    const object = (of: unknown): JsonObject => ({
      apiVersion: "e.io/v1",
      kind: "T",
      metadata: { name: "t" },
      spec: of,
    });
    const live = before === undefined ? undefined : object(before);
    const managedFields = [
      {
        manager: "old",
        operation: "Update",
        apiVersion: "e.io/v1",
        fieldsType: "FieldsV1",
        fieldsV1: { "f:x": {} },
      },
    ];
    const entries = trackUpdate({
      live: live && { ...live, metadata: { name: "t", uid: "u", managedFields } },
      updated: object(spec),
      schema,
      isCustom: true,
      apiVersion: "e.io/v1",
      kind: "T",
      manager: "m",
      subresource: undefined,
      resetFields: [],
      time,
    });
    return entries.find(({ manager }) => manager === "m")?.fieldsV1;
  }

  it("follow the types of its lists and maps, and the value where the type is unknown", () => {
    expect(
      fieldsAfter({
        items: [{ name: "b" }, { name: "a", port: 443 }],
        nums: [10, 9],
        plain: [{ x: 1 }],
        atomic: { k: "v" },
        free: { x: { y: [1], w: 1 } },
        any: 3,
      }),
    ).toEqual({
      "f:spec": {
        ".": {},
        "f:any": {},
        "f:atomic": {},
        "f:free": { ".": {}, "f:x": { ".": {}, "f:w": {}, "f:y": {} } },
        "f:items": {
          ".": {},
          'k:{"name":"a","port":443}': { ".": {}, "f:name": {}, "f:port": {} },
          'k:{"name":"b","port":80}': { ".": {}, "f:name": {} },
        },
        "f:nums": { ".": {}, "v:9": {}, "v:10": {} },
        "f:plain": {},
      },
    });
  });

  it("follow values that change their form", () => {
    expect(fieldsAfter({ free: { x: { a: { b: {} } } } }, { free: { x: 1 } })).toEqual({
      "f:spec": { "f:free": { "f:x": { ".": {}, "f:a": { ".": {}, "f:b": {} } } } },
    });
    expect(fieldsAfter({ free: { x: 1 } }, { free: { x: { a: 1 } } })).toEqual({
      "f:spec": { "f:free": { "f:x": {} } },
    });
  });

  it("own a value as a whole after the definition made it atomic", () => {
    const fieldsV1 = { "f:spec": { ".": {}, "f:atomic": { ".": {}, "f:k": {} } } };
    const entry = {
      manager: "old",
      operation: "Update",
      apiVersion: "e.io/v1",
      fieldsType: "FieldsV1",
      fieldsV1,
    };
    const live = {
      apiVersion: "e.io/v1",
      kind: "T",
      metadata: { name: "t", uid: "u", managedFields: [entry] },
      spec: { atomic: { k: "v" } },
    };
    const [reconciled] = trackUpdate({
      live,
      updated: { ...live, metadata: { name: "t" }, spec: { ...live.spec, any: 1 } },
      schema,
      isCustom: true,
      apiVersion: "e.io/v1",
      kind: "T",
      manager: "m",
      subresource: undefined,
      resetFields: [],
      time,
    });
    expect(reconciled?.fieldsV1).toEqual({ "f:spec": { ".": {}, "f:atomic": {} } });
  });

  it("own items of the same key together", () => {
    const twice = [{ name: "a" }, { name: "a" }];
    expect(fieldsAfter({ items: twice }, { items: [{ name: "a" }] })).toEqual({
      "f:spec": { "f:items": { 'k:{"name":"a","port":80}': {} } },
    });
  });

  it("are found for garbage too", () => {
    const spec = fc.dictionary(
      fc.constantFrom("items", "nums", "plain", "atomic", "free", "any", "x"),
      fc.jsonValue(),
    );
    fc.assert(
      fc.property(spec, fc.option(spec, { nil: undefined }), (after, before) => {
        expect(() => fieldsAfter(after, before)).not.toThrow();
      }),
    );
  });
});
