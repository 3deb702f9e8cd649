import type { KubeObject, ManagedFieldsEntry } from "@keelson/core";
import { describe, expect, it } from "vitest";
import { fieldManagers, managedFieldOwners } from "./managed-field-owners.ts";

type Fields = NonNullable<ManagedFieldsEntry["fieldsV1"]>;

/** An object whose fields are managed so. */
function managed(sets: Readonly<Record<string, Fields>>, rest: object = {}): KubeObject {
  const managedFields = Object.entries(sets).map(([manager, fieldsV1]) => ({ manager, fieldsV1 }));
  return { apiVersion: "v1", kind: "Any", metadata: { managedFields }, ...rest };
}

const names = (object: KubeObject, path: string): readonly string[] =>
  managedFieldOwners(object, path).map(({ manager }) => manager);

describe("the owners of a field", () => {
  it("are those whose set has the field, a part of it, or all that it is a part of", () => {
    const object = managed({
      leaf: { "f:spec": { "f:replicas": {} } },
      part: { "f:spec": { "f:replicas": { "f:deep": {} } } },
      whole: { "f:spec": {} },
      beside: { "f:spec": { "f:image": {} } },
      elsewhere: { "f:status": { "f:replicas": {} } },
      nothing: {},
    });
    expect(names(object, "spec.replicas")).toEqual(["leaf", "part", "whole"]);
    expect(names(object, "spec.replicas.deep")).toEqual(["leaf", "part", "whole"]);
    expect(names(object, "spec")).toEqual(["leaf", "part", "whole", "beside"]);
    expect(names(object, "metadata")).toEqual([]);
  });

  it("are not those who own only the map that the field is in", () => {
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

  it("of an element that is gone are found if the list is keyed by what the path names", () => {
    const object = managed({
      a: { "f:spec": { "f:containers": { 'k:{"name":"web"}': { "f:image": {} } } } },
    });
    expect(names(object, "spec.containers[name=web].image")).toEqual(["a"]);
    expect(names(object, "spec.containers[name=db].image")).toEqual([]);
    expect(names(object, "spec.containers[0].image")).toEqual([]);
  });

  it("of an element of a set or of a plain list are found by value and by place", () => {
    const object = managed(
      {
        set: { "f:metadata": { "f:finalizers": { 'v:"a/b"': {} } } },
        place: { "f:metadata": { "f:finalizers": { "i:1": {} } } },
      },
      {},
    );
    const withFinalizers = { ...object, metadata: { ...object.metadata, finalizers: ["a/b", "c/d"] } };
    expect(names(withFinalizers, "metadata.finalizers[0]")).toEqual(["set"]);
    expect(names(withFinalizers, "metadata.finalizers[1]")).toEqual(["place"]);
  });

  it("come with what is known of them, the one that wrote last first", () => {
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

  it("are none where nothing is known", () => {
    const object: KubeObject = { apiVersion: "v1", kind: "Any", metadata: {} };
    expect(managedFieldOwners(object, "spec.replicas")).toEqual([]);
  });
});
