import { aborted } from "@keelson/core";
import { ConfigMap } from "@keelson/core/kinds/core/v1";
import { describe, expect, it } from "vitest";
import { readySource } from "../../test/support/controller-world.ts";
import { LeaseStore } from "../../test/support/leader/lease-store.ts";
import { cachePhase, ends, makeDefinition, managerWorld } from "../../test/support/manager/manager-world.ts";
import type { ControllerDefinition } from "../controller/controller-definition.ts";
import { admission } from "../webhook/admission.ts";
import type { CertificateSource } from "../webhook/certificate-source.ts";
import type { LeaderElectionOptions } from "./election.ts";
import {
  GraceExceededError,
  ManagerReusedError,
  ManagerStartedError,
  ManagerStoppedError,
  WebhooksNotServedError,
} from "./errors.ts";

const leaderElection: LeaderElectionOptions = {
  renewIn: "thread",
  lease: { namespace: "shop", name: "lock" },
  identity: "web-1",
};
const certificates: CertificateSource = {
  load: async () => undefined,
  current: () => ({ certificate: "", key: "" }),
  run: (signal) => aborted(signal),
};

describe("hooks that throw", () => {
  const broken = (): never => {
    throw new Error("the hook is broken");
  };

  it("[MG12] do not end a manager: onListening, whether it throws or rejects", async () => {
    for (const onListening of [broken, async () => broken()]) {
      const world = managerWorld({ onListening });
      await world.start();
      expect(world.manager.state).toBe("leading");
      expect(world.log.messages("error")).toEqual([
        expect.stringMatching(/^call onListening: the hook is broken/),
      ]);
      await world.stop();
      await world.running;
    }
  });

  it("[MG12] do not end a manager: its logger", async () => {
    const log = { debug: broken, info: broken, warn: broken, error: broken, with: broken };
    const world = managerWorld({ log, leaderElection, transport: new LeaseStore() });
    await world.start();
    expect(world.manager.state).toBe("leading");
    await world.clock.advance(60_000);
    expect(world.manager.state).toBe("leading");
    await world.stop();
    await world.running;
  });
});

describe("the order in which a manager starts and stops", () => {
  it("[MG1] is servers, webhooks, caches, runnables of every replica, warm-ups, election, runnables of the leader", async () => {
    const world = managerWorld({
      transport: new LeaseStore(),
      leaderElection,
      webhooks: { certificates },
    });
    const { manager, history, runnable } = world;
    manager.addWebhooks({ admissions: [admission(ConfigMap).validate(() => undefined)] });
    manager.add(
      runnable("leader", {
        warmUp: async () => {
          history.push("warm up");
        },
      }),
    );
    const other = runnable("other", { needsLeadership: false });
    manager.add({
      ...other,
      run: (signal) => {
        history.push(`cache ${cachePhase(manager)}`);
        return other.run(signal);
      },
    });
    await world.start();
    expect(history).toEqual([
      "open 8080",
      "open 8081",
      "open 9443",
      "cache running",
      "start other",
      "warm up",
      "start leader",
    ]);
    expect(manager.state).toBe("leading");
    await world.stop();
    await ends(world);
  });

  it("[MG1] starts nothing else before the informers of the cache have synced, and is not ready until then", async () => {
    const world = managerWorld();
    const { manager, history, runnable, ports } = world;
    manager.cache.acquire(ConfigMap);
    manager.add(runnable("other", { needsLeadership: false }));
    await world.start();
    await world.clock.advance(20_000);
    expect(history).toEqual(["open 8080", "open 8081"]);
    expect(await ports.get(8081, "/healthz")).toMatchObject({ status: 200 });
    const { status, text } = await ports.get(8081, "/readyz");
    expect(status).toBe(500);
    expect(text).toContain("[-]started failed");
    await world.stop();
    await ends(world);
    expect(history).toEqual(["open 8080", "open 8081", "close 8081", "close 8080"].toSorted(byOpenFirst));
  });

  it("[MG2] is, at the stop, runnables of every replica, those of the leader, caches, webhooks, servers, Lease, events", async () => {
    const store = new LeaseStore();
    const history: string[] = [];
    const world = managerWorld({
      transport: store,
      leaderElection,
      webhooks: { certificates },
      events: {
        record: () => undefined,
        flush: async () => void history.push(`flush, holder "${store.lease?.spec?.holderIdentity}"`),
        stop: () => void history.push("events stop"),
      },
    });
    const { manager, runnable } = world;
    const record = (what: string): void =>
      void history.push(`${what}, cache ${cachePhase(manager)}, ${holder()}`);
    const holder = (): string => `holder "${store.lease?.spec?.holderIdentity}"`;
    manager.addWebhooks({ admissions: [admission(ConfigMap).validate(() => undefined)] });
    for (const [name, needsLeadership] of [
      ["leader", true],
      ["other", false],
    ] as const)
      manager.add({
        ...runnable(name),
        needsLeadership,
        run: async (signal) => {
          await aborted(signal);
          // Long enough to show which group waits for which.
          await Promise.resolve();
          record(`stop ${name}`);
        },
      });
    await world.start();
    world.history.length = 0;
    await world.stop();
    await ends(world);
    expect(history).toEqual([
      'stop other, cache running, holder "web-1"',
      'stop leader, cache running, holder "web-1"',
      'flush, holder ""',
      "events stop",
    ]);
    expect(world.history[0]).toBe("close 9443");
    expect(world.history.slice(1).sort()).toEqual(["close 8080", "close 8081"]);
    expect(cachePhase(manager)).toBe("stopped");
  });
});

/** Servers of one group close in no particular order. */
function byOpenFirst(one: string, other: string): number {
  return Number(one.startsWith("close")) - Number(other.startsWith("close")) || (one < other ? -1 : 1);
}

describe("the grace period of a manager", () => {
  it("[MG3] is 30 s by default; the error names the runnables that have not ended by then", async () => {
    const world = managerWorld();
    world.manager.add(world.runnable("stubborn", { isStubborn: true }));
    await world.start();
    await world.stop();
    await world.clock.advance(29_999);
    expect(world.manager.state).toBe("stopping");
    await world.clock.advance(1);
    const error = await world.running.catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(GraceExceededError);
    expect(error).toMatchObject({ graceMs: 30_000, unfinished: ["stubborn"] });
    expect(world.manager.state).toBe("stopped");
    expect(cachePhase(world.manager)).toBe("stopped");
  });

  it("[MG3] is not used up by a runnable that hangs: the next group stops at half of it, and is not named in the error", async () => {
    const world = managerWorld();
    world.manager.add(world.runnable("stuck", { needsLeadership: false, isStubborn: true }));
    world.manager.add(world.runnable("obedient"));
    await world.start();
    await world.stop();
    await world.clock.advance(14_999);
    expect(world.history).toContain("stop stuck");
    expect(world.history).not.toContain("stop obedient");
    await world.clock.advance(1);
    expect(world.history).toContain("stop obedient");
    expect(cachePhase(world.manager)).toBe("running");
    await world.clock.advance(15_000);
    const error = await world.running.catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: "GRACE_EXCEEDED", unfinished: ["stuck"] });
    expect(world.log.lines.at(-1)).toMatchObject({ fields: { unfinished: ["stuck"] } });
  });

  it("[MG3] of 0 does not wait, and that is no error", async () => {
    const world = managerWorld({ graceMs: 0 });
    world.manager.add(world.runnable("stubborn", { isStubborn: true }));
    await world.start();
    await world.stop();
    await ends(world);
    expect(world.history).toContain("stop stubborn");
  });

  it("[MG3] that is negative has no end", async () => {
    const world = managerWorld({ graceMs: -1 });
    const end = Promise.withResolvers<void>();
    world.manager.add({ name: "slow", run: () => end.promise });
    await world.start();
    await world.stop();
    await world.clock.advance(86_400_000);
    expect(world.manager.state).toBe("stopping");
    end.resolve();
    await ends(world);
  });

  it("[MG3] [MG4] that is exceeded after an error is reported together with it", async () => {
    const world = managerWorld({ graceMs: 1_000 });
    const failure = new Error("expected error");
    world.manager.add(world.runnable("stubborn", { isStubborn: true }));
    world.manager.add({ name: "bad", run: () => Promise.reject(failure) });
    await world.start();
    await world.clock.advance(1_000);
    const error = await world.running.catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(AggregateError);
    expect(error).toMatchObject({ errors: [failure, { code: "GRACE_EXCEEDED" }] });
    expect(String(error)).toMatch(/expected error; stop the manager: still running after 1 s: .*stubborn/);
  });
});

describe("an error in a manager", () => {
  it("[MG4] of a runnable stops everything and is what `run` rejects with", async () => {
    const world = managerWorld();
    const failure = new Error("no disk");
    const broken = Promise.withResolvers<void>();
    world.manager.add(world.runnable("other", { needsLeadership: false }));
    world.manager.add({ name: "bad", run: () => broken.promise });
    await world.start();
    broken.reject(failure);
    await world.clock.settle();
    await expect(world.running).rejects.toBe(failure);
    expect(world.history).toContain("stop other");
    expect(world.clock.pendingTimers).toEqual([]);
  });

  it("[MG4] that only follows from the stop is ignored; another one during the stop is logged", async () => {
    const world = managerWorld();
    const rejectWith = (make: (reason: unknown) => unknown) => async (signal: AbortSignal) => {
      await aborted(signal);
      throw make(signal.reason);
    };
    world.manager.add({ name: "polite", run: rejectWith((reason) => reason) });
    world.manager.add({ name: "rude", run: rejectWith(() => new Error("cannot close the file")) });
    await world.start();
    await world.stop();
    await ends(world);
    expect(world.log.lines.filter(({ level }) => level === "error")).toMatchObject([
      { message: "a part of the manager failed while the manager stopped", fields: { part: "rude" } },
    ]);
  });

  it("[MG4] [MG10] of a server that cannot listen ends the start and leaves nothing behind", async () => {
    const world = managerWorld({ listen: () => Promise.reject(new Error("port 8080 is taken")) });
    world.manager.add(world.runnable("never"));
    await world.start();
    await expect(world.running).rejects.toThrow("port 8080 is taken");
    expect(world.history).toEqual([]);
    expect(world.clock.pendingTimers).toEqual([]);
  });
});

describe("a part that is added to a manager", () => {
  it("[MG5] before the start waits for it, after the start starts at once, and is refused once the stop has begun", async () => {
    const world = managerWorld();
    const { manager, history, runnable } = world;
    manager.add(runnable("early"));
    expect(history).toEqual([]);
    await world.start();
    manager.add(runnable("late"));
    manager.add(runnable("late other", { needsLeadership: false }));
    expect(history.filter((line) => line.startsWith("start"))).toEqual([
      "start early",
      "start late",
      "start late other",
    ]);
    const stopping = world.stop();
    expect(() => manager.add(runnable("too late"))).toThrow(ManagerStoppedError);
    await stopping;
    await ends(world);
    expect(() => manager.add(makeDefinition(() => undefined))).toThrow(
      "add test: the manager is stopping or has stopped; add it earlier",
    );
  });

  it("[MG5] may be a controller, to which sources can be added", async () => {
    const world = managerWorld();
    const keys: string[] = [];
    const definition = makeDefinition(({ key }) => void keys.push(key));
    const controller = world.manager.add(definition);
    await world.start();
    definition.source.add("one");
    const later = readySource("later");
    controller.watch(later);
    later.add("two");
    await world.clock.settle();
    expect(keys).toEqual(["one", "two"]);
    await world.stop();
    await ends(world);
  });

  it("[MG8] must be added before the start if it is a check, webhooks or uses", async () => {
    const world = managerWorld({ webhooks: { certificates, port: -1 } });
    const { manager, ports } = world;
    manager.addLivenessCheck("disk", () => {
      throw new Error("full");
    });
    manager.addReadinessCheck("peer", () => undefined);
    await world.start();
    expect(await ports.get(8081, "/healthz/disk")).toMatchObject({ status: 500 });
    expect(await ports.get(8081, "/readyz?verbose")).toEqual({
      status: 200,
      text: expect.stringMatching(/\[\+\]peer ok\n\[\+\]started ok/),
    });
    expect(() => manager.addLivenessCheck("late", () => undefined)).toThrow(ManagerStartedError);
    expect(() => manager.addReadinessCheck("late", () => undefined)).toThrow(ManagerStartedError);
    expect(() => manager.addWebhooks({})).toThrow(ManagerStartedError);
    expect(() => manager.declareUses("me", [])).toThrow(ManagerStartedError);
    await world.stop();
    await ends(world);
  });

  it("cannot be webhooks if the manager serves none", () => {
    expect(() => managerWorld().manager.addWebhooks({})).toThrow(WebhooksNotServedError);
  });

  it("[CT8] gets its concurrency from itself, then from its kind, then from the default", async () => {
    const counts: Record<string, number> = {};
    const world = managerWorld({ concurrency: { default: 3, byKind: { ConfigMap: 2 } } });
    const add = (name: string, extra: Partial<ControllerDefinition<string>>): void => {
      const source = readySource();
      counts[name] = 0;
      world.manager.add<string>({
        ...{ name, formatKey: (key: string) => key, sources: [source], options: {} },
        reconcile: async ({ signal }) => {
          counts[name] = (counts[name] ?? 0) + 1;
          await aborted(signal);
        },
        ...extra,
      });
      starts.push(() => ["a", "b", "c", "d", "e"].forEach((key) => void source.add(key)));
    };
    const starts: (() => void)[] = [];
    add("own", { kind: ConfigMap, options: { concurrency: 4 } });
    add("kind", { kind: ConfigMap });
    add("default", {});
    await world.start();
    for (const start of starts) start();
    await world.clock.settle();
    expect(counts).toEqual({ own: 4, kind: 2, default: 3 });
    expect(world.manager.kinds).toEqual(["ConfigMap"]);
    await world.stop();
    await ends(world);
  });
});

describe("a running manager", () => {
  it("cannot be run again", async () => {
    const world = managerWorld();
    await world.start();
    await expect(world.manager.run(new AbortController().signal)).rejects.toThrow(ManagerReusedError);
    await world.stop();
    await ends(world);
    await expect(world.manager.run(new AbortController().signal)).rejects.toThrow(ManagerReusedError);
  });

  it("starts nothing if it is stopped before it begins", async () => {
    const world = managerWorld();
    world.manager.add(world.runnable("never"));
    await world.stop();
    await world.start();
    await ends(world);
    expect(world.history).toEqual([]);
  });

  it("[MG10] leaves no timer, port or worker behind, a warmed-up controller included", async () => {
    const world = managerWorld({ transport: new LeaseStore(), leaderElection });
    const definition = makeDefinition(() => ({ requeueAfterMs: 1_000 }), { warmUp: true });
    world.manager.add(definition);
    await world.start();
    definition.source.add("one");
    await world.clock.advance(10_000);
    await world.stop();
    await ends(world);
    expect(definition.source.isStopped).toBe(true);
    expect(world.ports.services.size).toBe(0);
  });

  it("serves the debug endpoints for authorized requests, and not at all by default", async () => {
    const closed = managerWorld();
    await closed.start();
    expect(await closed.ports.get(8080, "/debug/why")).toMatchObject({ status: 404 });
    await closed.stop();
    await ends(closed);

    let isAllowed = false;
    const world = managerWorld({
      debug: {
        authorize: async () =>
          isAllowed ? { isAllowed } : { isAllowed, status: 403, message: "not for you" },
      },
    });
    const definition = makeDefinition(() => undefined);
    world.manager.add(definition);
    await world.start();
    definition.source.add("one");
    await world.clock.settle();
    expect(await world.ports.get(8080, "/debug/heap")).toEqual({ status: 403, text: "not for you\n" });
    isAllowed = true;
    const { text } = await world.ports.get(8080, "/debug/why?controller=test&key=one");
    expect(text).toContain("test source");
    expect((await world.ports.get(8080, "/metrics")).text).toContain("controller_runtime_reconcile_total");
    await world.stop();
    await ends(world);
  });
});
