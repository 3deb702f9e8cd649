import type { ManagedFieldsEntry } from "@keelson/core";
import { describe, expect, it } from "vitest";
import { managedFieldsAfterScale, managedFieldsOfScale } from "./scale-managed-fields.ts";

const time = "2026-01-01T00:00:00Z";
const paths = new Map([["apps/v1", ["spec", "replicas"]]]);
const replicas = { "f:spec": { "f:replicas": {} } };

function entry(
  manager: string,
  fieldsV1: object,
  more: Partial<ManagedFieldsEntry> = {},
): ManagedFieldsEntry {
  return {
    manager,
    operation: "Update",
    apiVersion: "apps/v1",
    time,
    fieldsType: "FieldsV1",
    fieldsV1: { ...fieldsV1 },
    ...more,
  };
}

const owner = entry("m1", { "f:spec": { "f:replicas": {}, "f:selector": {} } });
const other = entry("kcm", { "f:status": {} }, { subresource: "status" });

describe("the managed fields of a Scale", () => {
  it("have the owners of the replicas", () => {
    expect(managedFieldsOfScale([owner, other], paths)).toEqual([
      entry("m1", replicas, { apiVersion: "autoscaling/v1" }),
    ]);
  });

  it("assign the replicas to the manager of the Scale, without a time", () => {
    const scaled = [entry("sc", replicas, { apiVersion: "autoscaling/v1", subresource: "scale" })];
    const after = managedFieldsAfterScale([owner, other], scaled, paths, "apps/v1");
    const { time: _time, ...timeless } = entry("sc", replicas, { subresource: "scale" });
    expect(after).toEqual([timeless, other, entry("m1", { "f:spec": { "f:selector": {} } })]);
  });

  it("split the entry of an updater even if the write changed nothing", () => {
    const unchanged = managedFieldsOfScale([owner], paths);
    const { time: _time, ...timeless } = entry("m1", replicas);
    expect(managedFieldsAfterScale([owner], unchanged, paths, "apps/v1")).toEqual([
      timeless,
      entry("m1", { "f:spec": { "f:selector": {} } }),
    ]);
  });

  it("leave the entry of an applier alone", () => {
    const applier = entry("app", replicas, { operation: "Apply" });
    const unchanged = managedFieldsOfScale([applier], paths);
    expect(managedFieldsAfterScale([applier], unchanged, paths, "apps/v1")).toEqual([applier]);
  });
});
