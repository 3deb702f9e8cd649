import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { createClient, httpTransport } from "@keelson/client";
import type { Transport } from "@keelson/core";
import { ConfigMap } from "@keelson/core/kinds/core/v1";
import { VirtualClock } from "@keelson/testkit";
import { expect, it, onTestFinished } from "vitest";
import { electionRules } from "./election-rules.ts";
import { NotLeaderError } from "./errors.ts";
import { type Leadership, LeaseTerm } from "./lease-term.ts";
import { guardTransport, guardWrites } from "./write-guard.ts";

/** As many requests as a transport has under way at the same time. */
const connections = 64;
const object = { metadata: { namespace: "shop", name: "web" } };

/** A server that holds back the responses to reads until `respondToReads`, and records all other requests. */
async function startServer() {
  const reads: ServerResponse[] = [];
  const writes: string[] = [];
  const respond = (response: ServerResponse): void => {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", ...object }));
  };
  const server = createServer((request, response) => {
    if (request.method === "GET") reads.push(response);
    else {
      writes.push(`${request.method} ${request.url}`);
      respond(response);
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  const respondToReads = (): void => reads.splice(0).forEach(respond);
  return { url: `http://127.0.0.1:${port}`, reads, writes, respondToReads };
}

function transportTo(server: string): Transport {
  const transport = httpTransport({
    server,
    namespace: "default",
    tls: async () => ({ insecure: false }),
    headers: async () => ({}),
    refused: () => undefined,
  });
  onTestFinished(() => transport.close());
  return transport;
}

/** Every connection is held by a read, and a guarded write waits for one. */
async function queuedWrite(guard: "guardTransport" | "guardWrites", judge?: Leadership) {
  const { url, reads, writes, respondToReads } = await startServer();
  const transport = transportTo(url);
  const clock = new VirtualClock();
  const lease = { namespace: "shop", name: "lock" };
  const term = new LeaseTerm({ rules: electionRules({ lease, identity: "me" }), clock });
  term.renew(0);
  const reader = createClient({ transport, clock });
  const responses = Promise.all(
    Array.from({ length: connections }, (_, index) =>
      reader.get(ConfigMap, { namespace: "shop", name: `r${index}` }),
    ),
  );
  await expect.poll(() => reads.length, { timeout: 30_000 }).toBe(connections);
  const writer =
    guard === "guardWrites"
      ? guardWrites(reader, judge ?? term)
      : createClient({ transport: guardTransport(transport, judge ?? term), clock });
  const written = writer.update(ConfigMap, object).catch((thrown: unknown) => thrown);
  await clock.settle();
  // A read behind it has been sent when all that was before it has.
  const behind = reader.get(ConfigMap, { namespace: "shop", name: "behind" });
  const letThrough = async (): Promise<void> => {
    respondToReads();
    await responses;
    await expect.poll(() => reads.length, { timeout: 30_000 }).toBe(1);
    respondToReads();
    await behind;
  };
  return { clock, term, writes, written, letThrough };
}

it.each(["guardTransport", "guardWrites"] as const)(
  "[LE12] a write that waited for a connection until another replica may lead is never sent, by %s",
  { timeout: 60_000 },
  async (guard) => {
    const { clock, writes, written, letThrough } = await queuedWrite(guard);
    await clock.advance(10_001);
    await letThrough();
    expect(await written).toBeInstanceOf(NotLeaderError);
    expect(writes).toEqual([]);
  },
);

it.each(["guardTransport", "guardWrites"] as const)(
  "[LE12] a process that was paused while a write waited checks the clock before it sends, by %s",
  { timeout: 60_000 },
  async (guard) => {
    // Time has passed and no timer has fired yet.
    let isCertain = true;
    const lease = { namespace: "shop", name: "lock" };
    const { writes, written, letThrough } = await queuedWrite(guard, {
      lease,
      leaseDurationMs: 15_000,
      renewedAgoMs: 20_000,
      get isCertain() {
        return isCertain;
      },
    });
    isCertain = false;
    await letThrough();
    expect(await written).toBeInstanceOf(NotLeaderError);
    expect(writes).toEqual([]);
  },
);

it.each(["guardTransport", "guardWrites"] as const)(
  "[LE12] a write that waited for a connection while the lease was renewed is sent, by %s",
  { timeout: 60_000 },
  async (guard) => {
    const { clock, term, writes, written, letThrough } = await queuedWrite(guard);
    term.renew(9_000);
    await clock.advance(10_001);
    await letThrough();
    expect(await written).toMatchObject(object);
    expect(writes).toEqual(["PUT /api/v1/namespaces/shop/configmaps/web"]);
  },
);
