import { expect, it } from "vitest";
import { devLogger } from "./dev-logger.ts";

it("shows warnings and errors on the display, and writes everything to the file", () => {
  const notes: string[] = [];
  const kept: string[] = [];
  const log = devLogger({ note: (text) => notes.push(text), keep: (line) => kept.push(line) });
  const inner = log.with({ controller: "webapp" });
  inner.info("reconciled");
  inner.warn("is late");
  inner.error("failed", { error: new Error("no such image") });
  // The API server shares the process: a short block of the event loop may be its own.
  inner.warn("blocked the event loop", { blockedMs: 200 });
  inner.warn("blocked the event loop", { blockedMs: 2_000 });
  expect(notes.map((text) => text.split("\n", 1)[0]?.slice(14))).toEqual([
    "WARN  is late controller=webapp",
    'ERROR failed controller=webapp error="no such image"',
    "WARN  blocked the event loop controller=webapp blockedMs=2000",
  ]);
  expect(kept).toHaveLength(5);
  expect(kept[0]).toContain("INFO  reconciled controller=webapp");
});
