import { describe, expect, it } from "vitest";
import { statusOperations } from "./write-status.ts";

describe("the steps from one status to another", () => {
  it("are none if nothing differs, and for no status from an empty one", () => {
    const status = { phase: "Ready", conditions: [{ type: "Ready" }] };
    expect(statusOperations(status, { ...status, note: undefined })).toEqual([]);
    expect(statusOperations(undefined, {})).toEqual([]);
    expect(statusOperations(undefined, { phase: undefined })).toEqual([]);
    expect(statusOperations({}, {})).toEqual([]);
  });

  it("make the whole status if there was none", () => {
    expect(statusOperations(undefined, { phase: "Ready" })).toEqual([
      { op: "add", path: "/status", value: { phase: "Ready" } },
    ]);
  });

  it("touch only the fields that differ, also inside of objects, and escape their names", () => {
    const before = { phase: "Pending", old: 1, zones: { "a/b": { ready: 1, all: 2 }, c: { ready: 0 } } };
    const after = { phase: "Ready", zones: { "a/b": { ready: 2, all: 2 }, d: {} }, old: undefined };
    expect(statusOperations(before, after)).toEqual([
      { op: "remove", path: "/status/old" },
      { op: "add", path: "/status/phase", value: "Ready" },
      { op: "remove", path: "/status/zones/c" },
      { op: "add", path: "/status/zones/a~1b/ready", value: 2 },
      { op: "add", path: "/status/zones/d", value: {} },
    ]);
  });

  it("replace a list as a whole", () => {
    expect(statusOperations({ list: [1, 2] }, { list: [1, 2, 3] })).toEqual([
      { op: "add", path: "/status/list", value: [1, 2, 3] },
    ]);
  });
});
