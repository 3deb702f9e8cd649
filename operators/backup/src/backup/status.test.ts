import { findCondition } from "keelson";
import { describe, expect, it } from "vitest";
import { backUp, failed, run, running, succeeded, worldOf } from "../../test/support/objects.ts";
import type { BackUp } from "../api/back-up.ts";
import type { BackUpStatus } from "../api/status.ts";
import { decide } from "./decide.ts";
import type { Problem } from "./problem.ts";
import type { Run } from "./run.ts";
import { statusOf } from "./status.ts";

const once = backUp({ image: "backup:1" });
const nowMs = Date.UTC(2026, 0, 1, 12);

function statusWith(backup: BackUp, runs: readonly Run[], problem?: Problem): BackUpStatus {
  return statusOf(backup, { runs, plan: decide(backup, worldOf(...runs)), problem, nowMs });
}

describe("the phase", () => {
  const scheduled = backUp({ image: "backup:1", schedule: "@daily" });
  const suspended = backUp({ image: "backup:1", suspend: true });
  const changed = { image: "backup:2" };

  it.each<[string, BackUp, readonly Run[], string]>([
    ["nothing is there yet", once, [], "Pending CreatingJob"],
    ["the Job has not started", once, [run(once)], "Pending CreatingJob"],
    ["the Job runs", once, [run(once, { status: running })], "Running JobRunning"],
    ["the Job succeeded", once, [run(once, { status: succeeded })], "Succeeded JobFinished"],
    ["the Job failed", once, [run(once, { status: failed })], "Failed JobFinished"],
    ["the Job is suspended", suspended, [run(once, { suspend: true })], "Suspended Suspended"],
    [
      "it was suspended when it had run",
      suspended,
      [run(once, { status: succeeded })],
      "Succeeded JobFinished",
    ],
    [
      "a run of an earlier spec may end",
      backUp(changed),
      [run(once, { status: running })],
      "Running JobRunning",
    ],
    [
      "a run of an earlier spec is ended",
      backUp({ ...changed, updatePolicy: "Replace" }),
      [run(once, { status: running })],
      "Updating ImageUpdated",
    ],
    [
      "its Job is deleted by somebody",
      once,
      [run(once, { status: running, isDeleting: true })],
      "Pending CreatingJob",
    ],
    ["a schedule has had no run", scheduled, [], "Pending WaitingForSchedule"],
    ["a schedule is suspended", backUp({ ...scheduled.spec, suspend: true }), [], "Suspended Suspended"],
  ])("if %s", (_, backup, runs, expected) => {
    const { phase, conditions } = statusWith(backup, runs);
    expect(`${phase} ${findCondition(conditions, "Progressing")?.reason}`).toBe(expected);
  });

  it("is Failed if something is in the way, which the conditions tell", () => {
    const problem = { reason: "NameTaken", message: "it is taken", isTerminal: true };
    const { phase, conditions } = statusWith(once, [], problem);
    expect(phase).toBe("Failed");
    expect(findCondition(conditions, "Degraded")).toMatchObject({
      status: "True",
      ...{ message: "it is taken" },
    });
  });
});

describe("the status", () => {
  it("is the same the second time", () => {
    const runs = [run(once, { status: succeeded })];
    const first = statusWith(once, runs);
    expect(first).toMatchObject({
      successes: 1,
      lastDuration: "1m30s",
      lastSuccessTime: "2026-01-01T00:01:30Z",
    });
    expect(statusWith({ ...once, status: first }, runs)).toEqual(first);
    const withoutJob = statusWith({ ...once, status: first }, []);
    expect(withoutJob).toMatchObject({ phase: "Succeeded", successes: 1, history: first.history });
  });

  it("says when the next run is due on the clocks of the time zone", () => {
    const nightly = { image: "backup:1", schedule: "30 2 * * *", timeZone: "Europe/Berlin" };
    expect(statusWith(backUp(nightly), []).nextRunTime).toBe("2026-01-02T01:30:00Z");
    expect(statusWith(backUp({ ...nightly, suspend: true }), []).nextRunTime).toBeUndefined();
    expect(statusWith(backUp({ ...nightly, timeZone: "Mars/Olympus" }), []).nextRunTime).toBeUndefined();
  });
});
