import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { makeRow } from "../../test/support/rows.ts";
import type { View } from "./display.ts";
import { plainDisplay } from "./plain-display.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("writes a line for each change, and one whenever all samples have settled; warnings go to standard error", () => {
  const stdout: string[] = [];
  const stderr: string[] = [];
  const display = plainDisplay({
    stdout: { write: (text) => stdout.push(text) },
    stderr: { write: (text) => stderr.push(text) },
  });
  const open: View = {
    rows: [makeRow("webapp/web", { phase: "Scaling", isSettled: false })],
    summary: "0 of 1",
  };
  const settled: View = { rows: [makeRow("webapp/web")], summary: "the sample is settled" };
  let view = open;
  const show = (next: View): void => {
    view = next;
    display.changed();
    vi.advanceTimersByTime(50);
  };
  display.await("starting …");
  display.print("ready\n");
  display.follow(() => view);
  show(open);
  show(settled);
  show(settled);
  show(open);
  show(settled);
  display.note("something is odd\n    at somewhere");
  display.end();
  expect(stdout.join("").split("\n")).toEqual([
    "ready",
    "webapp/web: Scaling, 3/3 ready",
    "webapp/web: Ready, 3/3 ready",
    "the sample is settled",
    "webapp/web: Scaling, 3/3 ready",
    "webapp/web: Ready, 3/3 ready",
    "the sample is settled",
    "",
  ]);
  expect(stderr).toEqual(["something is odd\n    at somewhere\n"]);
  expect(vi.getTimerCount()).toBe(0);
});
