import { VirtualClock } from "@keelson/testkit";
import { describe, expect, it } from "vitest";
import { cacheSynced, type InformersToCheck, queueAge, watchFreshness } from "./built-in-checks.ts";
import { CacheNotSyncedError, QueueStuckError, StaleInformersError } from "./errors.ts";
import type { HealthCheck } from "./health-checks.ts";

type Checked = InformersToCheck["statuses"][number];

const status = (changes: Partial<Checked> = {}): Checked => ({
  name: "pods in shop",
  hasSynced: true,
  phase: "watching",
  lastEventAtMs: undefined,
  lastBookmarkAtMs: undefined,
  ...changes,
});

/** None of these checks waits for anything. */
const run = (check: HealthCheck): void => {
  void check(new AbortController().signal);
};

describe("cacheSynced", () => {
  it("names the informers that have not synced", () => {
    const cache = { statuses: [status(), status({ name: "nodes", hasSynced: false })] };
    expect(() => run(cacheSynced(cache))).toThrow(CacheNotSyncedError);
    expect(() => run(cacheSynced(cache))).toThrow("check the cache: not synced: nodes");
    cache.statuses = [status()];
    expect(() => run(cacheSynced(cache))).not.toThrow();
  });
});

describe("watchFreshness", () => {
  function setUp(first: Checked) {
    const clock = new VirtualClock();
    const cache = { statuses: [first] };
    const check = watchFreshness(cache, { clock, maxSilenceMs: 120_000 });
    return { clock, cache, check };
  }

  it("fails when no bookmark arrives for too long, and passes with the next one", async () => {
    const { clock, cache, check } = setUp(status());
    cache.statuses = [status({ lastBookmarkAtMs: clock.now() })];
    run(check);
    await clock.advance(120_000);
    run(check);
    await clock.advance(1);
    expect(() => run(check)).toThrow(StaleInformersError);
    expect(() => run(check)).toThrow("nothing was received for pods in shop: watching, silent for 120 s");
    cache.statuses = [status({ lastBookmarkAtMs: 1, lastEventAtMs: clock.now() })];
    run(check);
  });

  it("fails when an informer does not watch for too long, with the reason", async () => {
    const { clock, cache, check } = setUp(status());
    run(check);
    await clock.advance(3_600_000);
    run(check);
    cache.statuses = [status({ phase: "waiting", lastError: new Error("connection refused") })];
    await clock.advance(120_000);
    run(check);
    await clock.advance(1_000);
    expect(() => run(check)).toThrow("pods in shop: waiting, silent for 121 s: connection refused");
  });

  it("gives an informer that has never received anything as much time", async () => {
    const { clock, check } = setUp(status({ phase: "listing", hasSynced: false }));
    run(check);
    await clock.advance(120_000);
    run(check);
    await clock.advance(1);
    expect(() => run(check)).toThrow(StaleInformersError);
  });

  it("trusts an open watch on which the server sends no bookmarks", async () => {
    const { clock, check } = setUp(status({ lastEventAtMs: 1 }));
    await clock.advance(3_600_000);
    run(check);
  });

  it("distinguishes two informers of one name", async () => {
    const { clock, cache, check } = setUp(status());
    const dead = status({ phase: "waiting", lastError: new Error("410") });
    cache.statuses = [dead, status({ lastBookmarkAtMs: clock.now() })];
    run(check);
    await clock.advance(121_000);
    cache.statuses = [dead, status({ lastBookmarkAtMs: clock.now() })];
    expect(() => run(check)).toThrow("pods in shop: waiting, silent for 121 s: 410");
    cache.statuses.reverse();
    await clock.advance(121_000);
    cache.statuses = [status({ lastBookmarkAtMs: clock.now() }), dead];
    expect(() => run(check)).toThrow("pods in shop #2: waiting");
  });

  it("forgets informers that have stopped", async () => {
    const { clock, cache, check } = setUp(status({ phase: "waiting" }));
    run(check);
    cache.statuses = [];
    await clock.advance(600_000);
    run(check);
    cache.statuses = [status({ phase: "streaming" })];
    run(check);
  });
});

describe("queueAge", () => {
  it("fails when a reconcile runs, or a key waits, for too long", () => {
    const ages = { totalMs: 0, longestMs: 600_000, oldestReadyMs: 1_800_000 };
    const check = queueAge(() => ages, { name: "webapp" });
    expect(() => run(check)).not.toThrow();
    ages.longestMs += 1;
    expect(() => run(check)).toThrow(QueueStuckError);
    expect(() => run(check)).toThrow("check queue webapp: a reconcile has been running for 600 s");
    ages.longestMs = 0;
    ages.oldestReadyMs += 1;
    expect(() => run(check)).toThrow("a key has been waiting for 1800 s");
  });

  it("reads the unfinished work of a queue", () => {
    const check = queueAge(() => ({ totalMs: 5, longestMs: 5, oldestReadyMs: 0 }), {
      name: "q",
      maxRunningMs: 4,
    });
    expect(() => run(check)).toThrow(QueueStuckError);
  });
});
