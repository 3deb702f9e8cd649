import { describe, expect, it } from "vitest";
import { annotationKeys } from "../api/annotation-keys.ts";
import { accumulateStep, type PausableDeployment } from "./accumulate.ts";

const keys = annotationKeys();
const nowMs = Date.parse("2026-06-10T02:30:00.000Z");
const minuteMs = 60_000;
/** The time so many minutes after now, as upstream writes it. */
const time = (minutes: number): string =>
  new Date(nowMs + minutes * minuteMs).toISOString().replace(".000", "");
const nightly = { schedule: "0 2 * * *", duration: "1h" };

const running: PausableDeployment = { metadata: { resourceVersion: "7", annotations: {} }, spec: {} };
const pausedByUser: PausableDeployment = { ...running, spec: { paused: true } };
const paused = (pausedAt: string, isPaused = true): PausableDeployment => ({
  metadata: { resourceVersion: "7", annotations: { [keys.pausedAt]: pausedAt } },
  spec: { paused: isPaused },
});

interface Case {
  readonly deployment: PausableDeployment;
  readonly minutes?: number;
  readonly windows?: readonly (typeof nightly)[];
  readonly hasChanges?: boolean;
}

function step({ deployment, minutes, windows = [], hasChanges = false }: Case) {
  const policy = { accumulatePeriodMs: minutes === undefined ? undefined : minutes * minuteMs, windows };
  return accumulateStep({ deployment, policy, keys, hasChanges, nowMs });
}

function described(input: Case): string {
  const result = step(input);
  return "untilMs" in result
    ? `${result.action} until ${result.untilMs === undefined ? "ever" : new Date(result.untilMs).toISOString().slice(11, 19)}`
    : result.action;
}

describe("a Deployment with upstream's pause period", () => {
  it.each<[what: string, Case, action: string]>([
    ["is left alone without changes", { deployment: running, minutes: 5 }, "none"],
    [
      "is paused with the first change",
      { deployment: running, minutes: 5, hasChanges: true },
      "pause until 02:35:00",
    ],
    [
      "collects further changes until the period is over",
      { deployment: paused(time(-1)), minutes: 5, hasChanges: true },
      "collect until 02:34:00",
    ],
    ["stays paused without changes", { deployment: paused(time(-1)), minutes: 5 }, "collect until 02:34:00"],
    ["is resumed when the period is over", { deployment: paused(time(-5)), minutes: 5 }, "resume"],
    [
      "is resumed together with a change when the period is over",
      { deployment: paused(time(-50)), minutes: 5, hasChanges: true },
      "resume",
    ],
    ["is resumed when the period was shortened", { deployment: paused(time(-2)), minutes: 1 }, "resume"],
    ["is resumed when the annotation was removed or is invalid", { deployment: paused(time(-1)) }, "resume"],
    [
      "is resumed if the time of the pause cannot be read",
      { deployment: paused("yesterday"), minutes: 5 },
      "resume",
    ],
    [
      "is resumed if the time of the pause is further ahead than the period",
      { deployment: paused(time(6)), minutes: 5 },
      "resume",
    ],
    [
      "waits no longer than two periods if a clock was ahead",
      { deployment: paused(time(5)), minutes: 5 },
      "collect until 02:40:00",
    ],
    [
      "that a user has paused is left paused",
      { deployment: pausedByUser, minutes: 5, hasChanges: true },
      "none",
    ],
    ["that a user has resumed loses the mark", { deployment: paused(time(-1), false), minutes: 5 }, "forget"],
    [
      "that a user has resumed is paused for a new change",
      { deployment: paused(time(-1), false), minutes: 5, hasChanges: true },
      "pause until 02:35:00",
    ],
    [
      "is resumed before its window closes",
      { deployment: running, minutes: 50, windows: [nightly], hasChanges: true },
      "pause until 02:59:50",
    ],
    [
      "is not paused in the last seconds of its window",
      {
        deployment: running,
        minutes: 5,
        windows: [{ schedule: "30 2 * * *", duration: "10s" }],
        hasChanges: true,
      },
      "none",
    ],
    [
      "whose period ended while no window was open waits for the next one",
      { deployment: paused(time(-60)), minutes: 5, windows: [{ ...nightly, schedule: "0 4 * * *" }] },
      "collect until 04:00:00",
    ],
    ["is not paused without the annotation", { deployment: running, hasChanges: true }, "none"],
  ])("%s", (_what, input, action) => {
    expect(described(input)).toBe(action);
  });

  it("is paused and marked by operations that fail if it has changed meanwhile", () => {
    expect(step({ deployment: running, minutes: 5, hasChanges: true }).operations).toEqual([
      { op: "test", path: "/metadata/resourceVersion", value: "7" },
      { op: "add", path: "/spec/paused", value: true },
      {
        op: "add",
        path: "/metadata/annotations/deployment.reloader.stakater.com~1paused-at",
        value: "2026-06-10T02:30:00Z",
      },
    ]);
  });

  it("without annotations gets them first", () => {
    const bare: PausableDeployment = { metadata: { resourceVersion: "7" } };
    expect(step({ deployment: bare, minutes: 5, hasChanges: true }).operations).toContainEqual({
      ...{ op: "add", path: "/metadata/annotations", value: {} },
    });
  });

  it("is resumed by operations that fail if the pause is not the operator's any more", () => {
    const path = "/metadata/annotations/deployment.reloader.stakater.com~1paused-at";
    expect(step({ deployment: paused(time(-5)), minutes: 5 }).operations).toEqual([
      { op: "test", path: "/spec/paused", value: true },
      { op: "test", path, value: time(-5) },
      { op: "remove", path },
      { op: "remove", path: "/spec/paused" },
    ]);
  });
});
