import { describe, expect, it } from "vitest";
import {
  type ConditionUpdate,
  findCondition,
  isConditionTrue,
  mergeConditions,
  removeCondition,
  setCondition,
} from "./conditions.ts";
import { freeze } from "./immutable.ts";
import type { Condition } from "./meta.ts";

const before = "2026-01-01T00:00:00Z";
const nowMs = Date.UTC(2026, 1, 2, 3, 4, 5, 678);
const now = "2026-02-02T03:04:05Z";

const ready: Condition = {
  type: "Ready",
  status: "False",
  observedGeneration: 1,
  lastTransitionTime: before,
  reason: "PodsMissing",
  message: "0 of 2 pods are ready",
};
const foreign: Condition = { ...ready, type: "Foreign", status: "True" };
const conditions = freeze([ready, foreign]);

function updateOf(
  { lastTransitionTime: _, ...update }: Condition,
  change: Partial<ConditionUpdate> = {},
): ConditionUpdate {
  return { ...update, ...change };
}

describe("setting a condition", () => {
  it("appends one that is new, with the time of now in whole seconds", () => {
    const update = updateOf(ready, { type: "Synced" });
    expect(setCondition(conditions, update, nowMs)).toEqual([
      ready,
      foreign,
      { ...ready, type: "Synced", lastTransitionTime: now },
    ]);
    expect(setCondition(undefined, update, nowMs)).toHaveLength(1);
  });

  it("changes the time if the status changes", () => {
    const update = updateOf(ready, { status: "True", reason: "AllReady", message: "" });
    expect(setCondition(conditions, update, nowMs)).toEqual([
      { ...ready, status: "True", reason: "AllReady", message: "", lastTransitionTime: now },
      foreign,
    ]);
  });

  it.each<Partial<ConditionUpdate>>([{ reason: "Other" }, { message: "1 of 2" }, { observedGeneration: 2 }])(
    "keeps the time if only %j changes",
    (change) => {
      const changed = setCondition(conditions, updateOf(ready, change), nowMs);
      expect(changed).toEqual([{ ...ready, ...change }, foreign]);
    },
  );

  it("returns the same array if nothing changes", () => {
    expect(setCondition(conditions, updateOf(ready), nowMs)).toBe(conditions);
  });

  it("drops the observed generation if the update has none", () => {
    const { observedGeneration: _, ...update } = updateOf(ready);
    const [changed] = setCondition(conditions, update, nowMs);
    expect(changed).toBeDefined();
    expect(changed).not.toHaveProperty("observedGeneration");
    expect(changed).toHaveProperty("lastTransitionTime", before);
  });

  it("leaves the other conditions and unknown fields alone", () => {
    const probed = { ...ready, lastProbeTime: before };
    const changed = setCondition([foreign, probed], updateOf(ready, { status: "Unknown" }), nowMs);
    expect(changed[0]).toBe(foreign);
    expect(changed[1]).toEqual({ ...probed, status: "Unknown", lastTransitionTime: now });
  });

  it("takes nothing from an update but what a condition holds", () => {
    const update = { ...updateOf(ready, { type: "Synced" }), lastTransitionTime: before, password: "x" };
    expect(setCondition([], update, nowMs)).toEqual([{ ...ready, type: "Synced", lastTransitionTime: now }]);
  });
});

describe("merging conditions", () => {
  it("applies all updates, the later one of a type winning", () => {
    const merged = mergeConditions(
      conditions,
      [
        updateOf(ready, { status: "Unknown" }),
        updateOf(ready, { type: "Synced", status: "True" }),
        updateOf(ready, { message: "last" }),
      ],
      nowMs,
    );
    expect(merged).toEqual([
      { ...ready, message: "last" },
      foreign,
      { ...ready, type: "Synced", status: "True", lastTransitionTime: now },
    ]);
  });

  it("returns the same array if nothing changes", () => {
    expect(mergeConditions(conditions, [updateOf(ready), updateOf(foreign)], nowMs)).toBe(conditions);
    expect(mergeConditions(conditions, [], nowMs)).toBe(conditions);
    expect(mergeConditions(undefined, [], nowMs)).toEqual([]);
  });
});

describe("conditions", () => {
  it("are found and removed by type", () => {
    expect(findCondition(conditions, "Foreign")).toBe(foreign);
    expect(findCondition(undefined, "Foreign")).toBeUndefined();
    expect(removeCondition(conditions, "Ready")).toEqual([foreign]);
    expect(removeCondition(conditions, "Missing")).toBe(conditions);
    expect(removeCondition(undefined, "Missing")).toEqual([]);
  });

  it("are true only if their status is True", () => {
    expect(isConditionTrue(conditions, "Foreign")).toBe(true);
    expect(isConditionTrue(conditions, "Ready")).toBe(false);
    expect(isConditionTrue([{ ...ready, status: "Unknown" }], "Ready")).toBe(false);
    expect(isConditionTrue(conditions, "Missing")).toBe(false);
    expect(isConditionTrue(undefined, "Ready")).toBe(false);
  });
});
