import type { Pod } from "@keelson/core/kinds/core/v1";
import { describe, expect, it } from "vitest";
import { podsToDelete } from "./deletion-order.ts";

const now = Date.UTC(2026, 0, 2);

interface Traits {
  readonly node?: string;
  readonly phase?: "Pending" | "Running";
  readonly readyAgoMs?: number;
  readonly ageMs?: number;
  readonly cost?: string;
  readonly restarts?: number;
}

function pod(name: string, traits: Traits = {}): Pod {
  const { node = "n", phase = "Running", readyAgoMs, ageMs = 3_600_000, cost, restarts = 0 } = traits;
  const time = (agoMs: number): string => new Date(now - agoMs).toISOString();
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      uid: name,
      creationTimestamp: time(ageMs),
      ...(cost === undefined ? {} : { annotations: { "controller.kubernetes.io/pod-deletion-cost": cost } }),
    },
    spec: { containers: [], ...(node === "" ? {} : { nodeName: node }) },
    status: {
      phase,
      containerStatuses: [{ name: "c", image: "", imageID: "", ready: true, restartCount: restarts }],
      ...(readyAgoMs === undefined
        ? {}
        : { conditions: [{ type: "Ready", status: "True", lastTransitionTime: time(readyAgoMs) }] }),
    },
  };
}

function first(pods: readonly Pod[], related: readonly Pod[] = pods): string | undefined {
  return podsToDelete(pods, related, 1, now)[0]?.metadata.name;
}

describe("of too many pods, the first to go", () => {
  it.each<[string, Pod, Pod]>([
    ["is on no node yet", pod("z", { node: "" }), pod("a", { phase: "Pending" })],
    ["does not run yet", pod("z", { phase: "Pending" }), pod("a")],
    ["is not ready", pod("z"), pod("a", { readyAgoMs: 1000 })],
    ["costs less", pod("z", { cost: "-5", readyAgoMs: 9e6 }), pod("a", { readyAgoMs: 1000 })],
    [
      "has been ready for a much shorter time",
      pod("z", { readyAgoMs: 1000 }),
      pod("a", { readyAgoMs: 3_000_000 }),
    ],
    ["was restarted more often", pod("z", { restarts: 3 }), pod("a", { restarts: 1 })],
    ["is much younger", pod("z", { ageMs: 1000 }), pod("a")],
  ])("%s", (_why, victim, survivor) => {
    expect(first([survivor, victim])).toBe("z");
    expect(first([victim, survivor])).toBe("z");
  });

  it("shares its node with more relatives", () => {
    const pods = [pod("a", { node: "one", readyAgoMs: 1000 }), pod("z", { node: "two", readyAgoMs: 1000 })];
    expect(first(pods, [...pods, pod("relative", { node: "two" })])).toBe("z");
  });

  it("is all of them if there are no more", () => {
    const pods = [pod("a"), pod("b")];
    expect(podsToDelete(pods, pods, 2, now)).toBe(pods);
  });
});
