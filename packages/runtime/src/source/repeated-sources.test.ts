import { sleep } from "@keelson/core";
import { ConfigMap } from "@keelson/core/kinds/core/v1";
import { describe, expect, it } from "vitest";
import { FakeCache, FakeInformer } from "../../test/support/fake-informer.ts";
import { SourceHarness } from "../../test/support/source-harness.ts";
import { intervalSource } from "./interval-source.ts";
import { pollSource } from "./poll-source.ts";
import { type EnqueueOptions, sourceOf } from "./source.ts";

/** A controller whose keys are words. */
const harnessOfWords = () =>
  new SourceHarness<string>({
    formatKey: (key) => key,
    cache: new FakeCache(new FakeInformer(ConfigMap)),
  });

describe("an interval source", () => {
  it("enqueues its keys at once and then periodically, each once", async () => {
    const harness = harnessOfWords();
    const run = harness.run(intervalSource({ everyMs: 30_000, keys: () => ["a", "b", "a"] }));
    await run.synced;
    expect(harness.keys).toEqual(["a", "b"]);
    expect(harness.queued[0]).toEqual({ key: "a", trigger: { source: "every 30 s", type: "generic" } });
    await harness.clock.advance(29_999);
    expect(harness.keys).toHaveLength(2);
    await harness.clock.advance(1);
    expect(harness.keys).toHaveLength(4);
    harness.abort();
    await run.ended;
    expect(harness.clock.pendingTimers).toEqual([]);
  });

  it("logs the error of its function, and calls it again soon", async () => {
    const harness = harnessOfWords();
    let calls = 0;
    const keys = () => {
      calls++;
      if (calls === 1) throw new Error("not ready");
      return ["a"];
    };
    const run = harness.run(intervalSource({ name: "sweep", everyMs: 30_000, keys }));
    await run.synced;
    expect(harness.messages("error")).toEqual([
      "find the keys for sweep: not ready; it is tried again in 1 s",
    ]);
    await harness.clock.advance(1_000);
    expect(harness.keys).toEqual(["a"]);
    harness.abort();
  });

  it("logs a function that does not end", async () => {
    const harness = harnessOfWords();
    const keys = () => new Promise<string[]>(() => undefined);
    const run = harness.run(intervalSource({ name: "sweep", everyMs: 30_000, keys }));
    await harness.clock.advance(60_000);
    expect(harness.messages("warn")).toEqual([
      "find the keys for sweep: it has not ended after 60 s, and is not run again before it has",
    ]);
    harness.abort();
    await run.ended;
    expect(harness.clock.pendingTimers).toEqual([]);
  });

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])("refuses to be run every %d ms", (everyMs) => {
    expect(() => intervalSource({ everyMs, keys: () => [] })).toThrow(RangeError);
    const poll = async () => [];
    expect(() => pollSource({ name: "x", everyMs, poll, keyOf: String, versionOf: String })).toThrow(
      /^make source x: everyMs is/,
    );
  });
});

describe("a poll source", () => {
  interface Bucket {
    readonly name: string;
    readonly etag: string;
  }

  const polling = (poll: (signal: AbortSignal) => Promise<Iterable<Bucket>>) =>
    pollSource({
      name: "buckets",
      everyMs: 10_000,
      poll,
      keyOf: ({ name }: Bucket) => name,
      versionOf: ({ etag }: Bucket) => etag,
    });

  const enqueued = ({ queued }: SourceHarness<string>) =>
    queued.map(({ key, trigger, priority = 0 }) => `${trigger.type} ${key} ${priority}`);

  it("enqueues keys whose items are created, changed or deleted, and no others", async () => {
    const harness = harnessOfWords();
    const polls: Bucket[][] = [
      [
        { name: "a", etag: "1" },
        { name: "b", etag: "1" },
        { name: "c", etag: "1" },
      ],
      [
        { name: "d", etag: "1" },
        { name: "c", etag: "1" },
        { name: "b", etag: "2" },
      ],
      [
        { name: "b", etag: "2" },
        { name: "c", etag: "1" },
        { name: "d", etag: "1" },
      ],
    ];
    const run = harness.run(polling(async () => polls.shift() ?? []));
    await run.synced;
    expect(enqueued(harness)).toEqual(["create a -100", "create b -100", "create c -100"]);
    expect(harness.queued[0]?.trigger).toEqual({ source: "buckets", type: "create", isInitial: true });
    await harness.clock.advance(10_000);
    expect(enqueued(harness).slice(3)).toEqual(["delete a 0", "create d 0", "update b 0"]);
    await harness.clock.advance(10_000);
    expect(harness.queued).toHaveLength(6);
    harness.abort();
    await run.ended;
    expect(harness.clock.pendingTimers).toEqual([]);
  });

  it("combines the items of one key, in any order", async () => {
    const harness = harnessOfWords();
    const polls: Bucket[][] = [
      [
        { name: "a", etag: "1" },
        { name: "a", etag: "2" },
      ],
      [
        { name: "a", etag: "2" },
        { name: "a", etag: "1" },
      ],
      [{ name: "a", etag: "2" }],
    ];
    harness.run(polling(async () => polls.shift() ?? [{ name: "a", etag: "2" }]));
    await harness.clock.advance(10_000);
    expect(enqueued(harness)).toEqual(["create a -100"]);
    await harness.clock.advance(10_000);
    expect(enqueued(harness).slice(1)).toEqual(["update a 0"]);
    harness.abort();
  });

  it("never polls twice at a time", async () => {
    const harness = harnessOfWords();
    let under = 0;
    let most = 0;
    const source = polling(async (signal) => {
      under++;
      most = Math.max(most, under);
      await sleep(harness.clock, 35_000, signal);
      under--;
      return [];
    });
    const { ended } = harness.run(source);
    await harness.clock.advance(200_000);
    expect(most).toBe(1);
    harness.abort();
    await ended;
    expect(harness.clock.pendingTimers).toEqual([]);
  });

  it("continues after failures, with delays up to a minute, and loses no change", async () => {
    const harness = harnessOfWords();
    const at: number[] = [];
    let isDown = false;
    const run = harness.run(
      polling(async () => {
        at.push(harness.clock.monotonicNow());
        if (isDown) throw new Error("503");
        return [{ name: "a", etag: "1" }];
      }),
    );
    await run.synced;
    isDown = true;
    await harness.clock.advance(
      10_000 + 1_000 + 2_000 + 4_000 + 8_000 + 16_000 + 32_000 + 60_000 + 60_000 - 1,
    );
    expect(at.map((ms, place) => ms - (at[place - 1] ?? 0))).toEqual([
      0, 10_000, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000,
    ]);
    expect(harness.messages("error").at(0)).toBe("poll buckets: 503; it is tried again in 1 s");
    expect(enqueued(harness)).toEqual(["create a -100"]);
    isDown = false;
    await harness.clock.advance(1);
    const healed = at.length;
    await harness.clock.advance(10_000);
    expect(at).toHaveLength(healed + 1);
    expect(enqueued(harness)).toEqual(["create a -100"]);
    isDown = true;
    await harness.clock.advance(10_000);
    expect(harness.messages("error").at(-1)).toBe("poll buckets: 503; it is tried again in 1 s");
    harness.abort();
  });

  it("lets the controller start although the first poll has failed, and enqueues all keys when one succeeds", async () => {
    const harness = harnessOfWords();
    let polls = 0;
    const run = harness.run(
      polling(async () => {
        polls++;
        if (polls === 1) throw new Error("down");
        return [{ name: "a", etag: "1" }];
      }),
    );
    await run.synced;
    expect(harness.queued).toEqual([]);
    await harness.clock.advance(1_000);
    expect(enqueued(harness)).toEqual(["create a -100"]);
    harness.abort();
  });

  it("queues nothing of a poll that ends after the source", async () => {
    const harness = harnessOfWords();
    const { promise, resolve } = Promise.withResolvers<Iterable<Bucket>>();
    const run = harness.run(polling(() => promise));
    harness.abort();
    await run.ended;
    resolve([{ name: "a", etag: "1" }]);
    await harness.clock.settle();
    expect(harness.queued).toEqual([]);
    await expect(run.synced).rejects.toThrow("the controller stops");
    expect(harness.lines).toEqual([]);
  });
});

describe("a source of one's own", () => {
  const why: EnqueueOptions = { trigger: { source: "mine", type: "generic" } };

  it("queues until it ends, and nothing after that", async () => {
    const harness = harnessOfWords();
    let late: (() => void) | undefined;
    const source = sourceOf<string>("mine", async ({ enqueue }) => {
      enqueue("a", why);
      late = () => enqueue("late", why);
    });
    expect(source.name).toBe("mine");
    const run = harness.run(source);
    await run.synced;
    await run.ended;
    late?.();
    expect(harness.queued).toEqual([{ key: "a", ...why }]);
  });

  it("is run again after it has thrown, and that is logged", async () => {
    const harness = harnessOfWords();
    const at: number[] = [];
    const { ended } = harness.run(
      sourceOf<string>("broker", async ({ enqueue, clock }) => {
        at.push(clock.monotonicNow());
        if (at.length < 3) throw new Error("gone");
        enqueue("a", why);
      }),
    );
    await harness.clock.runUntil(ended);
    expect(at).toEqual([0, 1_000, 3_000]);
    expect(harness.keys).toEqual(["a"]);
    expect(harness.messages("error")).toEqual([
      "run broker: gone; it is run again in 1 s",
      "run broker: gone; it is run again in 2 s",
    ]);
  });

  it("begins with the shortest delay again after it has run for longer than the longest", async () => {
    const harness = harnessOfWords();
    let runs = 0;
    const { ended } = harness.run(
      sourceOf<string>("broker", async ({ clock, signal }) => {
        runs++;
        if (runs % 3 === 0) await sleep(clock, 60_001, signal);
        if (runs < 7) throw new Error("cut");
      }),
    );
    await harness.clock.runUntil(ended);
    expect(harness.messages("error").map((message) => message.split(" in ")[1])).toEqual([
      "1 s",
      "2 s",
      "1 s",
      "2 s",
      "4 s",
      "1 s",
    ]);
  });

  it("is waited for when the signal has aborted, and what it throws then is no error", async () => {
    const harness = harnessOfWords();
    const steps: string[] = [];
    const { ended } = harness.run(
      sourceOf<string>("mine", async ({ clock, signal, enqueue }) => {
        try {
          await sleep(clock, 60_000, signal);
        } finally {
          enqueue("late", why);
          await Promise.resolve();
          steps.push("cleaned up");
        }
      }),
    );
    harness.abort();
    await ended;
    expect(steps).toEqual(["cleaned up"]);
    expect(harness.queued).toEqual([]);
    expect(harness.lines).toEqual([]);
    expect(harness.clock.pendingTimers).toEqual([]);
  });
});
