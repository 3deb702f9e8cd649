import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { sensitive } from "./sensitive.ts";

describe("a sensitive value", () => {
  it("is not shown by any way of printing, and is returned by reveal", () => {
    const wrapped = sensitive("hunter2");
    const shown = [
      `${wrapped}`,
      String(wrapped),
      JSON.stringify({ wrapped }),
      inspect({ wrapped }, { depth: 9 }),
    ];
    expect(shown.join(" ")).not.toContain("hunter2");
    expect(shown).toEqual([
      "[redacted]",
      "[redacted]",
      '{"wrapped":"[redacted]"}',
      "{ wrapped: [redacted] }",
    ]);
    expect(wrapped.reveal()).toBe("hunter2");
  });
});
