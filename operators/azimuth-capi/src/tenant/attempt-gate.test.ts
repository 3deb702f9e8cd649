import { VirtualClock } from "@keelson/testkit";
import type { TransportRequest } from "keelson/client";
import { describe, expect, it } from "vitest";
import { AttemptGate, gatedTransport } from "./attempt-gate.ts";

describe("a gate", () => {
  /** Enters so often, and returns what has entered so far. */
  function enterAll(gate: AttemptGate, count: number) {
    const entered: number[] = [];
    const leaves = Array.from({ length: count }, async (_, index) => {
      const leave = await gate.enter(undefined);
      entered.push(index);
      return leave;
    });
    return { entered, leave: async (index: number) => (await leaves[index])?.() };
  }

  it("lets so many in at once, and the next ones in the order in which they came", async () => {
    const clock = new VirtualClock();
    const { entered, leave } = enterAll(new AttemptGate({ clock, atOnce: 2 }), 5);
    await clock.settle();
    expect(entered).toEqual([0, 1]);
    await leave(1);
    await clock.settle();
    expect(entered).toEqual([0, 1, 2]);
    await leave(0);
    await leave(2);
    await clock.settle();
    expect(entered).toEqual([0, 1, 2, 3, 4]);
  });

  it("takes the place of one that does not leave, and does not give it back twice", async () => {
    const clock = new VirtualClock();
    const { entered, leave } = enterAll(new AttemptGate({ clock, atOnce: 1, placeMs: 2_000 }), 3);
    await clock.advance(1_999);
    expect(entered).toEqual([0]);
    await clock.advance(1);
    expect(entered).toEqual([0, 1]);
    await leave(0);
    await clock.settle();
    expect(entered).toEqual([0, 1]);
    await leave(1);
    await leave(1);
    await clock.settle();
    expect(entered).toEqual([0, 1, 2]);
    await leave(2);
    expect(clock.pendingTimers).toEqual([]);
  });

  it("forgets one that gives up, and passes its place on", async () => {
    const clock = new VirtualClock();
    const gate = new AttemptGate({ clock, atOnce: 1 });
    const leave = await gate.enter(undefined);
    const stop = new AbortController();
    const given = gate.enter(stop.signal);
    const { entered } = enterAll(gate, 1);
    const reason = new Error("stop");
    stop.abort(reason);
    await expect(given).rejects.toBe(reason);
    leave();
    await clock.settle();
    expect(entered).toEqual([0]);
    await expect(gate.enter(AbortSignal.abort(reason))).rejects.toBe(reason);
  });

  it("passes a place on that was given to one that gives up in the same moment", async () => {
    const clock = new VirtualClock();
    const gate = new AttemptGate({ clock, atOnce: 1 });
    const leave = await gate.enter(undefined);
    const stop = new AbortController();
    const given = gate.enter(stop.signal);
    given.catch(() => undefined);
    stop.abort(new Error("stop"));
    leave();
    const { entered } = enterAll(gate, 1);
    await clock.settle();
    await expect(given).rejects.toThrow("stop");
    expect(entered).toEqual([0]);
  });
});

describe("a gated transport", () => {
  const request: TransportRequest = { method: "GET", path: "/", headers: {}, isStream: true };
  const ended = { close: async () => undefined };

  it("gives up on a server that does not respond, and leaves no timer", async () => {
    const clock = new VirtualClock();
    let aborted: unknown;
    const transport = gatedTransport(
      {
        ...ended,
        send: ({ signal }) =>
          new Promise((_, reject) =>
            signal?.addEventListener("abort", () => {
              aborted = signal.reason;
              reject(signal.reason);
            }),
          ),
      },
      { gate: new AttemptGate({ clock }), clock, onStream: () => undefined },
    );
    const sending = transport.send(request);
    sending.catch(() => undefined);
    await clock.advance(15_000);
    await expect(sending).rejects.toThrow("no response within 15 s");
    expect(aborted).toBeInstanceOf(Error);
    expect(clock.pendingTimers).toEqual([]);
  });

  it("reports a stream that has begun, and no refusal or other request", async () => {
    const clock = new VirtualClock();
    let streams = 0;
    let status = 200;
    const transport = gatedTransport(
      { ...ended, send: async () => ({ status, headers: {}, body: (async function* () {})() }) },
      { gate: new AttemptGate({ clock }), clock, onStream: () => (streams += 1) },
    );
    await transport.send({ ...request, isStream: false });
    expect(streams).toBe(0);
    await transport.send(request);
    expect(streams).toBe(1);
    status = 403;
    await transport.send(request);
    expect(streams).toBe(1);
    expect(clock.pendingTimers).toEqual([]);
  });

  it("passes errors on without the code by which a client repeats requests", async () => {
    const clock = new VirtualClock();
    const refused = Object.assign(new Error("connect ECONNREFUSED 10.0.0.1:6443"), { code: "ECONNREFUSED" });
    let error: Error = Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" });
    const transport = gatedTransport(
      { ...ended, send: () => Promise.reject(error) },
      { gate: new AttemptGate({ clock }), clock, onStream: () => undefined },
    );
    const caught = () => transport.send(request).catch((reason: unknown) => reason);
    expect(await caught()).toEqual(new Error("read ECONNRESET"));
    expect(await caught()).not.toHaveProperty("code");
    error = new AggregateError([refused], "");
    expect(await caught()).toEqual(new Error("connect ECONNREFUSED 10.0.0.1:6443"));
  });
});
