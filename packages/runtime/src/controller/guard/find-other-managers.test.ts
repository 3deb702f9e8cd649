import type { KubeObject, ManagedFieldsEntry } from "@keelson/core";
import { describe, expect, it } from "vitest";
import { findOtherManagers } from "./find-other-managers.ts";

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
  it("are its owners but the own one, the last writer first", () => {
    const owners = [entry("a", 1, { fieldsV1: replicas }), entry("own", 3, { fieldsV1: replicas })];
    expect(find([...owners, entry("b", 2, { fieldsV1: replicas }), entry("c", 9)])).toEqual(["b", "a"]);
  });

  it("are whoever wrote last to that part of the object, if the field is gone", () => {
    const status = { subresource: "status" };
    const entries = [entry("own", 9), entry("a", 1), entry("b", 2), entry("c", 3, status)];
    expect(find(entries)).toEqual(["b"]);
    expect(find(entries, "status.phase")).toEqual(["c"]);
  });

  it("are none if the field is held under the own name: nobody else is to be blamed", () => {
    expect(find([entry("own", 1, { fieldsV1: replicas }), entry("other", 2)])).toEqual([]);
  });
});
