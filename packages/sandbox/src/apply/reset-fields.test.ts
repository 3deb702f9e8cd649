import { describe, expect, it } from "vitest";
import { resetFieldsOf } from "./reset-fields.ts";

const deployments = { group: "apps", plural: "deployments", isCustom: false, hasStatus: true };
const custom = { group: "e.io", plural: "things", isCustom: true, hasStatus: true };

describe("the fields that a write resets", () => {
  it("are the status for the object itself, if it has one apart", () => {
    expect(resetFieldsOf({ ...deployments, subresource: undefined })).toEqual([["status"]]);
    expect(resetFieldsOf({ ...custom, hasStatus: false, subresource: undefined })).toEqual([]);
  });

  it("are those of the kind for the status", () => {
    expect(resetFieldsOf({ ...deployments, subresource: "status" })).toEqual([
      ["spec"],
      ["metadata", "labels"],
    ]);
    expect(resetFieldsOf({ ...deployments, plural: "replicasets", subresource: "status" })).toEqual([
      ["spec"],
    ]);
    expect(resetFieldsOf({ ...custom, subresource: "status" })).toEqual([["metadata"], ["spec"]]);
  });

  it("are the same list each time", () => {
    const part = { ...custom, subresource: "status" };
    expect(resetFieldsOf(part)).toBe(resetFieldsOf(part));
  });
});
