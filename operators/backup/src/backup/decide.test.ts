import { describe, expect, it } from "vitest";
import { backUp, run, running, stuck, succeeded, worldOf } from "../../test/support/objects.ts";
import { decide } from "./decide.ts";
import { historyWith, runningOf } from "./history.ts";
import { replacementName } from "./resources/names.ts";
import { revisionOf } from "./resources/revision.ts";

const earlier = backUp({ image: "backup:1" });
const wanted = { image: "backup:2" };
const schedule = "@daily";
const nothing = { create: [], remove: [], keep: [] };

describe("what a BackUp without a schedule needs", () => {
  it("is a Job if there is none, and nothing if it has run", () => {
    expect(decide(earlier, worldOf())).toMatchObject({ create: [{ name: "job-mine", suspend: false }] });
    const done = backUp({ image: "backup:1" }, { finishedRevision: revisionOf(earlier) });
    expect(decide(done, worldOf())).toMatchObject(nothing);
  });

  it("is to tell of a finished run of an earlier spec before its Job goes", () => {
    const finished = run(earlier, { status: succeeded });
    const untold = decide(backUp(wanted), worldOf(finished));
    expect(untold).toMatchObject({ ...nothing, hasMore: true });
    const told = backUp(wanted, { history: historyWith(earlier, { runs: [finished], gone: [], nowMs: 0 }) });
    expect(decide(told, worldOf(finished))).toMatchObject({
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
    "is by updatePolicy %s if a run of an earlier spec is under way",
    (updatePolicy, propagations) => {
      const old = run(earlier, { status: running });
      const told = backUp({ ...wanted, updatePolicy }, { running: runningOf([old]) });
      const plan = decide(told, worldOf(old));
      expect(plan.remove.map(({ propagation }) => propagation)).toEqual(propagations);
      expect(plan).toMatchObject({ create: [], update: { isOfImage: true, waits: updatePolicy === "Wait" } });
    },
  );

  it("is to end a run of an earlier spec that has no workers", () => {
    const suspended = run(earlier, { suspend: true });
    expect(decide(backUp(wanted), worldOf(suspended)).remove).toMatchObject([{ run: suspended }]);
  });

  it("is to end a run of an earlier spec whose workers cannot start", () => {
    const waiting = run(earlier, { status: stuck });
    expect(decide(backUp(wanted), worldOf(waiting)).remove).toMatchObject([{ run: waiting }]);
  });

  it("is to tell of a run that is under way before it is ended", () => {
    const untold = decide(
      backUp({ ...wanted, updatePolicy: "Replace" }),
      worldOf(run(earlier, { status: running })),
    );
    expect(untold).toMatchObject({ ...nothing, keep: [{}], hasMore: true });
  });

  it("is to tell of a run whose Job is gone before there is another", () => {
    const gone = runningOf([run(earlier, { status: running })]);
    expect(decide(backUp(wanted, { running: gone }), worldOf())).toMatchObject({ ...nothing, holds: true });
  });

  it("is to own again what was left behind, before anything else", () => {
    const { job } = run(earlier, { status: running });
    const orphans = { jobs: [job], cronJobs: [] };
    expect(decide(backUp(wanted), { ...worldOf(), orphans })).toMatchObject({
      ...nothing,
      adopt: orphans,
      cronJob: { kind: "none" },
    });
  });

  it("is to wait while its Job is on its way out", () => {
    const leaving = run(earlier, { status: running, isDeleting: true });
    expect(decide(backUp(wanted), worldOf(leaving))).toMatchObject({ ...nothing, update: { waits: false } });
    expect(decide(earlier, worldOf(leaving))).toMatchObject({ ...nothing, update: undefined });
  });

  it("is another run if the annotation asks for one", () => {
    const again = backUp({ image: "backup:1" }, undefined, { "backup.keelson.dev/run-again": "1" });
    expect(revisionOf(again)).not.toBe(revisionOf(earlier));
  });
});

describe("what a BackUp with a schedule needs", () => {
  const ofSchedule = { name: "job-mine-1", ownerUid: "uid-of-cron-job", status: running };
  const scheduled = backUp(
    { ...wanted, schedule, updatePolicy: "Replace" },
    { running: runningOf([run(earlier, ofSchedule)]) },
  );

  it("is a Job in the place of a run that it ends, which starts when that is gone", () => {
    const old = run(earlier, ofSchedule);
    const name = replacementName("mine", revisionOf(scheduled));
    expect(decide(scheduled, worldOf(old))).toMatchObject({
      create: [{ name, suspend: true }],
      remove: [{ run: old, propagation: "Foreground" }],
      cronJob: { kind: "apply", suspend: true },
    });
    const replacement = run(scheduled, { name, uid: "another", suspend: true });
    const leaving = run(earlier, { ...ofSchedule, isDeleting: true });
    expect(decide(scheduled, worldOf(replacement, leaving))).toMatchObject({
      create: [],
      remove: [],
      keep: [{ run: replacement, suspend: true }],
    });
    expect(decide(scheduled, worldOf(replacement)).keep).toMatchObject([{ suspend: true }]);
    const told = { ...scheduled, status: { running: [] } };
    expect(decide(told, worldOf(replacement))).toMatchObject({
      keep: [{ run: replacement, suspend: false }],
      cronJob: { kind: "apply", suspend: true },
    });
  });

  it("is that a run of the current spec may end, whatever updatePolicy says", () => {
    const current = run(scheduled, ofSchedule);
    expect(decide(scheduled, worldOf(current))).toMatchObject({ ...nothing, update: undefined });
  });

  it.each([
    ["cannot start", { status: stuck }],
    ["are suspended", { status: {}, suspend: true }],
  ])("is a Job in the place of a run of an earlier spec whose workers %s", (_, draft) => {
    const waits = backUp({ ...wanted, schedule });
    const old = run(earlier, { ...ofSchedule, ...draft });
    expect(decide(waits, worldOf(old))).toMatchObject({
      create: [{ name: replacementName("mine", revisionOf(waits)), suspend: true }],
      remove: [{ run: old, propagation: "Foreground" }],
      update: { waits: false },
    });
    const current = run(waits, { ...ofSchedule, ...draft });
    expect(decide(waits, worldOf(current))).toMatchObject({ ...nothing, update: undefined });
  });

  it("is a CronJob that starts nothing while a Job of the BackUp itself runs", () => {
    const once = run(scheduled, { status: running });
    expect(decide(scheduled, worldOf(once))).toMatchObject({
      remove: [],
      cronJob: { kind: "apply", schedule, suspend: true },
    });
  });
});

it("does not depend on the order in which things are said", () => {
  const one = backUp({ image: "a", env: [{ name: "A", value: "b" }], args: ["x"] });
  const other = backUp({ args: ["x"], env: [{ value: "b", name: "A" }], image: "a" });
  expect(revisionOf(one)).toBe(revisionOf(other));
});

it.each([{ replicas: 2 }, { retries: 9 }, { timeout: "1h" }, { suspend: true }, { schedule }])(
  "is the same revision with %j, which a Job takes over while it runs",
  (change) => {
    expect(revisionOf(backUp({ image: "backup:1", ...change }))).toBe(revisionOf(earlier));
  },
);
