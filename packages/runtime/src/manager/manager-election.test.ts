import { ConfigMap } from "@keelson/core/kinds/core/v1";
import { describe, expect, it } from "vitest";
import { LeaseStore } from "../../test/support/leader/lease-store.ts";
import {
  ends,
  type ManagerWorld,
  makeDefinition,
  managerWorld,
} from "../../test/support/manager/manager-world.ts";
import { LeadershipLostError, NotLeaderError } from "../leader/errors.ts";
import type { LeaderElectionOptions } from "./election.ts";
import { GraceExceededError } from "./errors.ts";

const leaderElection: LeaderElectionOptions = {
  renewIn: "thread",
  lease: { namespace: "shop", name: "lock" },
  identity: "web-1",
};

describe("a manager with leader election", () => {
  it("[MG6] runs what needs no leadership at once, and the rest only when it leads", async () => {
    const store = new LeaseStore();
    const world = managerWorld({ transport: store, leaderElection });
    hold(store, "another");
    world.manager.add(world.runnable("leader"));
    world.manager.add(world.runnable("other", { needsLeadership: false }));
    let isElected = false;
    void world.manager.elected.then(() => {
      isElected = true;
    });
    await world.start();
    await world.clock.advance(10_000);
    expect(starts(world)).toEqual(["start other"]);
    expect([isElected, world.manager.state]).toEqual([false, "running"]);
    await world.clock.advance(20_000);
    expect(starts(world)).toEqual(["start other", "start leader"]);
    expect([isElected, world.manager.state]).toEqual([true, "leading"]);
    await world.stop();
    await ends(world);
  });

  it("[MG6] that is elected while it stops starts no runnable of a leader", async () => {
    const store = new LeaseStore();
    const world = managerWorld({ transport: store, leaderElection, graceMs: -1 });
    hold(store, "another");
    const end = Promise.withResolvers<void>();
    world.manager.add(world.runnable("leader"));
    world.manager.add({ name: "slow", needsLeadership: false, run: () => end.promise });
    await world.start();
    await world.stop();
    // The Lease expires while the slow runnable keeps the election running.
    await world.clock.advance(60_000);
    expect(store.lease?.spec?.holderIdentity).toBe("web-1");
    end.resolve();
    await ends(world);
    expect(starts(world)).toEqual([]);
    expect(store.lease?.spec?.holderIdentity).toBe("");
  });

  it("[MG7] that loses its Lease rejects at once, whatever still runs, and does not release the Lease", async () => {
    const store = new LeaseStore();
    const world = managerWorld({ transport: store, leaderElection });
    world.manager.add(world.runnable("stubborn", { isStubborn: true }));
    await world.start();
    expect(world.manager.state).toBe("leading");
    hold(store, "thief");
    store.send = () => Promise.reject(new Error("the network is down"));
    await world.clock.advance(15_000);
    await expect(world.running).rejects.toThrow(LeadershipLostError);
    await expect(world.running).rejects.toThrow("leader election lost");
    expect(world.history).toContain("stop stubborn");
    expect(store.lease?.spec?.holderIdentity).toBe("thief");
    expect(world.clock.pendingTimers).toEqual([]);
  });

  it("[MG3] [MG7] that loses its Lease while it stops and a runnable of the leader runs rejects, and logs what still runs", async () => {
    const store = new LeaseStore();
    const world = managerWorld({ transport: store, leaderElection });
    world.manager.add(world.runnable("stubborn", { isStubborn: true }));
    world.manager.add(world.runnable("other", { needsLeadership: false }));
    await world.start();
    await world.stop();
    store.send = () => Promise.reject(new Error("the network is down"));
    await world.clock.advance(15_000);
    await expect(world.running).rejects.toThrow(LeadershipLostError);
    expect(world.log.lines.at(-1)).toMatchObject({
      message: "manager stopped",
      fields: { unfinished: ["stubborn"] },
    });
    expect(world.clock.pendingTimers).toEqual([]);
  });

  it("[MG3] that loses its Lease when the runnables of the leader have ended gives the rest the whole grace period", async () => {
    const store = new LeaseStore();
    const world = managerWorld({ transport: store, leaderElection });
    world.manager.add(world.runnable("leader"));
    world.manager.add(world.runnable("stubborn", { needsLeadership: false, isStubborn: true }));
    await world.start();
    await world.stop();
    await world.clock.advance(15_000);
    expect(world.history).toContain("stop leader");
    store.send = () => Promise.reject(new Error("the network is down"));
    await world.clock.advance(14_999);
    expect(world.manager.state).toBe("stopping");
    await world.clock.advance(1);
    await expect(world.running).rejects.toMatchObject({
      code: "GRACE_EXCEEDED",
      unfinished: ["stubborn"],
    });
  });

  it("[MG2] does not release its Lease while a runnable of the leader still runs, so that it never overlaps with the next leader", async () => {
    const store = new LeaseStore();
    const world = managerWorld({ transport: store, leaderElection, graceMs: 1_000 });
    world.manager.add(world.runnable("stubborn", { isStubborn: true }));
    await world.start();
    await world.stop();
    await world.clock.advance(1_000);
    await expect(world.running).rejects.toThrow(GraceExceededError);
    expect(store.lease?.spec?.holderIdentity).toBe("web-1");
  });

  it("[LE12] refuses writes of the leader's clients while it does not lead, and allows those of every replica", async () => {
    const store = new LeaseStore();
    const world = managerWorld({ transport: store, leaderElection });
    hold(store, "another");
    const { manager } = world;
    const written = { metadata: { namespace: "shop", name: "web" } };
    await world.start();
    await expect(manager.client.create(ConfigMap, written)).rejects.toThrow(NotLeaderError);
    await expect(manager.liveClient.create(ConfigMap, written)).rejects.toThrow(NotLeaderError);
    expect(store.lease?.kind).toBe("Lease");
    await manager.replicaClient.create(ConfigMap, written);
    expect(store.lease?.kind).toBe("ConfigMap");
    await world.stop();
    await world.clock.advance(60_000);
    await world.running;
  });

  it("[CT17] starts the sources of a controller that warms up before it leads, and its workers when it does", async () => {
    const store = new LeaseStore();
    const world = managerWorld({ transport: store, leaderElection });
    hold(store, "another");
    const keys: string[] = [];
    const warm = makeDefinition(({ key }) => void keys.push(key), { warmUp: true });
    const cold = { ...makeDefinition(() => undefined), name: "cold" };
    world.manager.add(warm);
    world.manager.add(cold);
    await world.start();
    warm.source.add("one");
    await world.clock.advance(5_000);
    expect([warm.source.starts, cold.source.starts, keys]).toEqual([1, 0, []]);
    await world.clock.advance(30_000);
    expect([warm.source.starts, cold.source.starts, keys]).toEqual([1, 1, ["one"]]);
    await world.stop();
    await ends(world);
  });

  it("[CT17] [MG10] that never leads ends the sources that it warmed up", async () => {
    const store = new LeaseStore();
    const world = managerWorld({ transport: store, leaderElection });
    hold(store, "another");
    const warm = makeDefinition(() => undefined, { warmUp: true });
    world.manager.add(warm);
    await world.start();
    await world.stop();
    await ends(world);
    expect(warm.source.isStopped).toBe(true);
  });
});

/** Gives the Lease to another holder, for 15 s from when it is first seen. */
function hold(store: LeaseStore, holderIdentity: string): void {
  const time = "2026-01-01T00:00:00.000000Z";
  store.lease = {
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    metadata: { namespace: "shop", name: "lock", resourceVersion: "1" },
    spec: {
      holderIdentity,
      leaseDurationSeconds: 15,
      acquireTime: time,
      renewTime: time,
      leaseTransitions: 0,
    },
  };
}

function starts({ history }: ManagerWorld): readonly string[] {
  return history.filter((line) => line.startsWith("start"));
}
