import { VirtualClock } from "@keelson/testkit";
import { describe, expect, it } from "vitest";
import type { ClusterStatus } from "../api/cluster.ts";
import { StatusPace } from "./status-pace.ts";

const key = { namespace: "team-a", name: "demo" };
const before: ClusterStatus = { phase: "Reconciling", addons: { cni: { phase: "Installing" } } };
const details: ClusterStatus = { ...before, addons: { cni: { phase: "Deployed" } } };

function setUp(): { readonly clock: VirtualClock; readonly pace: StatusPace } {
  const clock = new VirtualClock();
  return { clock, pace: new StatusPace(clock) };
}

describe("the status of a Cluster", () => {
  it("is written at once for the first time, and if the phase has changed", () => {
    const { pace } = setUp();
    expect(pace.waitMs(key, before, details)).toBe(0);
    pace.wrote(key);
    expect(pace.waitMs(key, before, { ...details, phase: "Ready" })).toBe(0);
    expect(pace.waitMs(key, undefined, before)).toBe(0);
  });

  it("waits for a second after the last time if only details have changed", async () => {
    const { clock, pace } = setUp();
    pace.wrote(key);
    expect(pace.waitMs(key, before, details)).toBe(1_000);
    await clock.advance(400);
    expect(pace.waitMs(key, before, details)).toBe(600);
    await clock.advance(600);
    expect(pace.waitMs(key, before, details)).toBe(0);
  });

  it("does not wait for what has not changed, for another Cluster, or for one that is forgotten", () => {
    const { pace } = setUp();
    pace.wrote(key);
    expect(pace.waitMs(key, before, { ...before })).toBe(0);
    expect(pace.waitMs({ ...key, namespace: "team-b" }, before, details)).toBe(0);
    pace.forget(key);
    expect(pace.waitMs(key, before, details)).toBe(0);
  });
});
