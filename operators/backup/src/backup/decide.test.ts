import { describe, expect, it } from "vitest";
import { backUp, run, running, stateOf, stuck, succeeded } from "../../test/support/objects.ts";
import { decide } from "./decide.ts";
import { historyWith, runningOf } from "./history.ts";
import { replacementName } from "./resources/names.ts";
import { revisionOf } from "./resources/revision.ts";

const earlier = backUp({ image: "backup:1" });
const changed = { image: "backup:2" };
const schedule = "@daily";
const nothing = { create: [], remove: [], keep: [] };

describe("the plan for a BackUp without a schedule", () => {
  it("creates a Job if none exists, and nothing if its revision has run", () => {
    expect(decide(earlier, stateOf())).toMatchObject({ create: [{ name: "job-mine", suspend: false }] });
    const done = backUp({ image: "backup:1" }, { finishedRevision: revisionOf(earlier) });
    expect(decide(done, stateOf())).toMatchObject(nothing);
  });

  it("deletes the Job of a finished run of an earlier spec after the status records the run", () => {
    const finished = run(earlier, { status: succeeded });
    const unrecorded = decide(backUp(changed), stateOf(finished));
    expect(unrecorded).toMatchObject({ ...nothing, hasMore: true });
    const recorded = backUp(changed, {
      history: historyWith(earlier, { runs: [finished], vanished: [], nowMs: 0 }),
    });
    expect(decide(recorded, stateOf(finished))).toMatchObject({
      create: [],
      remove: [{ run: finished, propagation: "Background" }],
      update: { isOfImage: true, waits: false },
      hasMore: false,
    });
  });

  it.each([
    ["Wait", []],
    ["Replace", ["Foreground"]],
  ] as const)(
    "follows updatePolicy %s if a run of an earlier spec is under way",
    (updatePolicy, propagations) => {
      const old = run(earlier, { status: running });
      const recorded = backUp({ ...changed, updatePolicy }, { running: runningOf([old]) });
      const plan = decide(recorded, stateOf(old));
      expect(plan.remove.map(({ propagation }) => propagation)).toEqual(propagations);
      expect(plan).toMatchObject({ create: [], update: { isOfImage: true, waits: updatePolicy === "Wait" } });
    },
  );

  it("deletes a run of an earlier spec that has no workers", () => {
    const suspended = run(earlier, { suspend: true });
    expect(decide(backUp(changed), stateOf(suspended)).remove).toMatchObject([{ run: suspended }]);
  });

  it("deletes a run of an earlier spec whose workers cannot start", () => {
    const waiting = run(earlier, { status: stuck });
    expect(decide(backUp(changed), stateOf(waiting)).remove).toMatchObject([{ run: waiting }]);
  });

  it("deletes a run that is under way only after the status records it", () => {
    const unrecorded = decide(
      backUp({ ...changed, updatePolicy: "Replace" }),
      stateOf(run(earlier, { status: running })),
    );
    expect(unrecorded).toMatchObject({ ...nothing, keep: [{}], hasMore: true });
  });

  it("creates no Job before the status records the end of a run whose Job does not exist", () => {
    const missing = runningOf([run(earlier, { status: running })]);
    expect(decide(backUp(changed, { running: missing }), stateOf())).toMatchObject({
      ...nothing,
      holds: true,
    });
  });

  it("adopts orphans before any other step", () => {
    const { job } = run(earlier, { status: running });
    const orphans = { jobs: [job], cronJobs: [] };
    expect(decide(backUp(changed), { ...stateOf(), orphans })).toMatchObject({
      ...nothing,
      adopt: orphans,
      cronJob: { kind: "none" },
    });
  });

  it("waits while the Job is being deleted", () => {
    const deleting = run(earlier, { status: running, isDeleting: true });
    expect(decide(backUp(changed), stateOf(deleting))).toMatchObject({
      ...nothing,
      update: { waits: false },
    });
    expect(decide(earlier, stateOf(deleting))).toMatchObject({ ...nothing, update: undefined });
  });

  it("has another revision if the annotation run-again changes", () => {
    const again = backUp({ image: "backup:1" }, undefined, { "backup.keelson.dev/run-again": "1" });
    expect(revisionOf(again)).not.toBe(revisionOf(earlier));
  });

  it("keeps its revision if the annotation run-again is removed", () => {
    const again = backUp({ image: "backup:1" }, undefined, { "backup.keelson.dev/run-again": "1" });
    expect(revisionOf(backUp({ image: "backup:1" }, { runAgain: "1" }))).toBe(revisionOf(again));
    const other = backUp({ image: "backup:1" }, { runAgain: "1" }, { "backup.keelson.dev/run-again": "2" });
    expect(revisionOf(other)).not.toBe(revisionOf(again));
  });
});

describe("the plan for a BackUp with a schedule", () => {
  const ofSchedule = { name: "job-mine-1", ownerUid: "uid-of-cron-job", status: running };
  const scheduled = backUp(
    { ...changed, schedule, updatePolicy: "Replace" },
    { running: runningOf([run(earlier, ofSchedule)]) },
  );

  it("creates a Job that replaces a run that it deletes, and that starts when that run is deleted", () => {
    const old = run(earlier, ofSchedule);
    const name = replacementName("mine", revisionOf(scheduled));
    expect(decide(scheduled, stateOf(old))).toMatchObject({
      create: [{ name, suspend: true }],
      remove: [{ run: old, propagation: "Foreground" }],
      cronJob: { kind: "apply", suspend: true },
    });
    const replacement = run(scheduled, { name, uid: "another", suspend: true });
    const deleting = run(earlier, { ...ofSchedule, isDeleting: true });
    expect(decide(scheduled, stateOf(replacement, deleting))).toMatchObject({
      create: [],
      remove: [],
      keep: [{ run: replacement, suspend: true }],
    });
    expect(decide(scheduled, stateOf(replacement)).keep).toMatchObject([{ suspend: true }]);
    const recorded = { ...scheduled, status: { running: [] } };
    expect(decide(recorded, stateOf(replacement))).toMatchObject({
      keep: [{ run: replacement, suspend: false }],
      cronJob: { kind: "apply", suspend: true },
    });
  });

  it("lets a run of the current spec finish with any updatePolicy", () => {
    const current = run(scheduled, ofSchedule);
    expect(decide(scheduled, stateOf(current))).toMatchObject({ ...nothing, update: undefined });
  });

  it.each([
    ["cannot start", { status: stuck }],
    ["are suspended", { status: {}, suspend: true }],
  ])("creates a Job that replaces a run of an earlier spec whose workers %s", (_, draft) => {
    const waits = backUp({ ...changed, schedule });
    const old = run(earlier, { ...ofSchedule, ...draft });
    expect(decide(waits, stateOf(old))).toMatchObject({
      create: [{ name: replacementName("mine", revisionOf(waits)), suspend: true }],
      remove: [{ run: old, propagation: "Foreground" }],
      update: { waits: false },
    });
    const current = run(waits, { ...ofSchedule, ...draft });
    expect(decide(waits, stateOf(current))).toMatchObject({ ...nothing, update: undefined });
  });

  it("suspends the CronJob while a Job runs that the BackUp controls", () => {
    const once = run(scheduled, { status: running });
    expect(decide(scheduled, stateOf(once))).toMatchObject({
      remove: [],
      cronJob: { kind: "apply", schedule, suspend: true },
    });
  });
});

it("gives specs whose fields differ only in order the same revision", () => {
  const one = backUp({ image: "a", env: [{ name: "A", value: "b" }], args: ["x"] });
  const other = backUp({ args: ["x"], env: [{ value: "b", name: "A" }], image: "a" });
  expect(revisionOf(one)).toBe(revisionOf(other));
});

it.each([{ replicas: 2 }, { retries: 9 }, { timeout: "1h" }, { suspend: true }, { schedule }])(
  "gives the same revision with %j, which a Job takes over while it runs",
  (change) => {
    expect(revisionOf(backUp({ image: "backup:1", ...change }))).toBe(revisionOf(earlier));
  },
);
