import type { Stored } from "@keelson/core";
import type { Pod } from "@keelson/core/kinds/core/v1";
import { describe, expect, it } from "vitest";
import { type EvictionState, planEvictions } from "./eviction-plan.ts";

const startedAtMs = Date.parse("2026-11-18T10:00:00Z");
const nowMs = startedAtMs + 60_000;

interface PodState {
  readonly isNew?: boolean;
  readonly isReady?: boolean;
  readonly readySince?: string;
  readonly phase?: "Running" | "Failed" | "Succeeded";
  readonly deletionTimestamp?: string;
}

function pod(name: string, state: PodState = {}): Stored<Pod> {
  const { isNew = false, isReady = true, phase = "Running", deletionTimestamp } = state;
  const { readySince = "2026-11-18T09:00:00Z" } = state;
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      ...{ namespace: "shop", name, uid: name, resourceVersion: "1" },
      creationTimestamp: isNew ? "2026-11-18T10:00:00Z" : "2026-11-18T09:59:59Z",
      ...(deletionTimestamp !== undefined && { deletionTimestamp }),
    },
    status: {
      phase,
      conditions: [{ type: "Ready", status: isReady ? "True" : "False", lastTransitionTime: readySince }],
    },
  };
}

function evicted(
  pods: readonly Stored<Pod>[],
  state: Partial<EvictionState> = {},
): readonly string[] | "done" {
  const plan = planEvictions({
    ...{ pods, desired: 3, maxUnavailable: 1, minReadySeconds: 0, isReplacedInPlace: false },
    ...{ startedAtMs, nowMs, ...state },
  });
  return plan.isDone ? "done" : plan.evicted.map(({ metadata }) => metadata.name);
}

const ending = { deletionTimestamp: "2026-11-18T10:00:30Z" };
const stuck = { deletionTimestamp: "2026-11-18T09:50:00Z" };

describe("the next step of a restart", () => {
  it.each<[string, readonly Stored<Pod>[], Partial<EvictionState>, readonly string[] | "done"]>([
    ["evicts one pod if all are ready", [pod("a"), pod("b"), pod("c")], {}, ["c"]],
    [
      "evicts maxUnavailable pods if that is more",
      [pod("a"), pod("b"), pod("c")],
      { maxUnavailable: 2 },
      ["c", "b"],
    ],
    [
      "waits for a replacement that is not ready",
      [pod("a"), pod("b"), pod("n", { isNew: true, isReady: false })],
      {},
      [],
    ],
    ["waits for a replacement that does not exist yet", [pod("a"), pod("b")], {}, []],
    ["goes on when the replacement is ready", [pod("a"), pod("b"), pod("n", { isNew: true })], {}, ["b"]],
    [
      "evicts pods that are not ready at once, and no ready one beside them",
      [pod("a"), pod("b", { isReady: false }), pod("c", { isReady: false })],
      {},
      ["c", "b"],
    ],
    [
      "does not evict a pod that is being deleted again",
      [pod("a", ending), pod("b"), pod("c"), pod("n", { isNew: true })],
      {},
      ["c"],
    ],
    [
      "waits while a pod that is replaced in place ends",
      [pod("a", ending), pod("b"), pod("c")],
      { isReplacedInPlace: true },
      [],
    ],
    [
      "does not wait for ever for a pod that does not end",
      [pod("a", stuck), pod("b"), pod("c")],
      { isReplacedInPlace: true },
      ["c"],
    ],
    [
      "does not evict more because of a stuck pod that was replaced",
      [pod("a", stuck), pod("b"), pod("n", { isNew: true })],
      {},
      [],
    ],
    [
      "is none when every pod is new",
      [pod("n", { isNew: true }), pod("m", { isNew: true, isReady: false })],
      {},
      "done",
    ],
    [
      "is none when the last old pods are being deleted",
      [pod("a", ending), pod("n", { isNew: true })],
      {},
      "done",
    ],
    [
      "leaves pods that have ended alone",
      [pod("a", { phase: "Failed" }), pod("b", { phase: "Succeeded" })],
      {},
      "done",
    ],
    ["is none without pods", [], { desired: 0 }, "done"],
    [
      "waits until a new pod was ready for minReadySeconds",
      [pod("a"), pod("b"), pod("n", { isNew: true, readySince: "2026-11-18T10:00:55Z" })],
      { minReadySeconds: 10 },
      [],
    ],
    [
      "goes on when it was",
      [pod("a"), pod("b"), pod("n", { isNew: true, readySince: "2026-11-18T10:00:50Z" })],
      { minReadySeconds: 10 },
      ["b"],
    ],
    ["begins with the highest ordinal", [pod("db-2"), pod("db-10"), pod("db-9")], {}, ["db-10"]],
    ["evicts while there are more pods than desired", [pod("a"), pod("b"), pod("c"), pod("d")], {}, ["d"]],
  ])("%s", (_title, pods, state, expected) => {
    expect(evicted(pods, state)).toEqual(expected);
  });
});
