import { describe, expect, it } from "vitest";
import { backUp, failed, run, succeeded } from "../../test/support/objects.ts";
import type { HistoryEntry } from "../api/status.ts";
import { historyWith, newlyFinished } from "./history.ts";

const plain = backUp({ image: "backup:1", retain: { successful: 1, failed: 1 } });

function entry(job: string, minute: number, result: HistoryEntry["result"] = "Succeeded"): HistoryEntry {
  const time = `2026-01-01T00:0${minute}:00Z`;
  return { job, uid: job, start: time, end: time, duration: "0s", result, image: "backup:1", type: "full" };
}

describe("the history", () => {
  it("tells when a run was, how long it took and how it went", () => {
    expect(historyWith(plain, [run(plain, { status: failed })])).toEqual([
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
    expect(historyWith(before, []).map(({ job }) => job)).toEqual(["d", "c"]);
  });

  it("has every run whose Job is there, so that none is counted twice", () => {
    const none = { image: "backup:1", retain: { successful: 0, failed: 0 } };
    const present = run(backUp(none), { status: succeeded });
    const history = historyWith(backUp(none), [present]);
    expect(history).toHaveLength(1);
    expect(newlyFinished(backUp(none, { history }), [present])).toEqual([]);
    expect(historyWith(backUp(none, { history }), [])).toEqual([]);
  });
});
