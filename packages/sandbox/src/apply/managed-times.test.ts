import { describe, expect, it } from "vitest";
import { keepTimesOfUnchanged } from "./managed-times.ts";

function object(time: string, data: string): { metadata: { managedFields: readonly { time: string }[] } } {
  return Object({ metadata: { name: "a", managedFields: [{ manager: "m", time }] }, data: { k: data } });
}

describe("the times of managed fields", () => {
  it("stay as they were if they are all that changed", () => {
    const after = object("2026-01-01T00:00:05Z", "1");
    keepTimesOfUnchanged(Object(after), Object(object("2026-01-01T00:00:00Z", "1")));
    expect(after.metadata.managedFields[0]?.time).toBe("2026-01-01T00:00:00Z");
  });

  it("move if anything else changed", () => {
    const after = object("2026-01-01T00:00:05Z", "2");
    keepTimesOfUnchanged(Object(after), Object(object("2026-01-01T00:00:00Z", "1")));
    expect(after.metadata.managedFields[0]?.time).toBe("2026-01-01T00:00:05Z");
  });
});
