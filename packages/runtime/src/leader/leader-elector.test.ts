import { createClient } from "@keelson/client";
import { type Clock, type KubeObject, type Random, seededRandom } from "@keelson/core";
import type { Lease, LeaseSpec } from "@keelson/core/kinds/coordination/v1";
import { faults, faultyTransport, RecordingLogger, type RequestMatch, VirtualClock } from "@keelson/testkit";
import { describe, expect, it, onTestFinished } from "vitest";
import { LeaseStore } from "../../test/support/leader/lease-store.ts";
import type { EventToRecord } from "../controller/event-recorder.ts";
import { ElectorMisuseError, InvalidElectionError, LeadershipLostError } from "./errors.ts";
import { LeaderElector, type LeaderElectorOptions } from "./leader-elector.ts";

const always = { times: Number.POSITIVE_INFINITY };
const lease = { namespace: "shop", name: "lock" };
const update: RequestMatch = { method: "PUT" };

const leaseOf = (holderIdentity: string, more: LeaseSpec = {}): Lease => ({
  apiVersion: "coordination.k8s.io/v1",
  kind: "Lease",
  metadata: { ...lease, uid: "u1" },
  spec: { holderIdentity, leaseDurationSeconds: 15, leaseTransitions: 2, ...more },
});

type ThreadOptions = Partial<Extract<LeaderElectorOptions, { readonly renewIn: "thread" }>>;

/** A clock of which time can be taken away at once, as it is from a process that is stopped. */
class PausableClock implements Clock {
  /** The delays of its timers. */
  readonly delays: number[] = [];
  readonly #inner: VirtualClock;
  #pausedMs = 0;

  constructor(inner: VirtualClock) {
    this.#inner = inner;
  }

  pause(ms: number): void {
    this.#pausedMs += ms;
  }

  now(): number {
    return this.#inner.now() + this.#pausedMs;
  }

  monotonicNow(): number {
    return this.#inner.monotonicNow() + this.#pausedMs;
  }

  schedule(delayMs: number, callback: () => void) {
    this.delays.push(delayMs);
    return this.#inner.schedule(delayMs, callback);
  }
}

/** An elector whose server stores at most one Lease. Its callbacks and its requests are recorded with their times. */
function setUp(stored?: Lease, options: ThreadOptions = {}) {
  const clock = new VirtualClock();
  const pausable = new PausableClock(clock);
  const store = new LeaseStore();
  store.lease = stored;
  const requests: string[] = [];
  const recording = {
    send: (request: Parameters<LeaseStore["send"]>[0]) => {
      requests.push(`${clock.monotonicNow()} ${request.method}`);
      return transport.send(request);
    },
    close: () => transport.close(),
  };
  const transport = faultyTransport(store);
  const observed: string[] = [];
  const observe = (what: string): void => void observed.push(`${clock.monotonicNow()} ${what}`);
  const events: { readonly object: KubeObject; readonly event: EventToRecord }[] = [];
  const logger = new RecordingLogger();
  const elector = new LeaderElector({
    lease,
    identity: "me",
    clock: pausable,
    random: { next: () => 0 },
    logger,
    onStarted: (leading) => {
      observe("started");
      leading.addEventListener("abort", () => observe(`over: ${leading.reason.message}`));
    },
    onStopped: () => observe("stopped"),
    onNewLeader: (identity) => observe(`leader ${identity}`),
    events: { record: (object, event) => events.push({ object, event }) },
    observer: {
      leaderChanged: (isLeader) => observe(`gauge ${Number(isLeader)}`),
      slowPathTaken: () => observe("slow path"),
    },
    ...options,
    renewIn: "thread",
    transport: recording,
  });
  const stopping = new AbortController();
  const start = (): Promise<unknown> => {
    const run = elector.run(stopping.signal);
    // A rejection is looked at when time has been moved to it.
    run.catch(() => undefined);
    onTestFinished(() => stopping.abort(new Error("the test is over")));
    return run;
  };
  const stop = (): void => stopping.abort(new Error("enough"));
  const { delays } = pausable;
  return {
    clock,
    pausable,
    delays,
    store,
    transport,
    requests,
    observed,
    events,
    logger,
    elector,
    start,
    stop,
  };
}

type World = ReturnType<typeof setUp>;

/** One that has just begun to lead. */
async function leading(options: ThreadOptions = {}): Promise<World & { run: Promise<unknown> }> {
  const world = setUp(undefined, options);
  const run = world.start();
  await world.clock.settle();
  expect(world.elector.leadership.isCertain).toBe(true);
  world.requests.length = 0;
  world.observed.length = 0;
  return { ...world, run };
}

const timesIn = (requests: readonly string[]): readonly number[] =>
  requests.map((entry) => Number.parseFloat(entry));

describe("a candidate", () => {
  const gaps = async (random: Random): Promise<readonly number[]> => {
    const { clock, transport, requests, start } = setUp(undefined, { random });
    transport.fault({}, faults.refuseConnection(), always);
    void start();
    await clock.advance(1_200_000);
    const times = timesIn(requests);
    return times.slice(1).map((time, index) => time - (times[index] ?? 0));
  };

  it("[LE5] tries for as long as it takes, every 2 s and up to 1.2 times that more", {
    timeout: 60_000,
  }, async () => {
    expect(new Set(await gaps({ next: () => 0 }))).toEqual(new Set([2_000]));
    const drawn = await gaps(seededRandom(1));
    expect(drawn.length).toBeGreaterThan(1_200 / 4.4);
    expect(Math.min(...drawn)).toBeGreaterThanOrEqual(2_000);
    expect(Math.min(...drawn)).toBeLessThan(2_100);
    expect(Math.max(...drawn)).toBeLessThan(4_400);
    expect(Math.max(...drawn)).toBeGreaterThan(4_300);
  });

  it("[LE4] [LE6] creates the missing Lease and leads", async () => {
    const { clock, observed, requests, store, start } = setUp();
    void start();
    await clock.settle();
    expect(requests).toEqual(["0 GET", "0 POST"]);
    expect(observed).toEqual(["0 gauge 0", "0 leader me", "0 gauge 1", "0 started"]);
    expect(store.lease?.spec).toMatchObject({ holderIdentity: "me", leaseTransitions: 0 });
  });

  it("[LE3] takes over when the record has not changed for its duration by its own clock", async () => {
    const { clock, observed, store, start } = setUp(
      leaseOf("other", { renewTime: "2000-01-01T00:00:00.000000Z" }),
    );
    void start();
    await clock.advance(7_000);
    store.lease = leaseOf("other", { renewTime: "2000-01-01T00:00:00.000001Z" });
    await clock.advance(60_000);
    // Seen at 8 s; 15 s later is 23 s; the next try after that is at 24 s.
    expect(observed).toEqual([
      "0 gauge 0",
      "0 leader other",
      "24000 leader me",
      "24000 gauge 1",
      "24000 started",
    ]);
    expect(store.lease?.spec).toMatchObject({ leaseTransitions: 3 });
  });

  it("[LE6] reports every change of leader, also that there is none, and that it stopped although it never led", async () => {
    const { clock, observed, store, start, stop } = setUp(leaseOf("one"));
    const run = start();
    await clock.settle();
    store.lease = leaseOf("two");
    await clock.advance(2_000);
    stop();
    expect(await run).toBeUndefined();
    expect(observed).toEqual(["0 gauge 0", "0 leader one", "2000 leader two", "2000 stopped"]);
    expect(clock.pendingTimers).toEqual([]);
  });

  it("[LE6] that is stopped before its first request only reports that it stopped", async () => {
    const { requests, observed, start, stop, elector } = setUp();
    stop();
    expect(await start()).toBeUndefined();
    expect(observed).toEqual(["0 gauge 0", "0 stopped"]);
    expect(await elector.release()).toBe(false);
    expect(requests).toEqual([]);
  });

  it("ignores a response that arrives after a pause longer than the renew deadline, and leads after the next", async () => {
    const { clock, pausable, transport, observed, start } = setUp();
    transport.fault({ method: "POST" }, faults.holdResponse());
    void start();
    await clock.settle();
    pausable.pause(10_001);
    transport.releaseAll();
    await clock.settle();
    expect(observed).toEqual(["0 gauge 0", "0 leader me"]);
    await clock.advance(2_000);
    expect(observed).toEqual(["0 gauge 0", "0 leader me", "2000 gauge 1", "2000 started"]);
  });
});

describe("a leader", () => {
  it("[LE5] [LE4] renews every 2 s by nothing but an update", async () => {
    const { clock, requests, observed, store } = await leading();
    const before = store.lease?.spec;
    await clock.advance(6_000);
    expect(requests).toEqual(["2000 PUT", "4000 PUT", "6000 PUT"]);
    expect(observed).toEqual([]);
    expect(store.lease?.spec).toEqual({ ...before, renewTime: expect.any(String) });
    expect(store.lease?.spec?.renewTime).not.toBe(before?.renewTime);
  });

  it.each([
    ["refuses connections", () => faults.refuseConnection()],
    ["responds with 500", () => faults.refuse("InternalError")],
    ["finds conflicts", () => faults.refuse("Conflict")],
    ["is silent", () => faults.neverRespond()],
  ])("[LE5] loses its leadership 10 s after its last renewal if the server %s", async (_, fault) => {
    const { clock, transport, observed, elector, run } = await leading();
    await clock.advance(4_000);
    transport.fault({}, fault(), always);
    await clock.advance(9_999);
    expect(observed.filter((line) => !line.endsWith("slow path"))).toEqual([]);
    expect(elector.leadership.isCertain).toBe(true);
    await clock.advance(1);
    expect(observed.filter((line) => !line.endsWith("slow path"))).toEqual([
      expect.stringMatching(
        /^14000 over: lead by lease shop\/lock: leader election lost: the lease was not renewed for 10 s/,
      ),
      "14000 gauge 0",
      "14000 stopped",
    ]);
    await expect(run).rejects.toBeInstanceOf(LeadershipLostError);
    expect(elector.leadership.isCertain).toBe(false);
    expect(clock.pendingTimers).toEqual([]);
    expect(await elector.release()).toBe(false);
  });

  it.each(["Conflict", "InternalError", "ServiceUnavailable", "Timeout", "TooManyRequests"] as const)(
    "[LE9] survives two tries that failed by %s",
    async (reason) => {
      const { clock, transport, observed, requests, elector } = await leading();
      transport.fault(update, faults.refuse(reason), { times: 4 });
      await clock.advance(30_000);
      expect(requests.slice(0, 7).map((entry) => entry.replace(/^\d+ /, ""))).toEqual([
        "PUT",
        "GET",
        "PUT",
        "PUT",
        "GET",
        "PUT",
        "PUT",
      ]);
      expect(observed).toEqual(["2000 slow path", "4000 slow path"]);
      expect(elector.leadership.isCertain).toBe(true);
    },
  );

  it("[LE7] aborts a request that hangs after 5 s, and renews by another", async () => {
    const { clock, transport, observed, requests, elector } = await leading();
    transport.fault(update, faults.neverRespond());
    await clock.advance(9_000);
    expect(requests).toEqual(["2000 PUT", "7000 GET", "7000 PUT", "9000 PUT"]);
    expect(observed).toEqual(["7000 slow path"]);
    expect(elector.leadership.isCertain).toBe(true);
  });

  it("[LE5] [LE12] counts from when it sent a renewal, however late the response arrives", async () => {
    const { clock, transport, elector } = await leading();
    transport.fault(update, faults.holdResponse());
    await clock.advance(5_000);
    transport.releaseAll();
    await clock.settle();
    expect(elector.leadership.renewedAgoMs).toBe(3_000);
    transport.fault({}, faults.refuseConnection(), always);
    await clock.advance(6_999);
    expect(elector.leadership.isCertain).toBe(true);
    await clock.advance(2);
    expect(elector.leadership.isCertain).toBe(false);
  });

  it("[LE9] keeps its lease through 6 s in which the server demands a delay of 10 s", async () => {
    const { clock, transport, requests, logger, elector } = await leading();
    const busy = faults.refuse("ServiceUnavailable", { retryAfterSeconds: 10 });
    await clock.advance(1_999);
    const fault = transport.fault({}, busy, always);
    await clock.advance(6_000);
    expect(timesIn(requests)).toEqual([2_000, 2_000, 4_000, 4_000, 6_000, 6_000]);
    expect(logger.messages("warn")[0]).toMatch(/ the API server responded with 503 ServiceUnavailable/);
    fault.remove();
    await clock.advance(12_000);
    expect(elector.leadership.isCertain).toBe(true);
  });

  it("[LE5] names the responses by which it lost its lease, also if they carried a Retry-After", async () => {
    const { clock, transport, run } = await leading();
    const busy = faults.refuse("ServiceUnavailable", { retryAfterSeconds: 10 });
    transport.fault({}, busy, always);
    await clock.advance(10_000);
    await expect(run).rejects.toThrow(/not renewed for 10 s \(.*responded with 503 ServiceUnavailable/);
  });

  it("[LE5] names them also with a client that retries after a delay", async () => {
    const clock = new VirtualClock();
    const transport = faultyTransport(new LeaseStore());
    const logger = new RecordingLogger();
    const client = createClient({ transport, clock });
    const elector = new LeaderElector({ renewIn: "thread", client, clock, lease, identity: "me", logger });
    const run = elector.run(new AbortController().signal);
    run.catch(() => undefined);
    await clock.settle();
    transport.fault({}, faults.refuse("ServiceUnavailable", { retryAfterSeconds: 10 }), always);
    await clock.advance(10_000);
    await expect(run).rejects.toThrow(/the response was 503 with Retry-After: 10/);
  });

  it("[LE7] sends a read once whose connection was reset, which a client would retry", async () => {
    const { clock, transport, requests } = await leading();
    transport.fault(update, faults.refuseConnection());
    transport.fault({ method: "GET" }, faults.reset());
    await clock.advance(4_000);
    expect(requests).toEqual(["2000 PUT", "2000 GET", "4000 PUT"]);
  });

  it("tries again at once after a try that took longer than the retry period", async () => {
    const { clock, transport, requests, delays } = await leading();
    transport.fault(update, faults.neverRespond());
    transport.fault({ method: "GET" }, faults.refuseConnection());
    await clock.advance(8_000);
    expect(requests).toEqual(["2000 PUT", "7000 GET", "7000 PUT"]);
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(0);
  });

  it("loses its leadership as soon as it sees another leader", async () => {
    const { clock, transport, store, observed, elector, run } = await leading();
    store.lease = leaseOf("other");
    transport.fault(update, faults.refuse("Conflict"));
    await clock.advance(2_000);
    await expect(run).rejects.toThrow(
      "lead by lease shop/lock: leader election lost: other holds the lease; start again as a candidate",
    );
    expect(observed[0]).toBe("2000 leader other");
    expect(elector.leadership.isCertain).toBe(false);
  });

  it.each([
    ["renewal", 1_999],
    ["response", 2_000],
  ])(
    "[LE12] is lost if it was stopped for longer than the renew deadline while it waited for a %s",
    async (_, atMs) => {
      const { clock, pausable, transport, requests, run } = await leading();
      transport.fault(update, faults.holdResponse());
      await clock.advance(atMs);
      const before = requests.length;
      pausable.pause(10_001);
      transport.releaseAll();
      await clock.advance(1);
      await expect(run).rejects.toBeInstanceOf(LeadershipLostError);
      expect(requests.length).toBe(before);
    },
  );

  it("[LE12] writes nothing more if it was paused for longer than the renew deadline while it read its Lease", async () => {
    const { clock, pausable, transport, requests, run } = await leading();
    transport.fault(update, faults.refuse("Conflict"));
    transport.fault({ method: "GET" }, faults.holdResponse());
    await clock.advance(2_000);
    pausable.pause(20_000);
    transport.releaseAll();
    await clock.advance(1);
    await expect(run).rejects.toBeInstanceOf(LeadershipLostError);
    expect(requests).toEqual(["2000 PUT", "2000 GET"]);
  });

  it("[LE11] records Events about its Lease when it becomes leader and when it stops", async () => {
    const { clock, events, run, stop, observed } = await leading();
    await clock.advance(2_000);
    stop();
    await run;
    const kind = {
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      metadata: expect.objectContaining(lease),
    };
    const event = { type: "Normal", reason: "LeaderElection" };
    expect(events).toEqual([
      { object: kind, event: { ...event, message: "me became leader" } },
      { object: kind, event: { ...event, message: "me stopped leading" } },
    ]);
    expect(observed).toEqual(["2000 over: enough", "2000 gauge 0", "2000 stopped"]);
  });

  it("survives callbacks that throw, and logs them", async () => {
    const boom = (): void => {
      throw new Error("boom");
    };
    const { run, stop, logger } = await leading({ onStarted: boom, onNewLeader: boom, onStopped: boom });
    stop();
    await run;
    expect(logger.messages("error")).toHaveLength(3);
  });
});

describe("a release", () => {
  async function stopped(): Promise<World> {
    const world = await leading();
    world.stop();
    await world.run;
    return world;
  }

  it("[LE8] reads again and tries again after conflicts", async () => {
    const { elector, transport, requests, clock, store } = await stopped();
    transport.fault(update, faults.refuse("Conflict"), { times: 3 });
    expect(await clock.runUntil(elector.release())).toBe(true);
    expect(requests.map((entry) => entry.slice(-3))).toEqual([
      "GET",
      "PUT",
      "GET",
      "PUT",
      "GET",
      "PUT",
      "GET",
      "PUT",
    ]);
    expect(store.lease?.spec?.holderIdentity).toBe("");
  });

  it.each([
    ["conflicts without end", () => faults.refuse("Conflict")],
    ["silence", () => faults.neverRespond()],
  ])("[LE8] takes no longer than the renew deadline: %s", async (_, fault) => {
    const { elector, transport, clock } = await stopped();
    transport.fault(update, fault(), always);
    expect(await clock.runUntil(elector.release())).toBe(false);
    expect(clock.monotonicNow()).toBeGreaterThanOrEqual(5_000);
    expect(clock.monotonicNow()).toBeLessThanOrEqual(10_000);
    expect(clock.pendingTimers).toEqual([]);
  });

  it("[LE8] also releases a lease that it may have acquired when it was stopped", async () => {
    const { elector, transport, store, start, stop, clock } = setUp();
    transport.fault({ method: "POST" }, faults.holdResponse());
    const run = start();
    await clock.settle();
    stop();
    await run;
    expect(store.lease?.spec?.holderIdentity).toBe("me");
    expect(await elector.release()).toBe(true);
    expect(store.lease?.spec?.holderIdentity).toBe("");
  });
});

describe("an elector", () => {
  it("[LE1] refuses invalid durations", () => {
    expect(() => setUp(undefined, { renewDeadlineMs: 15_000 })).toThrow(InvalidElectionError);
  });

  it("runs once, and releases only after the renewals have stopped", async () => {
    const { elector, run, stop } = await leading();
    await expect(elector.release()).rejects.toThrow(ElectorMisuseError);
    stop();
    await run;
    await expect(elector.run(new AbortController().signal)).rejects.toThrow(ElectorMisuseError);
  });
});
