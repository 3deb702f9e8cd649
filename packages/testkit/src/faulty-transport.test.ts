import type { TransportRequest, TransportResponse } from "@keelson/core";
import { describe, expect, it } from "vitest";
import { ScriptedTransport } from "../test/support/scripted-transport.ts";
import { FaultyTransportClosedError } from "./errors.ts";
import { type Fault, faults, type StreamFault } from "./fault.ts";
import { type FaultyTransport, faultyTransport } from "./faulty-transport.ts";
import { errorEvent } from "./injected-status.ts";
import { VirtualClock } from "./virtual-clock.ts";

const pods = "/api/v1/namespaces/shop/pods";

function get(path: string, rest: Partial<TransportRequest> = {}): TransportRequest {
  return { method: "GET", path, headers: {}, isStream: path.includes("watch=true"), ...rest };
}

/** Reads to the end, or to the failure, which it gives too. */
async function readBody({ body }: TransportResponse): Promise<{ text: string; failure?: unknown }> {
  let text = "";
  try {
    for await (const chunk of body) text += Buffer.from(chunk).toString("latin1");
    return { text };
  } catch (failure) {
    return { text, failure };
  }
}

/** Reads in the background and shows what came so far. */
function follow(response: TransportResponse): { text: string; ended: Promise<unknown> } {
  const reading = { text: "", ended: Promise.resolve<unknown>(undefined) };
  reading.ended = (async () => {
    for await (const chunk of response.body) reading.text += Buffer.from(chunk).toString("latin1");
    return "end";
  })().catch((error: unknown) => error);
  return reading;
}

/** Lets everything run until it waits for something new to happen. */
function settle(): Promise<void> {
  return new VirtualClock().settle();
}

/** What neither side may keep when all has ended. */
async function leftOpen(transport: FaultyTransport, inner: ScriptedTransport) {
  await settle();
  return { streams: transport.openStreams.length, bodies: inner.openBodies };
}
const nothing = { streams: 0, bodies: 0 };

const reset = expect.objectContaining({ code: "ECONNRESET" });

describe("without a fault", () => {
  it("responds as the transport behind it does, and records the requests", async () => {
    const inner = new ScriptedTransport("one", "two");
    const transport = faultyTransport(inner);
    const response = await transport.send(get(`${pods}?limit=5&labelSelector=a%3Db`));
    expect(response).toMatchObject({ status: 200, headers: { "content-type": "application/json" } });
    expect(await readBody(response)).toEqual({ text: "one\ntwo\n" });
    await transport.send({ method: "POST", path: pods, headers: { a: "b" }, body: "{}", isStream: false });
    expect(transport.requests).toEqual([
      {
        method: "GET",
        path: pods,
        query: { limit: "5", labelSelector: "a=b" },
        headers: {},
        isStream: false,
      },
      { method: "POST", path: pods, query: {}, headers: { a: "b" }, body: "{}", isStream: false },
    ]);
    expect(inner.received).toMatchObject([
      { path: `${pods}?limit=5&labelSelector=a%3Db` },
      { method: "POST", body: "{}", headers: { a: "b" } },
    ]);
  });

  it("counts a stream as open until it is left", async () => {
    const inner = new ScriptedTransport("one", "two");
    const transport = faultyTransport(inner);
    const { body } = await transport.send(get(`${pods}?watch=true`));
    expect(transport.openStreams).toMatchObject([{ path: pods }]);
    for await (const _ of body) break;
    expect(await leftOpen(transport, inner)).toEqual(nothing);
  });

  it("ends a stream by the caller's signal with its reason, begun or not", async () => {
    const inner = new ScriptedTransport("one");
    const transport = faultyTransport(inner);
    const stop = new AbortController();
    const { signal } = stop;
    const begun = follow(await transport.send(get(`${pods}?watch=true`, { signal })));
    await settle();
    expect(begun.text).toBe("one\n");
    await transport.send(get(`${pods}?watch=true`, { signal }));
    expect(transport.openStreams).toHaveLength(2);
    const reason = new Error("stop");
    stop.abort(reason);
    expect(transport.openStreams).toEqual([]);
    expect(await begun.ended).toBe(reason);
    expect(await leftOpen(transport, inner)).toEqual(nothing);
  });

  it("does not send what was aborted before", async () => {
    const transport = faultyTransport(new ScriptedTransport());
    const reason = new Error("stop");
    await expect(transport.send(get(pods, { signal: AbortSignal.abort(reason) }))).rejects.toBe(reason);
    expect(transport.requests).toEqual([]);
  });

  it("passes failures of the transport behind it on, and keeps nothing open", async () => {
    const broken = new Error("no network");
    const transport = faultyTransport({ send: () => Promise.reject(broken), close: async () => undefined });
    await expect(transport.send(get(`${pods}?watch=true`))).rejects.toBe(broken);
    expect(transport.openStreams).toEqual([]);
  });
});

describe("rules", () => {
  const isRefused = (transport: FaultyTransport, path: string, rest: Partial<TransportRequest> = {}) =>
    transport.send(get(path, rest)).then(
      () => false,
      () => true,
    );

  it("happen once by default, the oldest first", async () => {
    const transport = faultyTransport(new ScriptedTransport());
    transport.fault({}, faults.respond({ status: 500 }));
    const twice = transport.fault({}, faults.respond({ status: 503 }), { times: 2 });
    const statuses: number[] = [];
    for (let turn = 0; turn < 4; turn++) statuses.push((await transport.send(get(pods))).status);
    expect(statuses).toEqual([500, 503, 503, 200]);
    expect(twice.used).toBe(2);
  });

  it("can be removed, one or all", async () => {
    const transport = faultyTransport(new ScriptedTransport());
    const rule = transport.fault({ path: "/a" }, faults.refuseConnection(), {
      times: Number.POSITIVE_INFINITY,
    });
    transport.fault({ path: "/b" }, faults.refuseConnection(), { times: Number.POSITIVE_INFINITY });
    expect([await isRefused(transport, "/a"), await isRefused(transport, "/b")]).toEqual([true, true]);
    rule.remove();
    expect([await isRefused(transport, "/a"), await isRefused(transport, "/b")]).toEqual([false, true]);
    transport.removeFaults();
    expect(await isRefused(transport, "/b")).toBe(false);
    expect(rule.used).toBe(1);
  });

  it.each([
    ["a whole path", { path: pods }, ["list", "watch", "create"]],
    [
      "a pattern of paths, a global one too",
      { path: /\/(pods|nodes)$/g },
      ["list", "watch", "create", "other"],
    ],
    ["a method", { method: "POST" as const }, ["create"]],
    ["watches", { watch: true }, ["watch"]],
    ["anything but watches", { watch: false }, ["list", "create", "other"]],
    ["a parameter", { query: { limit: /^\d+$/ } }, ["list"]],
    ["the absence of a parameter", { query: { limit: undefined }, path: pods }, ["watch", "create"]],
    ["a function", ({ path }: { path: string }) => path.endsWith("nodes"), ["other"]],
  ])("match by %s", async (_, match, expected) => {
    const transport = faultyTransport(new ScriptedTransport());
    transport.fault(match, faults.refuseConnection(), { times: Number.POSITIVE_INFINITY });
    const hit = {
      list: await isRefused(transport, `${pods}?limit=5`),
      watch: await isRefused(transport, `${pods}?watch=true`),
      create: await isRefused(transport, pods, { method: "POST" }),
      other: await isRefused(transport, "/api/v1/nodes"),
    };
    expect(Object.entries(hit).flatMap(([name, isHit]) => (isHit ? [name] : []))).toEqual(expected);
  });
});

describe("a request", () => {
  it.each([
    ["refused", faults.refuseConnection(), "ECONNREFUSED", 0],
    ["reset", faults.reset(), "ECONNRESET", 0],
    ["executed, and its response lost", faults.loseResponse(), "ECONNRESET", 1],
  ])("may be %s", async (_, fault, code, received) => {
    const inner = new ScriptedTransport("one");
    const transport = faultyTransport(inner);
    transport.fault({}, fault);
    await expect(transport.send(get(`${pods}?watch=true`))).rejects.toMatchObject({ code });
    expect(inner.received).toHaveLength(received);
    expect(await leftOpen(transport, inner)).toEqual(nothing);
  });

  it("whose response is lost is given up by the transport behind, too", async () => {
    const inner = new ScriptedTransport("one");
    const transport = faultyTransport(inner);
    transport.fault({}, faults.loseResponse());
    await expect(transport.send(get(`${pods}?watch=true`))).rejects.toEqual(reset);
    expect(inner.received[0]?.signal?.aborted).toBe(true);
  });

  it("may get another response than the server's", async () => {
    const inner = new ScriptedTransport();
    const transport = faultyTransport(inner);
    transport.fault({}, faults.respond({ status: 502, headers: { via: "proxy" }, body: "<html>" }));
    const response = await transport.send(get(pods));
    expect(response).toMatchObject({ status: 502, headers: { via: "proxy" } });
    expect(await readBody(response)).toEqual({ text: "<html>" });
    expect(inner.received).toEqual([]);
  });

  it("may get a Status, with the code of its reason and when to come back", async () => {
    const transport = faultyTransport(new ScriptedTransport());
    transport.fault({}, faults.refuse("TooManyRequests", { retryAfterSeconds: 3, message: "busy" }));
    const response = await transport.send(get(pods));
    expect(response.status).toBe(429);
    expect(response.headers).toEqual({ "content-type": "application/json", "retry-after": "3" });
    expect(JSON.parse((await readBody(response)).text)).toEqual({
      apiVersion: "v1",
      kind: "Status",
      metadata: {},
      status: "Failure",
      reason: "TooManyRequests",
      message: "busy",
      details: { retryAfterSeconds: 3 },
      code: 429,
    });
  });

  it("may never get a response, until its signal aborts", async () => {
    const transport = faultyTransport(new ScriptedTransport());
    transport.fault({}, faults.neverRespond());
    const stop = new AbortController();
    const sent = transport.send(get(`${pods}?watch=true`, { signal: stop.signal }));
    transport.releaseAll();
    expect(transport.openStreams).toHaveLength(1);
    const reason = new Error("stop");
    stop.abort(reason);
    await expect(sent).rejects.toBe(reason);
    expect(transport.openStreams).toEqual([]);
  });

  it.each([
    ["before the server sees it", faults.hold(), 0],
    ["when the server has responded", faults.holdResponse(), 1],
  ])("may be held %s, and goes on when released", async (_, fault, receivedWhileHeld) => {
    const inner = new ScriptedTransport("one");
    const transport = faultyTransport(inner);
    transport.fault({}, fault);
    let isAnswered = false;
    const sent = transport.send(get(pods)).then((response) => {
      isAnswered = true;
      return readBody(response);
    });
    await settle();
    expect(transport.heldRequests).toMatchObject([{ path: pods }]);
    expect({ isAnswered, received: inner.received.length }).toEqual({
      isAnswered: false,
      received: receivedWhileHeld,
    });
    transport.releaseAll();
    expect(await sent).toEqual({ text: "one\n" });
    expect(transport.heldRequests).toEqual([]);
  });

  it("that is held is let go by its signal", async () => {
    const transport = faultyTransport(new ScriptedTransport());
    transport.fault({}, faults.hold());
    const stop = new AbortController();
    const sent = transport.send(get(pods, { signal: stop.signal }));
    const reason = new Error("stop");
    stop.abort(reason);
    await expect(sent).rejects.toBe(reason);
    expect(transport.heldRequests).toEqual([]);
  });
});

describe("a body", () => {
  async function spoiled(fault: Fault | readonly StreamFault[], ...lines: string[]) {
    const inner = new ScriptedTransport(...lines);
    const transport = faultyTransport(inner);
    transport.fault({}, fault);
    const outcome = await readBody(await transport.send(get(pods)));
    expect(await leftOpen(transport, inner)).toEqual(nothing);
    return outcome;
  }

  it("may break after some lines", async () => {
    expect(await spoiled(faults.cutAfter(2), "one", "two", "three")).toEqual({
      text: "one\ntwo\n",
      failure: reset,
    });
    expect(await spoiled(faults.cutAfter(0), "one")).toEqual({ text: "", failure: reset });
  });

  it("may end too early as if it were complete", async () => {
    expect(await spoiled(faults.cutAfter(1, { how: "end" }), "one", "two")).toEqual({ text: "one\n" });
  });

  it("may break in the middle of a line", async () => {
    const outcome = await spoiled(faults.cutAfter(1, { midLine: true }), "one", "seven77");
    expect(outcome).toEqual({ text: "one\nseve", failure: reset });
  });

  it("that is shorter than the fault allows is whole", async () => {
    expect(await spoiled(faults.cutAfter(5), "one", "two")).toEqual({ text: "one\ntwo\n" });
  });

  it("may hold a line that the server did not send", async () => {
    const line = errorEvent("Expired");
    expect(JSON.parse(line)).toMatchObject({ type: "ERROR", object: { code: 410, reason: "Expired" } });
    expect(await spoiled(faults.injectAfter(1, line), "one", "two")).toEqual({ text: `one\n${line}\ntwo\n` });
  });

  it("may hold a line without its second half", async () => {
    const outcome = await spoiled(faults.garbleAfter(1), "one", "[1,2,3]", "three");
    expect(outcome).toEqual({ text: "one\n[1,2\nthree\n" });
  });

  it("may come byte by byte, whatever else happens to it", async () => {
    const transport = faultyTransport(new ScriptedTransport("né", "two"));
    transport.fault({}, [faults.splitBytes(), faults.cutAfter(1, { how: "end" })]);
    const chunks: Uint8Array[] = [];
    for await (const chunk of (await transport.send(get(pods))).body) chunks.push(chunk);
    expect(chunks.map(({ length }) => length)).toEqual([1, 1, 1, 1]);
    expect(Buffer.concat(chunks).toString()).toBe("né\n");
  });

  it("may suffer several faults, in their order", async () => {
    const outcome = await spoiled([faults.injectAfter(1, "new"), faults.cutAfter(2)], "one", "two");
    expect(outcome).toEqual({ text: "one\nnew\n", failure: reset });
  });

  it("is cut at once, though the next line never comes", async () => {
    const inner = new ScriptedTransport("one");
    const transport = faultyTransport(inner);
    transport.fault({ watch: true }, faults.cutAfter(1));
    expect(await readBody(await transport.send(get(`${pods}?watch=true`)))).toEqual({
      text: "one\n",
      failure: reset,
    });
    expect(await leftOpen(transport, inner)).toEqual(nothing);
  });

  it("is left when it is cut, though the transport behind does not heed the signal", async () => {
    let isLeft = false;
    async function* deaf(): AsyncGenerator<Uint8Array> {
      try {
        yield Buffer.from("one\n");
        await Promise.withResolvers<never>().promise;
      } finally {
        isLeft = true;
      }
    }
    const send = async () => ({ status: 200, headers: {}, body: deaf() });
    const transport = faultyTransport({ send, close: async () => undefined });
    transport.fault({ watch: true }, faults.cutAfter(1));
    const outcome = await readBody(await transport.send(get(`${pods}?watch=true`)));
    expect(outcome).toEqual({ text: "one\n", failure: reset });
    await settle();
    expect(isLeft).toBe(true);
  });

  it("that goes silent stays open, and goes on whole when released", async () => {
    const transport = faultyTransport(new ScriptedTransport("one", "two", "three"));
    transport.fault({}, faults.blackholeAfter(1));
    const reading = follow(await transport.send(get(`${pods}?watch=true`)));
    await settle();
    expect(transport.heldRequests.length).toBe(1);
    expect({ text: reading.text, open: transport.openStreams.length }).toEqual({ text: "one\n", open: 1 });
    transport.releaseAll();
    await settle();
    expect(reading.text).toBe("one\ntwo\nthree\n");
    await transport.close();
    expect(await reading.ended).toBeInstanceOf(FaultyTransportClosedError);
  });
});

describe("streams that run", () => {
  async function twoStreams() {
    const inner = new ScriptedTransport("one");
    const transport = faultyTransport(inner);
    const a = follow(await transport.send(get("/a?watch=true")));
    const b = follow(await transport.send(get("/b?watch=true")));
    await settle();
    expect(a.text + b.text).toBe("one\none\n");
    return { inner, transport, a, b };
  }

  it("are cut, all or some, by a broken connection or by an end", async () => {
    const { inner, transport, a, b } = await twoStreams();
    expect(transport.cutStreams({ path: "/a" }, "end")).toBe(1);
    expect(await a.ended).toBe("end");
    expect(transport.openStreams).toMatchObject([{ path: "/b" }]);
    expect(transport.cutStreams()).toBe(1);
    expect(await b.ended).toEqual(reset);
    expect(transport.cutStreams()).toBe(0);
    expect(await leftOpen(transport, inner)).toEqual(nothing);
  });

  it("go silent, and end by their signal, a cut or the close of the transport all the same", async () => {
    const inner = new ScriptedTransport("one");
    const transport = faultyTransport(inner);
    const stop = new AbortController();
    const reason = new Error("stop");
    const start = async (path: string) =>
      follow(await transport.send(get(`${path}?watch=true`, { signal: stop.signal })));
    const cut = await start("/cut");
    // Nothing has been read yet: the silence comes before the first line.
    expect(transport.blackholeStreams()).toBe(1);
    const aborted = await start("/aborted");
    expect(transport.blackholeStreams({ path: "/aborted" })).toBe(1);
    transport.cutStreams({ path: "/cut" });
    expect(await cut.ended).toEqual(reset);
    stop.abort(reason);
    expect(await aborted.ended).toBe(reason);
    expect([cut.text, aborted.text]).toEqual(["", ""]);
    const closed = follow(await transport.send(get("/closed?watch=true")));
    transport.blackholeStreams();
    await transport.close();
    expect(await closed.ended).toBeInstanceOf(FaultyTransportClosedError);
    expect(await leftOpen(transport, inner)).toEqual(nothing);
  });

  it("are cut before the response, too", async () => {
    const transport = faultyTransport(new ScriptedTransport());
    transport.fault({}, faults.hold(), { times: 2 });
    const one = transport.send(get(`${pods}?watch=true`));
    transport.cutStreams();
    await expect(one).rejects.toEqual(reset);
    const two = transport.send(get(`${pods}?watch=true`));
    transport.cutStreams({}, "end");
    await expect(two).rejects.toEqual(reset);
  });
});

describe("closing", () => {
  it("closes the transport behind, ends what was held, and refuses what comes later", async () => {
    const inner = new ScriptedTransport();
    const transport = faultyTransport(inner);
    transport.fault({}, faults.neverRespond());
    const sent = transport.send(get(pods));
    await transport.close();
    await expect(sent).rejects.toBeInstanceOf(FaultyTransportClosedError);
    await expect(transport.send(get(pods))).rejects.toBeInstanceOf(FaultyTransportClosedError);
    expect(inner.isClosed).toBe(true);
  });
});
