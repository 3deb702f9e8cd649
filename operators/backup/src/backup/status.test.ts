import { failureStatus } from "@keelson/testkit";
import { findCondition, type Stored } from "keelson";
import { apiErrorFrom } from "keelson/client";
import type { CronJob } from "keelson/kinds/batch/v1";
import { describe, expect, it } from "vitest";
import { backUp, failed, run, running, stateOf, stuck, succeeded } from "../../test/support/objects.ts";
import type { BackUp } from "../api/back-up.ts";
import type { BackUpStatus } from "../api/status.ts";
import { decide } from "./decide.ts";
import { runningOf } from "./history.ts";
import { type Problem, problemOf } from "./problem.ts";
import type { Run } from "./run.ts";
import { statusOf } from "./status.ts";

const once = backUp({ image: "backup:1" });
const nowMs = Date.UTC(2026, 0, 1, 12);

function statusWith(
  backup: Stored<BackUp>,
  runs: readonly Run[],
  { problem, cronJob }: { readonly problem?: Problem; readonly cronJob?: CronJob } = {},
): BackUpStatus {
  const plan = decide(backup, stateOf(...runs));
  return statusOf(backup, { runs, cronJob, vanished: [], plan, problem, nowMs });
}

describe("the phase", () => {
  const scheduled = backUp({ image: "backup:1", schedule: "@daily" });
  const suspended = backUp({ image: "backup:1", suspend: true });
  const changed = { image: "backup:2" };

  it.each<[string, Stored<BackUp>, readonly Run[], string]>([
    ["no Job exists yet", once, [], "Pending CreatingJob"],
    ["the Job has not started", once, [run(once)], "Pending CreatingJob"],
    ["no worker of the Job can start", once, [run(once, { status: stuck })], "Pending WaitingForWorkers"],
    ["the Job runs", once, [run(once, { status: running })], "Running JobRunning"],
    ["the Job succeeded", once, [run(once, { status: succeeded })], "Succeeded JobFinished"],
    ["the Job failed", once, [run(once, { status: failed })], "Failed JobFinished"],
    ["the Job is suspended", suspended, [run(once, { suspend: true })], "Suspended Suspended"],
    [
      "it was suspended after the Job succeeded",
      suspended,
      [run(once, { status: succeeded })],
      "Succeeded JobFinished",
    ],
    [
      "a run of an earlier spec finishes first",
      backUp(changed),
      [run(once, { status: running })],
      "Running JobRunning",
    ],
    [
      "a run of an earlier spec is replaced",
      backUp(
        { ...changed, updatePolicy: "Replace" },
        { running: runningOf([run(once, { status: running })]) },
      ),
      [run(once, { status: running })],
      "Updating ImageUpdated",
    ],
    [
      "its Job is being deleted",
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

  it("is Failed if there is a problem, which the condition Degraded shows", () => {
    const problem = { reason: "NameTaken", message: "it is taken", severity: "terminal" } as const;
    const { phase, conditions } = statusWith(once, [], { problem });
    expect(phase).toBe("Failed");
    expect(findCondition(conditions, "Degraded")).toMatchObject({
      status: "True",
      ...{ message: "it is taken" },
    });
  });
});

describe("an error", () => {
  const scheduled = backUp({ image: "backup:1", schedule: "@daily" });
  const history = statusWith(once, [run(once, { status: succeeded })]);
  const after = { ...scheduled, status: history };
  const reasonsOf = ({ conditions = [] }: BackUpStatus) =>
    Object.fromEntries(conditions.map(({ type, status, reason }) => [type, `${status} ${reason}`]));

  it.each<[string, unknown]>([
    ["500", apiErrorFrom("apply", failureStatus("InternalError"))],
    ["413", apiErrorFrom("apply", failureStatus("RequestEntityTooLarge"))],
    ["422", apiErrorFrom("apply", failureStatus("Invalid"))],
  ])("of the server is shown as a problem: %s", (_, error) => {
    const status = statusWith(after, [], { problem: problemOf(error) });
    expect(status.phase).toBe("Failed");
    expect(reasonsOf(status)).toMatchObject({
      ...{ Progressing: "False Rejected", UpToDate: "False Rejected", Degraded: "True Rejected" },
    });
  });

  it.each<[string, unknown]>([
    ["a conflict", apiErrorFrom("apply", failureStatus("Conflict"))],
    ["an overloaded server", apiErrorFrom("apply", failureStatus("TooManyRequests"))],
    ["a lost connection", new Error("ECONNRESET")],
  ])("after which the operator retries is shown as not brought about: %s", (_, error) => {
    const status = statusWith(after, [], { problem: problemOf(error) });
    expect(status.phase).toBe("Pending");
    expect(reasonsOf(status)).toMatchObject({
      ...{ Progressing: "True Retrying", UpToDate: "False Retrying", Degraded: "False AsExpected" },
    });
  });
});

describe("the status", () => {
  it("is the same after a second reconcile", () => {
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

  it("records a run as under way until the server confirms that its Job does not exist", () => {
    const before = statusWith(once, [run(once, { status: running })]);
    expect(before.running).toMatchObject([{ uid: "uid-of-job" }]);
    const unseen = statusWith({ ...once, status: before }, []);
    expect(unseen).toMatchObject({ running: before.running, history: [] });
    const backup = { ...once, status: unseen };
    const { running: vanished = [] } = unseen;
    const plan = decide(backup, stateOf());
    expect(
      statusOf(backup, { ...{ runs: [], vanished, plan, nowMs }, cronJob: undefined, problem: undefined }),
    ).toMatchObject({
      ...{ running: [], phase: "Pending", successes: 0, failures: 0 },
      history: [{ result: "Deleted", end: "2026-01-01T12:00:00Z", duration: "12h0m0s" }],
    });
  });

  it("keeps a run Running that it records as under way, even if its workers are not ready", () => {
    const recorded = { ...once, status: statusWith(once, [run(once, { status: running })]) };
    expect(statusWith(recorded, [run(recorded, { status: stuck })]).phase).toBe("Running");
  });
});
