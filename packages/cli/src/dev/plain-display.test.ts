import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { makeRow } from "../../test/support/rows.ts";
import type { View } from "./display.ts";
import { PlainLines, plainDisplay } from "./plain-display.ts";

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

it("writes that all samples have settled as soon as all other objects have, too", () => {
  const stdout: string[] = [];
  const display = plainDisplay({
    stdout: { write: (text) => stdout.push(text) },
    stderr: { write: () => true },
  });
  const rowsWith = (isSettled: boolean) => [makeRow("webapp/web"), makeRow("webapp/mine", { isSettled })];
  let view: View = { rows: rowsWith(false), summary: "the sample is settled" };
  display.follow(() => view);
  vi.advanceTimersByTime(50);
  expect(stdout.join("")).not.toContain("settled");
  view = { ...view, rows: rowsWith(true) };
  display.changed();
  vi.advanceTimersByTime(50);
  display.end();
  expect(stdout.join("").match(/the sample is settled/g)).toHaveLength(1);
});

const event = { atMs: 0, reason: "Scaled", message: "to 3", isWarning: false };

describe("plain lines", () => {
  it("show each row when it is new and when it has changed, and not when only its age has", () => {
    const lines = new PlainLines();
    const web = makeRow("webapp/web", { phase: "Scaling", ready: "1/3", isSettled: false });
    const job = makeRow("backup/job", { namespace: "shop", phase: "Running", ready: undefined });
    expect(lines.changes([web, job])).toEqual([
      "webapp/web: Scaling, 1/3 ready",
      "backup/job in shop: Running",
    ]);
    expect(lines.changes([{ ...web, createdMs: 7 }, job])).toEqual([]);
    expect(lines.changes([{ ...web, event }, job])).toEqual(["webapp/web: Scaling, 1/3 ready; Scaled: to 3"]);
    expect(lines.changes([makeRow("webapp/web", { event }), job])).toEqual([
      "webapp/web: Ready, 3/3 ready; Scaled: to 3",
    ]);
  });

  it("show a problem rather than an event", () => {
    const row = makeRow("webapp/web", { phase: "Failed", ready: undefined, problem: "no such image", event });
    expect(new PlainLines().changes([row])).toEqual(["webapp/web: Failed; no such image"]);
  });

  it("show once that an object was deleted, and show it again when it is created anew", () => {
    const lines = new PlainLines();
    const row = makeRow("webapp/web");
    lines.changes([row]);
    expect(lines.changes([])).toEqual(["webapp/web: deleted"]);
    expect(lines.changes([])).toEqual([]);
    expect(lines.changes([row])).toEqual(["webapp/web: Ready, 3/3 ready"]);
  });

  it("are lines, and not too long", () => {
    const message = `first\nsecond ${"long ".repeat(100)}`;
    const [line = ""] = new PlainLines().changes([makeRow("webapp/web", { event: { ...event, message } })]);
    expect(line).toMatch(/^webapp\/web: Ready, 3\/3 ready; Scaled: first second long .*…$/);
    expect(line).toHaveLength(160);
  });
});
