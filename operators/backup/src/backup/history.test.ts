import { describe, expect, it } from "vitest";
import { backUp, failed, run, running, succeeded } from "../../test/support/objects.ts";
import type { HistoryEntry } from "../api/status.ts";
import { historyWith, lastFinished, newlyFinished, runningOf } from "./history.ts";

const nothing = { runs: [], vanished: [], nowMs: Date.UTC(2026, 0, 1, 0, 2) };
const plain = backUp({ image: "backup:1", retain: { successful: 1, failed: 1 } });

function entry(job: string, minute: number, result: HistoryEntry["result"] = "Succeeded"): HistoryEntry {
  const time = `2026-01-01T00:0${minute}:00Z`;
  return { job, uid: job, start: time, end: time, duration: "0s", result, image: "backup:1", type: "full" };
}

describe("the history", () => {
  it("records when a run was, how long it took and how it ended", () => {
    expect(historyWith(plain, { ...nothing, runs: [run(plain, { status: failed })] })).toEqual([
      {
        job: "job-mine",
        uid: "uid-of-job",
        start: "2026-01-01T00:00:00Z",
        end: "2026-01-01T00:01:30Z",
        duration: "1m30s",
        result: "Failed",
        reason: "BackoffLimitExceeded",
        image: "backup:1",
        type: "full",
      },
    ]);
  });

  it("has the newest run first, and as many of each result as retain allows", () => {
    const history = [entry("d", 4), entry("c", 3, "Failed"), entry("b", 2), entry("a", 1, "Failed")];
    const before = backUp(plain.spec, { history });
    expect(historyWith(before, nothing).map(({ job }) => job)).toEqual(["d", "c"]);
  });

  it("keeps every run whose Job exists, so that none is counted twice", () => {
    const none = { image: "backup:1", retain: { successful: 0, failed: 0 } };
    const existing = run(backUp(none), { status: succeeded });
    const history = historyWith(backUp(none), { ...nothing, runs: [existing] });
    expect(history).toHaveLength(1);
    expect(newlyFinished(backUp(none, { history }), [existing])).toEqual([]);
    expect(historyWith(backUp(none, { history }), nothing)).toEqual([]);
  });

  it.each([
    ["Replaced", { image: "backup:2", updatePolicy: "Replace" }],
    ["Deleted", { image: "backup:2", updatePolicy: "Wait" }],
    ["Deleted", { image: "backup:1", updatePolicy: "Replace" }],
  ] as const)("records as %s a run whose Job does not exist, with %j", (result, spec) => {
    const vanished = runningOf([run(plain, { status: running })]);
    const history = historyWith(backUp(spec), { ...nothing, vanished });
    expect(history).toMatchObject([{ job: "job-mine", result, duration: "2m0s", image: "backup:1" }]);
    expect(lastFinished(history)).toBeUndefined();
  });

  it("keeps as many runs that were replaced or deleted as runs that failed", () => {
    const history = [entry("c", 3, "Deleted"), entry("b", 2, "Failed"), entry("a", 1, "Replaced")];
    const before = backUp(plain.spec, { history });
    expect(historyWith(before, nothing).map(({ job }) => job)).toEqual(["c", "b"]);
    expect(lastFinished(history)).toMatchObject({ job: "b" });
  });
});
