import {
  DropConnectionError,
  type HttpService,
  type ServiceRequest,
  type ServiceResponse,
} from "@keelson/core";
import { VirtualClock } from "@keelson/testkit";
import { describe, expect, test } from "vitest";
import { createMemoryStore } from "../store/memory-store.ts";
import type { Store } from "../store/store.ts";
import { createFaultInjector, type FaultInjector } from "./fault-injector.ts";

function request(path: string, method = "GET"): ServiceRequest {
  return { method, path, headers: {}, body: nothing(), signal: new AbortController().signal };
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

/** Responds to a watch with lines for as long as they are read, and to every other request at once. */
function lineService(seen: string[]): HttpService {
  return async ({ path, method }) => {
    seen.push(`${method} ${path}`);
    if (!path.includes("watch=")) return { status: 200, body: "done" };
    return { status: 200, body: lines() };
  };
}

async function* lines(): AsyncGenerator<Uint8Array> {
  for (let count = 0; ; count++) yield new TextEncoder().encode(`line ${2 * count}\nline ${2 * count + 1}\n`);
}

interface SetUp extends FaultInjector {
  readonly seen: readonly string[];
  readonly clock: VirtualClock;
  readonly store: Store;
}

function setUp(): SetUp {
  const seen: string[] = [];
  const clock = new VirtualClock();
  const store = createMemoryStore();
  return { ...createFaultInjector(lineService(seen), store, clock), seen, clock, store };
}

function streamOf({ body }: ServiceResponse): AsyncIterator<Uint8Array> {
  if (body === undefined || typeof body === "string" || body instanceof Uint8Array) {
    throw new Error("expected a stream");
  }
  return body[Symbol.asyncIterator]();
}

async function text(stream: AsyncIterator<Uint8Array>): Promise<string> {
  const { value } = await stream.next();
  return new TextDecoder().decode(value);
}

describe("a fault injector", () => {
  test("passes requests that no rule matches", async () => {
    const { service, faults, seen } = setUp();
    faults.add({ match: { method: "POST" }, fault: { kind: "reset" } });
    expect(await service(request("/a"))).toMatchObject({ status: 200, body: "done" });
    expect(seen).toEqual(["GET /a"]);
  });

  test("refuses as many requests as the rule allows with a Status", async () => {
    const { service, faults, seen } = setUp();
    faults.add({
      match: { path: /^\/a/ },
      fault: { kind: "refuse", status: { code: 429, retryAfterSeconds: 2 } },
      times: 1,
    });
    const { status, headers, body } = await service(request("/a/b?c=d"));
    expect({ status, headers }).toMatchObject({ status: 429, headers: { "retry-after": "2" } });
    expect(JSON.parse(String(body))).toMatchObject({ kind: "Status", reason: "TooManyRequests", code: 429 });
    expect(await service(request("/a/b"))).toMatchObject({ status: 200 });
    expect(seen).toEqual(["GET /a/b"]);
  });

  test("resets a connection before, and loses the response after, the request has had its effect", async () => {
    const { service, faults, seen } = setUp();
    faults.add({ fault: { kind: "reset" }, times: 1 });
    faults.add({ fault: { kind: "loseResponse" }, times: 1 });
    await expect(service(request("/a", "POST"))).rejects.toThrow(DropConnectionError);
    expect(seen).toEqual([]);
    await expect(service(request("/a", "POST"))).rejects.toThrow("a response was lost");
    expect(seen).toEqual(["POST /a"]);
  });

  test("delays a request, and a response, on its clock", async () => {
    const { service, faults, seen, clock } = setUp();
    faults.add({ fault: { kind: "delay", delayMs: 60_000 }, times: 1 });
    faults.add({ fault: { kind: "delayResponse", delayMs: 60_000 }, times: 1 });
    const late = service(request("/a"));
    const slow = service(request("/b"));
    expect(seen).toEqual(["GET /b"]);
    await clock.advance(60_000);
    expect(await Promise.all([late, slow])).toMatchObject([{ body: "done" }, { body: "done" }]);
    expect(seen).toEqual(["GET /b", "GET /a"]);
  });

  test("cuts a stream after a number of lines", async () => {
    const { service, faults } = setUp();
    faults.add({ match: { watch: true }, fault: { kind: "cut", afterLines: 3 } });
    const stream = streamOf(await service(request("/a?watch=true")));
    expect(await text(stream)).toBe("line 0\nline 1\n");
    expect(await text(stream)).toBe("line 2\n");
    await expect(stream.next()).rejects.toThrow(DropConnectionError);
  });

  test("cuts the open watches, and counts them", async () => {
    const { service, faults } = setUp();
    const cut = streamOf(await service(request("/a?watch=1")));
    const other = streamOf(await service(request("/b?watch=1")));
    await Promise.all([cut.next(), other.next()]);
    expect(faults.cutWatches({ path: "/a" })).toBe(1);
    await expect(cut.next()).rejects.toThrow("a watch was cut");
    expect(await text(other)).toBe("line 2\nline 3\n");
    expect(faults.cutWatches()).toBe(1);
    expect(faults.cutWatches()).toBe(1);
    await expect(other.next()).rejects.toThrow("a watch was cut");
    expect(faults.cutWatches()).toBe(0);
  });

  test("refuses connections while it restarts", async () => {
    const { service, faults, clock } = setUp();
    const stream = streamOf(await service(request("/a?watch=1")));
    await stream.next();
    const restarted = faults.restart(5_000);
    await expect(stream.next()).rejects.toThrow("the server restarts");
    await expect(service(request("/a"))).rejects.toThrow("the server is down");
    await clock.advance(5_000);
    await restarted;
    expect(await service(request("/a"))).toMatchObject({ status: 200 });
  });

  test("drops the history when it restarts", async () => {
    const { faults, clock, store } = setUp();
    const restarted = faults.restart(1);
    await clock.advance(1);
    await restarted;
    expect(store.compactedRevision).toBe(store.revision);
  });

  test("serves stale reads until they are ended", () => {
    const { faults, staleRevision } = setUp();
    expect(staleRevision()).toBeUndefined();
    const thaw = faults.freezeReads();
    expect(staleRevision()).toBe(1);
    thaw();
    expect(staleRevision()).toBeUndefined();
  });

  test("applies no rule after clear, nor after the rule was removed", async () => {
    const { service, faults } = setUp();
    const remove = faults.add({ fault: { kind: "reset" } });
    remove();
    expect(await service(request("/a"))).toMatchObject({ status: 200 });
    faults.add({ fault: { kind: "reset" } });
    faults.clear();
    expect(await service(request("/a"))).toMatchObject({ status: 200 });
  });
});
