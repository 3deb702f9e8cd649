import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { makeRow } from "../../test/support/rows.ts";
import type { Row } from "./row.ts";
import { summaryOf, verdictOf, viewOf, waitUntilSettled } from "./settle.ts";

let rows: readonly Row[];
let stop: AbortController;

beforeEach(() => {
  vi.useFakeTimers();
  stop = new AbortController();
});
afterEach(() => void vi.useRealTimers());

function wait(): Promise<string> {
  const nowMs = () => performance.now();
  const options = { sinceMs: nowMs(), timeoutMs: 60_000, stuckMs: 10_000, nowMs, signal: stop.signal };
  return waitUntilSettled({ look: () => ({ all: rows, samples: rows }) }, options).then(
    () => "settled",
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
}

const open = makeRow("webapp/web", { phase: "Scaling", ready: "1/3", isSettled: false });
const troubled = makeRow("backup/bad", {
  ...{ namespace: "shop", phase: "Failed", ready: undefined, isSettled: false },
  problem: "no such\nimage",
});

describe("waiting for the samples", () => {
  it("ends as soon as all are settled", async () => {
    rows = [open];
    const waiting = wait();
    await vi.advanceTimersByTimeAsync(30_000);
    rows = [makeRow("webapp/web")];
    await vi.advanceTimersByTimeAsync(50);
    expect(await waiting).toBe("settled");
  });

  it("ends when the time is over, and names those that are not, with their last problem or event", async () => {
    const event = { atMs: 0, reason: "Scaled", message: "to 3", isWarning: false };
    rows = [
      makeRow("webapp/fine"),
      { ...open, event },
      troubled,
      makeRow("webapp/mute", { isSettled: false }),
    ];
    const waiting = wait();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await waiting).toBe(
      [
        "wait for the samples: 3 of 4 are not settled after 60.0 s; --timeout gives them more time",
        "  webapp/web: Scaling, 1/3 ready; Scaled: to 3",
        "  backup/bad in shop: Failed; no such image",
        "  webapp/mute: Ready, 3/3 ready; no Event was recorded for it",
      ].join("\n"),
    );
  });

  it("ends early when all that are not settled have reported for 10 s why they will not be", async () => {
    rows = [makeRow("webapp/fine"), troubled];
    const waiting = wait();
    await vi.advanceTimersByTimeAsync(10_050);
    expect(await waiting).toMatch(
      /^wait for the samples: 1 of 2 is not settled after 10\.\d s\n {2}backup\/bad/,
    );
  });

  it("gives problems that went away another 10 s", async () => {
    rows = [troubled];
    const waiting = wait();
    await vi.advanceTimersByTimeAsync(9_000);
    rows = [open];
    await vi.advanceTimersByTimeAsync(100);
    rows = [troubled];
    await vi.advanceTimersByTimeAsync(9_000);
    rows = [makeRow("backup/bad")];
    await vi.advanceTimersByTimeAsync(50);
    expect(await waiting).toBe("settled");
  });

  it("ends when it is stopped", async () => {
    rows = [open];
    const waiting = wait();
    stop.abort(new Error("stopped"));
    await vi.advanceTimersByTimeAsync(50);
    expect(await waiting).toBe("stopped");
  });
});

describe("the verdict over the samples", () => {
  const settled = makeRow("webapp/web");

  it.each([
    ["settled", []],
    ["settled", [settled, settled]],
    ["open", [settled, open]],
    ["open", [troubled, open]],
    ["stuck", [settled, troubled]],
  ])("is %s if that holds for all", (verdict, rows) => {
    expect(verdictOf(rows)).toBe(verdict);
  });

  it("is summarised in a line", () => {
    expect(summaryOf([], 0)).toBe("");
    expect(summaryOf([settled, open], 0)).toBe("1 of 2 samples settled");
    expect(summaryOf([settled, settled], 3_449)).toBe("all 2 samples are settled after 3.4 s");
    expect(summaryOf([settled], 900)).toBe("the sample is settled after 0.9 s");
  });
});

it("shows how long the samples took since one was last not settled", () => {
  let nowMs = 0;
  let sample: Row = makeRow("webapp/web", { isSettled: false });
  const stranger = makeRow("webapp/other", { isSettled: false });
  const board = { look: () => ({ all: [sample, stranger], samples: [sample] }) };
  const look = viewOf(board, () => nowMs);
  expect(look()).toEqual({ rows: [sample, stranger], summary: "0 of 1 samples settled" });
  nowMs = 2_000;
  sample = makeRow("webapp/web");
  expect(look().summary).toBe("the sample is settled after 2.0 s");
  nowMs = 60_000;
  expect(look().summary).toBe("the sample is settled after 2.0 s");
  sample = makeRow("webapp/web", { isSettled: false });
  expect(look().summary).toBe("0 of 1 samples settled");
  nowMs = 61_500;
  sample = makeRow("webapp/web");
  expect(look().summary).toBe("the sample is settled after 1.5 s");
});
