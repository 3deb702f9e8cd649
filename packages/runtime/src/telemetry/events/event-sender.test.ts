import { apiErrorFrom, ConnectionError } from "@keelson/client";
import { seededRandom } from "@keelson/core";
import { VirtualClock } from "@keelson/testkit";
import { describe, expect, it } from "vitest";
import { NotLeaderError } from "../../leader/errors.ts";
import type { TrackedEvent } from "./correlator.ts";
import { EventSender } from "./event-sender.ts";
import type { WriteEvent } from "./event-writer.ts";

const unreachable = new ConnectionError("create events", new Error("ECONNREFUSED"));
const refusal = (code: number, reason: string, causeReason?: string) =>
  apiErrorFrom("create events", {
    apiVersion: "v1",
    kind: "Status",
    metadata: {},
    status: "Failure",
    code,
    reason,
    ...(causeReason !== undefined && { details: { causes: [{ reason: causeReason, message: "m" }] } }),
  });

const eventOf = (name: string): TrackedEvent => ({
  name,
  namespace: "shop",
  first: { regarding: { name: "web" }, type: "Normal", reason: "R", action: "A", note: "n", atMs: 0 },
  count: 1,
  note: "n",
  lastAtMs: 0,
  lastMonotonicMs: 0,
  savedCount: 0,
  isQueued: false,
  sentMonotonicMs: 0,
});

function setUp(write?: WriteEvent) {
  const clock = new VirtualClock();
  const written: string[] = [];
  const outcomes: string[] = [];
  const sender = new EventSender({
    clock,
    random: seededRandom(1),
    write: async (event, signal) => {
      written.push(`${event.name} ${event.count}`);
      return write === undefined ? "create" : write(event, signal);
    },
    onSent: (how) => outcomes.push(how),
    onDrop: (reason, event) => outcomes.push(`${reason} ${event.name}`),
  });
  return { clock, written, outcomes, sender };
}

const fail = (error: Error): Promise<never> => Promise.reject(error);

describe("a sender of events", () => {
  it("[EVR1] writes in the background, in order, and each event as it is by then", async () => {
    const { sender, written, outcomes } = setUp();
    const a = eventOf("a");
    sender.add(a);
    sender.add(eventOf("b"));
    a.count = 3;
    sender.add(a);
    expect(written).toEqual([]);
    await sender.idle();
    expect(written).toEqual(["a 3", "b 1"]);
    expect(outcomes).toEqual(["create", "create"]);
    expect(a).toMatchObject({ savedCount: 3, isQueued: false });
  });

  it("[EVR1] writes again what happened while it was being written, and nothing twice", async () => {
    const a = eventOf("a");
    const { sender, written } = setUp(async (event) => {
      if (event.count === 1) {
        event.count = 2;
        sender.add(event);
      }
      return "create";
    });
    sender.add(a);
    await sender.idle();
    sender.add(a);
    await sender.idle();
    expect(written).toEqual(["a 1", "a 2"]);
  });

  it("[EVR1] tries 12 times, with growing delays, while the server cannot be reached; other Events wait", async () => {
    const { clock, sender, written, outcomes } = setUp(() => fail(unreachable));
    const timesMs: number[] = [];
    sender.add(eventOf("a"));
    sender.add(eventOf("b"));
    for (let tries = 1; tries <= 12; tries++) {
      await clock.advanceUntil(() => written.length >= tries);
      timesMs.push(clock.monotonicNow());
    }
    expect(written.slice(0, 12)).toEqual(Array.from({ length: 12 }, () => "a 1"));
    await clock.advanceUntil(() => outcomes.length === 1);
    expect(outcomes).toEqual(["retries_exhausted a"]);
    const pauses = timesMs.slice(1).map((ms, index) => ms - (timesMs[index] ?? 0));
    [500, 1_000, 2_000, 4_000, 8_000, 16_000, 20_000, 20_000].forEach((least, index) => {
      expect(pauses[index]).toBeGreaterThanOrEqual(least);
      expect(pauses[index]).toBeLessThanOrEqual(least * 1.25);
    });
    await sender.stop();
  });

  it("[EVR1] continues when the server is reachable again", async () => {
    let isDown = true;
    const { clock, sender, outcomes } = setUp(() => (isDown ? fail(unreachable) : Promise.resolve("create")));
    sender.add(eventOf("a"));
    sender.add(eventOf("b"));
    await clock.advance(5_000);
    isDown = false;
    await clock.runUntil(sender.idle());
    expect(outcomes).toEqual(["create", "create"]);
  });

  it("[EVR1] holds 1000 Events and drops further ones", async () => {
    const { sender, outcomes } = setUp(() => new Promise(() => undefined));
    for (let index = 0; index < 1001; index++) sender.add(eventOf(`e${index}`));
    expect(outcomes).toEqual(["buffer_full e1000"]);
  });

  it.each([
    ["namespace_gone", refusal(404, "NotFound")],
    ["namespace_gone", refusal(403, "Forbidden", "NamespaceTerminating")],
    ["forbidden", refusal(403, "Forbidden")],
    ["rejected", refusal(422, "Invalid")],
    ["rejected", refusal(400, "BadRequest")],
  ])("[EVR1] drops at once, as %s, what is refused permanently (%#)", async (reason, error) => {
    const { sender, written, outcomes } = setUp(() => fail(error));
    sender.add(eventOf("a"));
    await sender.idle();
    expect({ written, outcomes }).toEqual({ written: ["a 1"], outcomes: [`${reason} a`] });
  });

  it.each([
    refusal(500, "InternalError"),
    refusal(503, "ServiceUnavailable"),
    refusal(429, "TooManyRequests"),
    refusal(401, "Unauthorized"),
    new NotLeaderError("create events", { namespace: "shop", name: "lock" }, undefined),
  ])("[EVR1] retries after a temporary failure: %s", async (error) => {
    let failures = 2;
    const { clock, sender, outcomes } = setUp(() =>
      failures-- > 0 ? fail(error) : Promise.resolve("patch"),
    );
    sender.add(eventOf("a"));
    await clock.runUntil(sender.idle());
    expect(outcomes).toEqual(["patch"]);
  });

  it("[EVR1] retries after a 403 of a server that has just restarted", async () => {
    const errors = [unreachable, refusal(403, "Forbidden")];
    const { clock, sender, outcomes } = setUp(() => {
      const error = errors.shift();
      return error === undefined ? Promise.resolve("create") : fail(error);
    });
    sender.add(eventOf("a"));
    await clock.runUntil(sender.idle());
    expect(outcomes).toEqual(["create"]);
  });

  it("drops what waits when it is stopped, and leaves no timer", async () => {
    const { clock, sender, outcomes } = setUp(() => fail(unreachable));
    sender.add(eventOf("a"));
    sender.add(eventOf("b"));
    await clock.advance(100);
    await sender.stop();
    sender.add(eventOf("c"));
    expect(outcomes).toEqual(["stopped a", "stopped b", "stopped c"]);
    expect(clock.pendingTimers).toEqual([]);
  });

  it("stops waiting for idleness when the signal aborts", async () => {
    const { sender } = setUp(() => new Promise(() => undefined));
    sender.add(eventOf("a"));
    await expect(sender.idle(AbortSignal.abort(new Error("enough")))).rejects.toThrow("enough");
  });
});
