import { describe, expect, it } from "vitest";
import { makeRow } from "../../test/support/rows.ts";
import { widthOf } from "./format.ts";
import type { Row } from "./row.ts";
import { type Paint, tableLines } from "./table.ts";

const plain: Paint = (_, text) => text;
const marked: Paint = (color, text) => `<${color}>${text}</>`;

const event = { atMs: 0, reason: "Scaled", message: "the Deployment has 3 replicas now", isWarning: false };
const rows: readonly Row[] = [
  makeRow("webapp/nginx-app", { event }),
  makeRow("backup/mybackup", { phase: "Running", ready: undefined, isSettled: false, createdMs: 55_000 }),
];

function draw(shown: readonly Row[], columns = 80, lines = 20, paint = plain): readonly string[] {
  return tableLines(shown, { columns, lines, nowMs: 60_000, paint });
}

describe("the table", () => {
  it("has a line for each row, under a head", () => {
    expect(draw(rows)).toEqual([
      "SAMPLE            PHASE    READY  AGE  LAST EVENT",
      "webapp/nginx-app  Ready    3/3    60s  Scaled: the Deployment has 3 replicas now",
      "backup/mybackup   Running  -      5s",
    ]);
  });

  it("shows namespaces as soon as there is another than the default", () => {
    const [head, first, , last] = draw([...rows, makeRow("webapp/far", { namespace: "shop" })]);
    expect(head).toMatch(/^NAMESPACE {2}SAMPLE/);
    expect(first).toMatch(/^default {4}webapp\/nginx-app/);
    expect(last).toMatch(/^shop {7}webapp\/far/);
  });

  it.each([200, 100, 80, 60, 40])("fits into %d columns, whatever the texts are", (columns) => {
    const long = makeRow(`webapp/${"long-".repeat(30)}`, {
      namespace: "a-namespace-of-some-length",
      phase: "WaitingForPodsReady",
      event: { ...event, message: "日本語 ".repeat(50) },
    });
    for (const line of draw([...rows, long], columns)) expect(widthOf(line)).toBeLessThanOrEqual(columns);
  });

  it("shows all of the longest phase and some of the event at 80 columns", () => {
    const line = draw([makeRow("webapp/nginx-app", { phase: "WaitingForPodsReady", event })])[1];
    expect(line).toBe("webapp/nginx-app  WaitingForPodsReady  3/3    60s  Scaled: the Deployment has 3…");
  });

  it("keeps what is not settled when it is higher than the screen, in the usual order", () => {
    const many = Array.from({ length: 30 }, (_, index) =>
      makeRow(`webapp/app-${index}`, { isSettled: index !== 25 && index !== 3 }),
    );
    const lines = draw(many, 80, 6);
    expect(lines).toHaveLength(6);
    expect(lines.slice(1, -1).map((line) => line.split(" ", 1)[0])).toEqual([
      "webapp/app-0",
      "webapp/app-1",
      "webapp/app-3",
      "webapp/app-25",
    ]);
    expect(lines.at(-1)).toBe("… and 26 more");
  });

  it("colours phases by how things stand, and warnings", () => {
    const warning = { ...event, isWarning: true };
    const stuck = makeRow("webapp/stuck", { phase: "Failed", problem: "no such image", event: warning });
    const [, ready, running, failed] = draw([...rows, stuck], 80, 20, marked);
    expect(ready).toContain("<green>Ready  </>");
    expect(running).toContain("<yellow>Running</>");
    expect(failed).toContain("<red>Failed </>");
    expect(failed).toContain("<yellow>Scaled: ");
  });

  it("lets no text steer the terminal", () => {
    const message = "\u001b[2Jboo\r\n\u0007end";
    expect(draw([makeRow("webapp/evil", { event: { ...event, message } })])[1]).toMatch(
      /Scaled: {2}\[2Jboo end$/,
    );
  });
});
