import type { Clock, Transport, TransportResponse } from "@keelson/core";
import { describe, expect, it } from "vitest";
import { retryingTransport } from "./retrying-transport.ts";

/** Fires what is scheduled at once and notes for how long it would have waited. */
function instantClock(): Clock & { readonly waits: number[] } {
  const waits: number[] = [];
  return {
    waits,
    now: () => 0,
    monotonicNow: () => 0,
    schedule(delayMs, callback) {
      waits.push(delayMs);
      queueMicrotask(callback);
      return () => undefined;
    },
  };
}

async function* nothing(): AsyncIterable<Uint8Array> {}

function answer(status: number, headers: Record<string, string> = {}): TransportResponse {
  return { status, headers, body: nothing() };
}

/** Gives the outcomes in turn, the last one for ever. */
function scripted(
  ...outcomes: readonly (TransportResponse | Error)[]
): Transport & { readonly sent: () => number } {
  let sent = 0;
  return {
    sent: () => sent,
    close: async () => undefined,
    async send() {
      const outcome = outcomes[Math.min(sent++, outcomes.length - 1)];
      if (outcome === undefined || outcome instanceof Error) throw outcome ?? new Error("no outcome");
      return outcome;
    },
  };
}

const reset = Object.assign(new Error("socket hang up"), { code: "ECONNRESET" });
const get = { method: "GET", path: "/", headers: {}, isStream: false } as const;
const post = { ...get, method: "POST", body: "{}" } as const;

describe("[CL3] a request", () => {
  it("waits for as long as the server says", async () => {
    const clock = instantClock();
    const transport = scripted(
      answer(429, { "retry-after": "3" }),
      answer(503, { "retry-after": "1" }),
      answer(200),
    );
    expect((await retryingTransport(transport, clock).send(post)).status).toBe(200);
    expect(clock.waits).toEqual([3000, 1000]);
  });

  it("waits longer and longer if the server demands no wait", async () => {
    const clock = instantClock();
    const transport = scripted(answer(429, { "retry-after": "0" }));
    expect((await retryingTransport(transport, clock).send(post)).status).toBe(429);
    expect(clock.waits).toEqual([50, 100, 200, 400, 800, 1000, 1000, 1000, 1000, 1000]);
  });

  it("is sent eleven times at most", async () => {
    const transport = scripted(answer(429, { "retry-after": "1" }));
    expect((await retryingTransport(transport, instantClock()).send(get)).status).toBe(429);
    expect(transport.sent()).toBe(11);
  });

  it.each([
    ["a 429 that does not say when to come back", answer(429)],
    ["a 500 that does not say when to come back", answer(500)],
    ["a 404, even with Retry-After", answer(404, { "retry-after": "1" })],
    ["a Retry-After that makes no sense", answer(503, { "retry-after": "soon" })],
  ])("is not repeated after %s", async (_, response) => {
    const transport = scripted(response);
    expect(await retryingTransport(transport, instantClock()).send(get)).toBe(response);
    expect(transport.sent()).toBe(1);
  });

  it("is repeated after a reset connection if it is a GET, with growing pauses", async () => {
    const clock = instantClock();
    const transport = scripted(reset, reset, reset, answer(200));
    expect((await retryingTransport(transport, clock).send(get)).status).toBe(200);
    expect(clock.waits).toEqual([50, 100, 200]);
  });

  it("is not repeated after a reset connection if it is a write, nor after another error", async () => {
    const transport = scripted(reset);
    await expect(retryingTransport(transport, instantClock()).send(post)).rejects.toBe(reset);
    const refused = Object.assign(new Error("refused"), { code: "ECONNREFUSED" });
    await expect(retryingTransport(scripted(refused), instantClock()).send(get)).rejects.toBe(refused);
    expect(transport.sent()).toBe(1);
  });

  it("stops waiting when its signal aborts", async () => {
    const controller = new AbortController();
    const clock = { ...instantClock(), schedule: () => () => undefined };
    const transport = scripted(answer(429, { "retry-after": "60" }));
    const waiting = retryingTransport(transport, clock).send({ ...get, signal: controller.signal });
    controller.abort(new Error("enough"));
    await expect(waiting).rejects.toThrow(
      "given up while waiting to repeat a request, because the response was 429",
    );
    await expect(waiting).rejects.toMatchObject({ cause: { message: "enough" } });
  });
});
