import { VirtualClock } from "@keelson/testkit";
import { describe, expect, it } from "vitest";
import { CausalLog } from "./causal-log.ts";
import { explainRuns, formatDuration, wrapWords } from "./explain-run.ts";
import type { CallRecord } from "./recorded-calls.ts";
import type { RunRecord } from "./recorded-run.ts";

const now = Date.UTC(2026, 0, 1, 12, 1);

const run: RunRecord = {
  reconcileId: "4b6f",
  startedAt: "2026-01-01T12:00:03.120Z",
  queuedMs: 2,
  durationMs: 14,
  priority: 0,
  reasons: [],
  droppedReasons: 0,
  calls: [],
  droppedCalls: 0,
  result: "success",
};
const read: CallRecord = {
  call: "get webapps.example.com shop/web",
  kind: "read",
  fromCache: true,
  ms: 0.1,
  outcome: "ok",
  resourceVersion: "1200",
};
const write: CallRecord = {
  call: "patch deployments.apps shop/web",
  kind: "write",
  fromCache: false,
  ms: 12,
  outcome: "ok",
  resourceVersion: "1234",
  changedPaths: ["spec.replicas"],
};
const web = { kind: "Deployment", namespace: "shop", name: "web" };

describe("the explanation of runs", () => {
  it("states the reasons of a run, what it read and wrote, and how it ended", () => {
    const reason = {
      source: "owns deployments.apps",
      type: "update",
      object: web,
      changedPaths: ["status.readyReplicas"],
    } as const;
    const text = explainRuns([{ ...run, reasons: [reason], calls: [read, write] }], now);
    expect(text).toMatchInlineSnapshot(`
      "12:00:03.120 success in 14 ms after 2 ms in the queue
        because  Deployment shop/web changed: status.readyReplicas (owns deployments.apps)
        read     get webapps.example.com shop/web (cache)
        wrote    patch deployments.apps shop/web: spec.replicas → resourceVersion 1234"
    `);
  });

  it("has a sentence for every kind of reason", () => {
    const source = "owns deployments.apps";
    const reasons: RunRecord["reasons"] = [
      { source, type: "create", object: web },
      { source, type: "create", object: web, isInitial: true },
      { source, type: "update", object: web },
      { source, type: "update", object: web, changedPaths: [] },
      { source, type: "delete", object: { kind: "Node", name: "n1" } },
      { source: "channel orders", type: "generic", object: web },
      { source: "every 5 min", type: "generic" },
      { source: "requeue", type: "requeue" },
      { source: "retry", type: "retry" },
    ];
    expect(explainRuns([{ ...run, reasons, droppedReasons: 12 }], now)).toMatchInlineSnapshot(`
      "12:00:03.120 success in 14 ms after 2 ms in the queue
        because  Deployment shop/web was created (owns deployments.apps)
        because  Deployment shop/web existed at the start (owns deployments.apps)
        because  Deployment shop/web changed (owns deployments.apps)
        because  Deployment shop/web was received again unchanged (owns deployments.apps)
        because  Node n1 was deleted (owns deployments.apps)
        because  Deployment shop/web has an event (channel orders)
        because  an event (every 5 min)
        because  the previous run requested it
        because  the previous run is retried
        because  12 more reasons"
    `);
  });

  it("has a line for every outcome of a call", () => {
    const { resourceVersion, changedPaths, ...bare } = write;
    const calls: readonly CallRecord[] = [
      { ...read, fromCache: false },
      { ...read, outcome: "NOT_FOUND" },
      { ...write, outcome: "noop" },
      { ...write, outcome: "dry-run" },
      { ...bare, outcome: "pending" },
      { ...bare, outcome: "CONFLICT" },
      { ...bare, call: "delete pods shop/web-1" },
    ];
    expect(explainRuns([{ ...run, calls, droppedCalls: 1 }], now)).toMatchInlineSnapshot(`
      "12:00:03.120 success in 14 ms after 2 ms in the queue
        read     get webapps.example.com shop/web
        read     get webapps.example.com shop/web: failed, NOT_FOUND
        wrote    patch deployments.apps shop/web: changed nothing
        write    patch deployments.apps shop/web: a dry run
        write    patch deployments.apps shop/web: no response yet
        write    patch deployments.apps shop/web: failed, CONFLICT
        wrote    delete pods shop/web-1
                 1 more call"
    `);
  });

  it("states what follows each result, and the date of a run that was not today", () => {
    const earlier = { ...run, startedAt: "2025-12-31T23:59:58.000Z", priority: -100 };
    const runs: readonly RunRecord[] = [
      { ...run, result: "requeue_after", requeueAfterMs: 30_000 },
      { ...run, result: "requeue" },
      { ...run, result: "error", error: "update deployments.apps shop/web: the API server responded 409" },
      { ...run, result: "terminal_error", error: "spec.image is not an image" },
      { ...run, result: "timeout", durationMs: 60_000, queuedMs: 130_000 },
      { ...earlier, result: "aborted" },
    ];
    expect(explainRuns(runs, now)).toMatchInlineSnapshot(`
      "12:00:03.120 success in 14 ms after 2 ms in the queue
        again    in 30 s
      12:00:03.120 requeue in 14 ms after 2 ms in the queue
        again    after a back-off
      12:00:03.120 error in 14 ms after 2 ms in the queue
        failed   update deployments.apps shop/web: the API server responded 409
        again    after a back-off
      12:00:03.120 terminal error in 14 ms after 2 ms in the queue
        failed   spec.image is not an image
        again    only when something changes
      12:00:03.120 timeout in 60 s after 2.2 min in the queue
        again    after a back-off
      2025-12-31 23:59:58.000 aborted in 14 ms after 2 ms in the queue, priority -100"
    `);
  });

  it("stays within 100 columns", () => {
    const changedPaths = Array.from(
      { length: 12 },
      (_, index) => `metadata.labels["example.com/label-${index}"]`,
    );
    const error = `create pods shop/web:\n  ${"the quota of the namespace is used up ".repeat(5)}`;
    const reasons = [{ source: "watches pods", type: "update", object: web, changedPaths }] as const;
    const text = explainRuns(
      [{ ...run, reasons, calls: [{ ...write, changedPaths }], result: "error", error }],
      now,
    );
    expect(Math.max(...text.split("\n").map((line) => line.length))).toBeLessThanOrEqual(100);
    expect(text).toMatchInlineSnapshot(`
      "12:00:03.120 error in 14 ms after 2 ms in the queue
        because  Deployment shop/web changed: metadata.labels["example.com/label-0"],
                 metadata.labels["example.com/label-1"], metadata.labels["example.com/label-2"],
                 metadata.labels["example.com/label-3"], metadata.labels["example.com/label-4"],
                 metadata.labels["example.com/label-5"], metadata.labels["example.com/label-6"],
                 metadata.labels["example.com/label-7"], metadata.labels["example.com/label-8"],
                 metadata.labels["example.com/label-9"], metadata.labels["example.com/label-10"],
                 metadata.labels["example.com/label-11"] (watches pods)
        wrote    patch deployments.apps shop/web: metadata.labels["example.com/label-0"],
                 metadata.labels["example.com/label-1"], metadata.labels["example.com/label-2"],
                 metadata.labels["example.com/label-3"], metadata.labels["example.com/label-4"],
                 metadata.labels["example.com/label-5"], metadata.labels["example.com/label-6"],
                 metadata.labels["example.com/label-7"], metadata.labels["example.com/label-8"],
                 metadata.labels["example.com/label-9"], metadata.labels["example.com/label-10"],
                 metadata.labels["example.com/label-11"] → resourceVersion 1234
        failed   create pods shop/web: the quota of the namespace is used up the quota of the namespace is
                 used up the quota of the namespace is used up the quota of the namespace is used up the
                 quota of the namespace is used up
        again    after a back-off"
    `);
  });

  it("states that a key has no recorded run", () => {
    const log = new CausalLog({ clock: new VirtualClock() });
    expect(log.explain("shop/web")).toMatchInlineSnapshot(`"no run of shop/web is on record"`);
  });

  it("puts the newest run first", async () => {
    const clock = new VirtualClock();
    const log = new CausalLog({ clock });
    for (const result of ["error", "success"] as const) {
      log.begin("a", { reconcileId: "1", reasons: [], queuedMs: 0, priority: 0 }).end({ result });
      await clock.advance(1000);
    }
    expect(log.explain("a")).toMatchInlineSnapshot(`
      "00:00:01.000 success in 0 ms after 0 ms in the queue
      00:00:00.000 error in 0 ms after 0 ms in the queue
        again    after a back-off"
    `);
  });
});

it("formats a duration in a unit that is easy to read", () => {
  const durations = [
    0, 0.04, 0.23, 9.96, 14.4, 999, 1000, 1540, 30_000, 119_000, 120_000, 330_000, 3_600_000,
  ];
  expect(durations.map(formatDuration)).toEqual([
    "0 ms",
    "0 ms",
    "0.2 ms",
    "10 ms",
    "14 ms",
    "999 ms",
    "1 s",
    "1.5 s",
    "30 s",
    "119 s",
    "2 min",
    "5.5 min",
    "60 min",
  ]);
});

describe("wrapping of words", () => {
  it("breaks between words, as late as the width allows", () => {
    expect(wrapWords("aa bb cc dd", 5)).toEqual(["aa bb", "cc dd"]);
    expect(wrapWords("aa bb cc dd", 8)).toEqual(["aa bb cc", "dd"]);
  });

  it("leaves a word whole that is longer than a line", () => {
    expect(wrapWords("a bbbbbbbb c", 4)).toEqual(["a", "bbbbbbbb", "c"]);
  });

  it("treats line breaks and repeated spaces as one space", () => {
    expect(wrapWords("a\n  b\tc", 10)).toEqual(["a b c"]);
  });
});
