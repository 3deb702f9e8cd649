import { expect, it } from "vitest";
import { describeSelfWoken } from "./self-woken-report.ts";

it("names the object, what changes and what to do", () => {
  const report = {
    controller: "webapp",
    keyText: "shop/web",
    object: "WebApp shop/web",
    fields: ["status.checkedAt", "status.runs"],
    runs: 20,
    windowMs: 10_000,
    holdMs: 1000,
  };
  expect(describeSelfWoken(report)).toBe(
    "write WebApp shop/web: 20 runs within 10 s changed it (status.checkedAt, status.runs) and nobody else did; " +
      "a write that changes something wakes whoever watches the object: write only what differs, leave times and " +
      "counters out, or ignore such changes with a predicate",
  );
});
