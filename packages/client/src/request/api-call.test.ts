import { describe, expect, it } from "vitest";
import { type ApiCall, isDryRun, isWrite, type Verb } from "./api-call.ts";

const resource = {
  group: "",
  version: "v1",
  kind: "ConfigMap",
  plural: "configmaps",
  scope: "Namespaced",
} as const;

function callOf(verb: Verb, more: Partial<ApiCall> = {}): ApiCall {
  return { verb, resource, query: {}, isStream: false, ...more };
}

const bodyOf = (value: unknown) => ({ body: { contentType: "application/json", value } });

describe("a call", () => {
  it("is a write unless it gets, lists or watches", () => {
    const verbs: readonly Verb[] = ["create", "update", "patch", "delete", "deletecollection"];
    expect(verbs.every((verb) => isWrite(callOf(verb)))).toBe(true);
    expect((["get", "list", "watch"] as const).some((verb) => isWrite(callOf(verb)))).toBe(false);
  });

  it("is a dry run by its query, or, if it deletes, by its body", () => {
    expect(isDryRun(callOf("create", { query: { dryRun: "All" } }))).toBe(true);
    expect(isDryRun(callOf("delete", bodyOf({ dryRun: ["All"] })))).toBe(true);
    expect(isDryRun(callOf("deletecollection", bodyOf({ kind: "DeleteOptions", dryRun: ["All"] })))).toBe(
      true,
    );
    expect(isDryRun(callOf("delete", bodyOf({ kind: "DeleteOptions" })))).toBe(false);
    expect(isDryRun(callOf("update"))).toBe(false);
  });

  it("is no dry run because its object has a field of that name", () => {
    expect(isDryRun(callOf("create", bodyOf({ kind: "Plan", dryRun: true })))).toBe(false);
  });
});
