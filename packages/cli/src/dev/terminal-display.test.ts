import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { FakeTerminal } from "../../test/support/fake-terminal.ts";
import { makeRow } from "../../test/support/rows.ts";
import type { Display, View } from "./display.ts";
import { terminalDisplay } from "./terminal-display.ts";

const opening = "Kubernetes is ready\n";

let terminal: FakeTerminal;
let display: Display;
let view: View;
let nowMs: number;

beforeEach(() => {
  vi.useFakeTimers();
  terminal = new FakeTerminal(80, 24);
  nowMs = 5_000;
  display = terminalDisplay({ terminal, hasColors: false, nowMs: () => nowMs });
  view = { rows: [makeRow("webapp/web", { phase: "Scaling", isSettled: false })], summary: "0 of 1 settled" };
});

afterEach(() => void vi.useRealTimers());

function begin(): void {
  display.await("starting …");
  display.print(opening);
  display.follow(() => view);
}

describe("the display on a terminal", () => {
  it("shows what is waited for until there is a table to show", () => {
    display.await("starting …");
    expect(terminal.lines).toEqual(["starting …", ""]);
    display.print(opening);
    expect(terminal.lines).toEqual(["Kubernetes is ready", ""]);
  });

  it("draws the table soon after a change, once for many", () => {
    begin();
    expect(terminal.lines).toEqual([
      "Kubernetes is ready",
      "SAMPLE      PHASE    READY  AGE  LAST EVENT",
      "webapp/web  Scaling  3/3    5s",
      "",
      "0 of 1 settled",
      "",
    ]);
    const before = terminal.writes;
    view = { rows: [makeRow("webapp/web")], summary: "the sample is settled" };
    for (let changes = 0; changes < 10; changes++) display.changed();
    vi.advanceTimersByTime(50);
    expect(terminal.writes - before).toBe(1);
    expect(terminal.lines).toContain("webapp/web  Ready  3/3    5s");
  });

  it("keeps ages true", () => {
    begin();
    nowMs = 6_000;
    vi.advanceTimersByTime(1_000);
    expect(terminal.lines).toContain("webapp/web  Scaling  3/3    6s");
  });

  it("shows problems and the last two warnings in a line each below the table, without tearing it", () => {
    view = { rows: [makeRow("webapp/web", { problem: "no such image" })], summary: "" };
    begin();
    for (const text of ["first", "second\n  at somewhere", "third"]) display.note(text);
    vi.advanceTimersByTime(50);
    expect(terminal.lines.slice(-5)).toEqual(["", "webapp/web: no such image", "second", "third", ""]);
    expect(terminal.lines).toHaveLength(8);
  });

  it("writes warnings as they come before there is a table, and after it", () => {
    display.await("starting …");
    display.note("early");
    display.print(opening);
    display.follow(() => view);
    display.end();
    display.note("late");
    expect(terminal.lines[0]).toBe("early");
    expect(terminal.lines.slice(-3)).toEqual(["0 of 1 settled", "late", ""]);
  });

  it.each([
    [80, 24],
    [60, 12],
    [30, 8],
    [30, 6],
  ])("stays within a terminal of %d by %d", (columns, rows) => {
    terminal = new FakeTerminal(columns, rows);
    display = terminalDisplay({ terminal, hasColors: true, nowMs: () => nowMs });
    const many = Array.from({ length: 40 }, (_, index) => makeRow(`webapp/app-${index}`, { problem: "bad" }));
    view = { rows: many, summary: "40 of 40" };
    begin();
    for (let note = 0; note < 5; note++) display.note(`note ${note}`);
    // The terminal throws if a frame does not find the beginning of the one before.
    for (let second = 0; second < 3; second++) {
      nowMs += 1_000;
      vi.advanceTimersByTime(1_000);
    }
    expect(terminal.lines.length).toBeLessThanOrEqual(rows + 1);
  });

  it("is drawn anew when the terminal is resized, and lets go of it at the end", () => {
    begin();
    terminal.resize(50, 24);
    expect(terminal.lines).toContain("webapp/web  Scaling  3/3    5s");
    display.end();
    expect(terminal.listenerCount("resize")).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
    const last = terminal.lines;
    display.changed();
    vi.advanceTimersByTime(5_000);
    expect(terminal.lines).toEqual(last);
  });

  it("leaves nothing of what was waited for if it ends before there is a table", () => {
    display.await("starting …");
    display.end();
    expect(terminal.lines).toEqual([""]);
  });
});
