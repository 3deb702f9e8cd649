import type { JsonPatchOperation } from "@keelson/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ApiError } from "../status/api-error.ts";
import { applyJsonPatch } from "./json-patch.ts";

const object = { metadata: { name: "a" }, data: { k: "v", list: [1, 2, 3] } };

function patched(...operations: JsonPatchOperation[]): unknown {
  return applyJsonPatch(object, operations).data;
}

function refusal(...operations: unknown[]): unknown {
  try {
    applyJsonPatch(object, operations as JsonPatchOperation[]);
    return undefined;
  } catch (error) {
    return error instanceof ApiError ? error.status : error;
  }
}

describe("a JSON patch", () => {
  it("adds, replaces, removes, moves and copies", () => {
    expect(patched({ op: "add", path: "/data/x", value: 1 })).toEqual({ ...object.data, x: 1 });
    expect(patched({ op: "remove", path: "/data/k" })).toEqual({ list: [1, 2, 3] });
    expect(patched({ op: "move", from: "/data/k", path: "/data/~1~0" })).toEqual({
      list: [1, 2, 3],
      "/~": "v",
    });
    expect(patched({ op: "copy", from: "/data/list/0", path: "/data/list/-" })).toEqual({
      k: "v",
      list: [1, 2, 3, 1],
    });
  });

  it("adds a field by replacing it, and null by copying one that is missing", () => {
    expect(patched({ op: "replace", path: "/data/none", value: "1" })).toEqual({ ...object.data, none: "1" });
    expect(patched({ op: "copy", from: "/data/none", path: "/data/r" })).toEqual({ ...object.data, r: null });
  });

  it("counts negative indices from the end", () => {
    expect(patched({ op: "remove", path: "/data/list/-1" })).toEqual({ k: "v", list: [1, 2] });
    expect(patched({ op: "add", path: "/data/list/-1", value: 9 })).toEqual({ k: "v", list: [1, 2, 3, 9] });
  });

  it("passes a test of a missing field for null", () => {
    expect(patched({ op: "test", path: "/data/none", value: null })).toEqual(object.data);
  });

  it("is refused with the same message whatever is wrong", () => {
    const status = {
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message: "the server rejected our request due to an error in our request",
      reason: "Invalid",
      details: {},
      code: 422,
    };
    for (const operation of [
      { op: "test", path: "/data/k", value: "zz" },
      { op: "test", path: "/data/k", value: null },
      { op: "remove", path: "/data/none" },
      { op: "replace", path: "/nope/none", value: "1" },
      { op: "add", path: "/nope/none", value: "1" },
      { op: "add", path: "/data/list/4", value: 1 },
      { op: "replace", path: "/data/list/3", value: 1 },
      { op: "remove", path: "/data/list/x" },
      { op: "move", from: "/data/q", path: "/data/r" },
      { op: "add", path: "data", value: 1 },
      { op: "add", path: "", value: {} },
      { op: "replace", path: "", value: 3 },
      { op: "bla", path: "/data" },
      { op: "add" },
      null,
    ]) {
      expect(refusal(operation)).toEqual(status);
    }
  });

  it("has at most ten thousand operations", () => {
    const operations = new Array(10_001).fill({ op: "test", path: "/none", value: null });
    expect(refusal(...operations)).toMatchObject({
      code: 413,
      reason: "RequestEntityTooLarge",
      message: "Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001",
    });
  });

  it("cannot blow the object up by copying it into itself", () => {
    const operations = Array.from({ length: 40 }, (_, i) => ({
      op: "copy",
      from: "/data",
      path: `/data/x${i}`,
    }));
    expect(refusal(...operations)).toMatchObject({ code: 422 });
  });

  it("treats __proto__ like any other field", () => {
    const result = applyJsonPatch(object, [{ op: "add", path: "/data/__proto__", value: { polluted: 1 } }]);
    expect(Object.keys(result.data ?? {})).toContain("__proto__");
    expect(Reflect.get({}, "polluted")).toBeUndefined();
  });

  it("never changes the object, and only ever throws ApiErrors", () => {
    const before = JSON.stringify(object);
    const path = fc.oneof(
      fc.constantFrom("", "/data", "/data/list/0", "/data/list/-", "/data/k", "/data/list/-9"),
      fc.string(),
    );
    const operation = fc.record({
      op: fc.constantFrom("add", "remove", "replace", "test", "move", "copy", "x"),
      path,
      from: path,
      value: fc.jsonValue(),
    });
    fc.assert(
      fc.property(fc.array(fc.oneof(operation, fc.jsonValue()), { maxLength: 8 }), (operations) => {
        const result = refusal(...operations);
        if (result !== undefined) expect(result).toHaveProperty("status", "Failure");
        expect(JSON.stringify(object)).toBe(before);
      }),
    );
  });
});
