import { describe, expect, it } from "vitest";
import type { ConsumerPod } from "./consumer-pods.ts";
import { type EvictedPods, nextEviction } from "./pod-by-pod.ts";

const nowMs = Date.parse("2026-11-18T10:00:00Z");

interface PodChange {
  readonly isReady?: boolean;
  readonly isOld?: boolean;
  readonly deletionTimestamp?: string;
}

function pod(name: string, { isReady = true, isOld = true, deletionTimestamp }: PodChange = {}): ConsumerPod {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      ...{ namespace: "shop", name, uid: name, resourceVersion: "1" },
      creationTimestamp: isOld ? "2026-11-18T09:00:00Z" : "2026-11-18T09:59:00Z",
      ...(deletionTimestamp !== undefined && { deletionTimestamp }),
    },
    isReady,
    hasEnded: false,
  };
}

const isOutdated = ({ metadata }: ConsumerPod): boolean => metadata.creationTimestamp.includes("09:00");
const fresh = (name: string, change: PodChange = {}) => pod(name, { ...change, isOld: false });
const ending = { deletionTimestamp: "2026-11-18T10:00:20Z" };
const stuck = { deletionTimestamp: "2026-11-18T09:54:59Z" };

/** The name of the next pod, `wait` or `done`. */
function next(pods: readonly ConsumerPod[], change: Partial<EvictedPods> = {}): string {
  const step = nextEviction({ pods, others: [], desired: 0, ...change }, isOutdated, nowMs);
  return step.isDone ? "done" : (step.next?.metadata.name ?? "wait");
}

describe("a restart pod by pod", () => {
  it.each<[string, readonly ConsumerPod[], Partial<EvictedPods>, string]>([
    ["begins with the first pod", [pod("a"), pod("b")], {}, "a"],
    ["begins with a pod that is not ready", [pod("a"), pod("b", { isReady: false })], {}, "b"],
    ["goes on when the replacement is ready", [fresh("a"), pod("b")], {}, "b"],
    ["waits until the replacement is ready", [fresh("a", { isReady: false }), pod("b")], {}, "wait"],
    ["waits until the pod before has ended", [pod("a", ending), pod("b")], {}, "wait"],
    ["waits until the replacement is created", [pod("b")], { desired: 2 }, "wait"],
    ["waits for a pod that is not to be restarted", [pod("a")], { others: [pod("b", ending)] }, "wait"],
    ["does not wait for a pod whose node may never return", [pod("a", stuck), pod("b")], { desired: 2 }, "b"],
    ["restarts what is not ready meanwhile", [pod("a", ending), pod("b", { isReady: false })], {}, "b"],
    ["is done when no old pod runs", [fresh("a"), pod("b", ending)], { desired: 3 }, "done"],
    ["is done without pods", [], {}, "done"],
  ])("%s", (_, pods, change, expected) => {
    expect(next(pods, change)).toBe(expected);
  });
});
