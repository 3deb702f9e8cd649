import { describe, expect, it } from "vitest";
import { makeRow } from "../../test/support/rows.ts";
import { PlainLines } from "./plain-lines.ts";

const event = { atMs: 0, reason: "Scaled", message: "to 3", isWarning: false };

describe("plain lines", () => {
  it("tell each row when it is new and when it has changed, and not when it has only aged", () => {
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

  it("tell a problem rather than an event", () => {
    const row = makeRow("webapp/web", { phase: "Failed", ready: undefined, problem: "no such image", event });
    expect(new PlainLines().changes([row])).toEqual(["webapp/web: Failed; no such image"]);
  });

  it("tell once that something is gone, and tell it again when it is back", () => {
    const lines = new PlainLines();
    const row = makeRow("webapp/web");
    lines.changes([row]);
    expect(lines.changes([])).toEqual(["webapp/web: gone"]);
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
