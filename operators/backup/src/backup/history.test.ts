import { describe, expect, it } from "vitest";
import { backUp, failed, run, running, succeeded } from "../../test/support/objects.ts";
import type { HistoryEntry } from "../api/status.ts";
import { historyWith, lastVerdict, newlyFinished, runningOf } from "./history.ts";

const nobody = { runs: [], gone: [], nowMs: Date.UTC(2026, 0, 1, 0, 2) };
const plain = backUp({ image: "backup:1", retain: { successful: 1, failed: 1 } });

function entry(job: string, minute: number, result: HistoryEntry["result"] = "Succeeded"): HistoryEntry {
  const time = `2026-01-01T00:0${minute}:00Z`;
  return { job, uid: job, start: time, end: time, duration: "0s", result, image: "backup:1", type: "full" };
}

describe("the history", () => {
  it("tells when a run was, how long it took and how it went", () => {
    expect(historyWith(plain, { ...nobody, runs: [run(plain, { status: failed })] })).toEqual([
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

  it("has the newest first, and of each result as many as are retained", () => {
    const history = [entry("d", 4), entry("c", 3, "Failed"), entry("b", 2), entry("a", 1, "Failed")];
    const before = backUp(plain.spec, { history });
    expect(historyWith(before, nobody).map(({ job }) => job)).toEqual(["d", "c"]);
  });

  it("has every run whose Job is there, so that none is counted twice", () => {
    const none = { image: "backup:1", retain: { successful: 0, failed: 0 } };
    const present = run(backUp(none), { status: succeeded });
    const history = historyWith(backUp(none), { ...nobody, runs: [present] });
    expect(history).toHaveLength(1);
    expect(newlyFinished(backUp(none, { history }), [present])).toEqual([]);
    expect(historyWith(backUp(none, { history }), nobody)).toEqual([]);
  });

  it.each([
    ["Replaced", { image: "backup:2", updatePolicy: "Replace" }],
    ["Deleted", { image: "backup:2", updatePolicy: "Wait" }],
    ["Deleted", { image: "backup:1", updatePolicy: "Replace" }],
  ] as const)("tells as %s of a run whose Job is gone, with %j", (result, spec) => {
    const gone = runningOf([run(plain, { status: running })]);
    const history = historyWith(backUp(spec), { ...nobody, gone });
    expect(history).toMatchObject([{ job: "job-mine", result, duration: "2m0s", image: "backup:1" }]);
    expect(lastVerdict(history)).toBeUndefined();
  });

  it("has of runs that did not come to their end as many as of those that failed", () => {
    const history = [entry("c", 3, "Deleted"), entry("b", 2, "Failed"), entry("a", 1, "Replaced")];
    const before = backUp(plain.spec, { history });
    expect(historyWith(before, nobody).map(({ job }) => job)).toEqual(["c", "b"]);
    expect(lastVerdict(history)).toMatchObject({ job: "b" });
  });
});
