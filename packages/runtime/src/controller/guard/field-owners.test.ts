import type { KubeObject, ManagedFieldsEntry } from "@keelson/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { changedFields } from "../../source/changed-paths.ts";
import {
  fieldManagers,
  findOtherManagers,
  managedFieldOwners,
  parseFieldPath,
  valueAt,
} from "./field-owners.ts";

describe("a field path", () => {
  it("is parsed into fields, indexes and elements by name", () => {
    const path = 'spec.my-list[name=web].env["a.b/c"][2][port=80][type="8.0]"]';
    expect(parseFieldPath(path)).toEqual([
      { type: "field", name: "spec" },
      { type: "field", name: "my-list" },
      { type: "element", name: "name", value: "web" },
      { type: "field", name: "env" },
      { type: "field", name: "a.b/c" },
      { type: "index", index: 2 },
      { type: "element", name: "port", value: "80" },
      { type: "element", name: "type", value: "8.0]" },
    ]);
  });

  it("leads to the value of a field, and to undefined if the field does not exist", () => {
    const object = { spec: { containers: [{ name: "web", ports: [80, 81] }], constructor: 1 } };
    const at = (path: string): unknown => valueAt(object, parseFieldPath(path));
    expect(at("spec.containers[name=web].ports[1]")).toBe(81);
    expect(at("spec.containers[name=db].ports[1]")).toBeUndefined();
    expect(at("spec.containers.ports")).toBeUndefined();
    expect([at("spec.constructor"), at("constructor")]).toEqual([1, undefined]);
  });

  it("of any change leads to the value before and the value after", () => {
    const name = fc.oneof(fc.constantFrom("web", "8080", "a]b", 'a"b', "x\\", "é ü"), fc.string());
    const element = fc.record({ name, image: fc.constantFrom("a", "b") });
    const list = fc.uniqueArray(element, { selector: (item) => item.name, maxLength: 4 });
    const objects = fc.record({
      spec: fc.dictionary(
        fc.oneof(name, fc.constantFrom("a.b/c", "constructor")),
        fc.integer({ max: 1, min: 0 }),
      ),
      list,
      numbers: fc.array(fc.integer({ max: 1, min: 0 }), { maxLength: 3 }),
    });
    fc.assert(
      fc.property(objects, objects, (old, now) => {
        for (const { path, before, after } of changedFields(old, now)) {
          const steps = parseFieldPath(path);
          expect([path, valueAt(old, steps), valueAt(now, steps)]).toEqual([path, before, after]);
        }
      }),
    );
  });
});

type Fields = NonNullable<ManagedFieldsEntry["fieldsV1"]>;

/** An object with these managedFields: the sets by the name of their manager. */
function managed(sets: Readonly<Record<string, Fields>>, rest: object = {}): KubeObject {
  const managedFields = Object.entries(sets).map(([manager, fieldsV1]) => ({ manager, fieldsV1 }));
  return { apiVersion: "v1", kind: "Any", metadata: { managedFields }, ...rest };
}

const names = (object: KubeObject, path: string): readonly string[] =>
  managedFieldOwners(object, path).map(({ manager }) => manager);

describe("the owners of a field", () => {
  it("are the managers whose set has the field, or a part of it", () => {
    const object = managed({
      leaf: { "f:spec": { "f:replicas": {} } },
      part: { "f:spec": { "f:replicas": { "f:deep": {} } } },
      whole: { "f:spec": {} },
      beside: { "f:spec": { "f:image": {} } },
      elsewhere: { "f:status": { "f:replicas": {} } },
      nothing: {},
    });
    expect(names(object, "spec.replicas")).toEqual(["leaf", "part"]);
    expect(names(object, "spec.replicas.deep")).toEqual(["part"]);
    expect(names(object, "spec")).toEqual(["leaf", "part", "whole", "beside"]);
    expect(names(object, "metadata")).toEqual([]);
  });

  it("are not the managers that own only the map of the field", () => {
    const object = managed({
      map: { "f:metadata": { "f:labels": { ".": {} } } },
      entry: { "f:metadata": { "f:labels": { "f:example.com/app": {} } } },
    });
    expect(names(object, 'metadata.labels["example.com/app"]')).toEqual(["entry"]);
    expect(names(object, "metadata.labels")).toEqual(["map", "entry"]);
  });

  it("of an element are found by the keys of its list, whatever the path names it by", () => {
    const ports = [
      { name: "http", port: 80, protocol: "TCP" },
      { name: "dns", port: 53, protocol: "UDP" },
    ];
    const object = managed(
      {
        http: {
          "f:spec": { "f:ports": { 'k:{"port":80,"protocol":"TCP"}': { ".": {}, "f:targetPort": {} } } },
        },
        dns: {
          "f:spec": { "f:ports": { 'k:{"port":53,"protocol":"UDP"}': { ".": {}, "f:targetPort": {} } } },
        },
      },
      { spec: { ports } },
    );
    expect(names(object, "spec.ports[name=dns].targetPort")).toEqual(["dns"]);
    expect(names(object, "spec.ports[port=80].targetPort")).toEqual(["http"]);
    expect(names(object, "spec.ports[1].targetPort")).toEqual(["dns"]);
    expect(names(object, "spec.ports[port=53].nodePort")).toEqual([]);
  });

  it("of a removed element are found if the list is keyed by what the path names", () => {
    const object = managed({
      a: { "f:spec": { "f:containers": { 'k:{"name":"web"}': { "f:image": {} } } } },
    });
    expect(names(object, "spec.containers[name=web].image")).toEqual(["a"]);
    expect(names(object, "spec.containers[name=db].image")).toEqual([]);
    expect(names(object, "spec.containers[0].image")).toEqual([]);
  });

  it("of an element of a set or of a plain list are found by value and by index", () => {
    const object = managed(
      {
        set: { "f:metadata": { "f:finalizers": { 'v:"a/b"': {} } } },
        index: { "f:metadata": { "f:finalizers": { "i:1": {} } } },
      },
      {},
    );
    const withFinalizers = { ...object, metadata: { ...object.metadata, finalizers: ["a/b", "c/d"] } };
    expect(names(withFinalizers, "metadata.finalizers[0]")).toEqual(["set"]);
    expect(names(withFinalizers, "metadata.finalizers[1]")).toEqual(["index"]);
  });

  it("of a field in a map are those of the map itself only if no part of the map has an owner: it is atomic", () => {
    const object = managed(
      {
        creator: { "f:data": {} },
        writer: { "f:data": { "f:mode": {} } },
        both: { "f:spec": { "f:selector": {} } },
      },
      { data: { mode: "auto", other: "x" }, spec: { selector: { app: "web" } } },
    );
    expect(names(object, "data.mode")).toEqual(["writer"]);
    expect(names(object, "data.other")).toEqual([]);
    expect(names(object, "spec.selector.app")).toEqual(["both"]);
    expect(names(managed({ creator: { "f:data": {} } }, {}), "data.mode")).toEqual(["creator"]);
  });

  it("come with their operation, subresource and time, the last writer first", () => {
    const fieldsV1 = { "f:spec": { "f:replicas": {} } };
    const early = { manager: "early", operation: "Apply", time: "2026-01-01T00:00:01Z", fieldsV1 } as const;
    const late = { manager: "late", operation: "Update", subresource: "scale", fieldsV1 } as const;
    const managedFields = [early, { ...late, time: "2026-01-01T00:00:09Z" }, { ...early, fieldsV1: {} }];
    const object: KubeObject = { apiVersion: "v1", kind: "Any", metadata: { managedFields } };
    expect(managedFieldOwners(object, "spec.replicas")).toEqual([
      { manager: "late", operation: "Update", subresource: "scale", time: "2026-01-01T00:00:09Z" },
      { manager: "early", operation: "Apply", time: "2026-01-01T00:00:01Z" },
    ]);
    expect(fieldManagers(object).map(({ manager }) => manager)).toEqual(["late", "early", "early"]);
  });

  it("are none without managedFields", () => {
    const object: KubeObject = { apiVersion: "v1", kind: "Any", metadata: {} };
    expect(managedFieldOwners(object, "spec.replicas")).toEqual([]);
  });
});

const replicas = { "f:spec": { "f:replicas": {} } };
const entry = (manager: string, seconds: number, rest: ManagedFieldsEntry = {}): ManagedFieldsEntry => ({
  manager,
  time: `2026-01-01T00:00:0${seconds}Z`,
  fieldsV1: { "f:spec": { "f:paused": {} } },
  ...rest,
});
const find = (managedFields: readonly ManagedFieldsEntry[], path = "spec.replicas"): readonly string[] => {
  const live: KubeObject = { apiVersion: "v1", kind: "Any", metadata: { managedFields } };
  return findOtherManagers(live, path, ["own"]).map(({ manager }) => manager);
};

describe("the other managers of a field", () => {
  it("are its owners without the own manager, the last writer first", () => {
    const owners = [entry("a", 1, { fieldsV1: replicas }), entry("own", 3, { fieldsV1: replicas })];
    expect(find([...owners, entry("b", 2, { fieldsV1: replicas }), entry("c", 9)])).toEqual(["b", "a"]);
  });

  it("are the last writer of the status or of the rest of the object, if the field was removed", () => {
    const status = { subresource: "status" };
    const entries = [entry("own", 9), entry("a", 1), entry("b", 2), entry("c", 3, status)];
    expect(find(entries)).toEqual(["b"]);
    expect(find(entries, "status.phase")).toEqual(["c"]);
  });

  it("are none if the own manager owns the field", () => {
    expect(find([entry("own", 1, { fieldsV1: replicas }), entry("other", 2)])).toEqual([]);
  });
});
