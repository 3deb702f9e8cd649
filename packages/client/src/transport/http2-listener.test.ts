import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { type ClientHttp2Session, type ClientHttp2Stream, connect } from "node:http2";
import { request as httpsRequest } from "node:https";
import { text } from "node:stream/consumers";
import { connect as connectTls } from "node:tls";
import { DropConnectionError, type HttpService, type Listener } from "@keelson/core";
import { describe, expect, it, onTestFinished } from "vitest";
import { selfSigned } from "../../test/support/certificates.ts";
import { listenWithin } from "./http-listener.ts";
import { type HttpLimits, httpLimits, nodeServer } from "./node-server.ts";

const serving = await selfSigned("localhost");
const admin = await selfSigned("admin");

async function serve(service: HttpService, limits: HttpLimits = {}): Promise<Listener> {
  const listener = await listenWithin(
    { ...httpLimits, ...limits },
    {
      ...{ host: "127.0.0.1", port: 0, http2: true, clientAuthorities: admin.cert },
      certificate: () => ({ certificate: serving.cert, key: serving.key }),
    },
    service,
  );
  onTestFinished(() => listener.close(0));
  return listener;
}

/** A client with a certificate, which sends all requests over one connection. */
async function open({ port }: Listener): Promise<ClientHttp2Session> {
  const session = connect(`https://127.0.0.1:${port}`, { rejectUnauthorized: false, ...admin });
  session.on("error", () => undefined);
  onTestFinished(() => session.destroy());
  await once(session, "connect");
  return session;
}

async function responseTo(stream: ClientHttp2Stream): Promise<{ status: number; body: string }> {
  stream.end();
  const [headers] = await once(stream, "response");
  return { status: headers[":status"], body: await text(stream) };
}

/** When it has closed, with an error or without. */
async function closed(subject: ClientHttp2Session | ClientHttp2Stream): Promise<void> {
  if (subject.destroyed) return;
  await new Promise((resolve) => subject.once("close", resolve));
}

/** A body that begins, and then waits until the client has disconnected. */
async function* endless(signal: AbortSignal): AsyncGenerator<Uint8Array> {
  yield Buffer.from("begun\n");
  await once(signal, "abort");
}

describe("a listener with HTTP/2", () => {
  it("gives the service method, path, headers, body and client certificate, and sends its response", async () => {
    const listener = await serve(async ({ method, path, headers, headerLines, body, clientCertificate }) => ({
      status: 201,
      headers: { "x-seen": `${method} ${path} ${headers["x-a"]} ${headerLines?.("x-a")?.length}` },
      body: `${await text(body)} of ${clientCertificate?.commonName} for ${headers.host}, ${Object.keys(headers)}`,
    }));
    const session = await open(listener);
    const stream = session.request({ ":method": "POST", ":path": "/a?b", "x-a": ["1", "2"] });
    stream.end("body");
    const [headers] = await once(stream, "response");
    expect(headers).toMatchObject({ ":status": 201, "x-seen": "POST /a?b 1, 2 2" });
    expect(await text(stream)).toBe(`body of admin for 127.0.0.1:${listener.port}, host,x-a`);
  });

  it("serves many requests of one connection at once", async () => {
    let served = 0;
    const { promise: all, resolve } = Promise.withResolvers<void>();
    const listener = await serve(async ({ path }) => {
      if (++served === 100) resolve();
      await all;
      return { status: 200, body: path };
    });
    const session = await open(listener);
    const paths = Array.from({ length: 100 }, (_, index) => `/${index}`);
    const bodies = await Promise.all(paths.map((path) => responseTo(session.request({ ":path": path }))));
    expect(bodies.map(({ body }) => body)).toEqual(paths);
  });

  it("streams a body, and aborts the signal of a request that the client has cancelled", async () => {
    const { promise: aborted, resolve } = Promise.withResolvers<void>();
    const listener = await serve(async ({ path, signal }) => {
      if (path !== "/watch") return { status: 200, body: "other" };
      signal.addEventListener("abort", () => resolve());
      return { status: 200, body: endless(signal) };
    });
    const session = await open(listener);
    const watch = session.request({ ":path": "/watch" });
    expect(String((await once(watch, "data"))[0])).toBe("begun\n");
    watch.close();
    await aborted;
    expect(await responseTo(session.request({ ":path": "/" }))).toEqual({ status: 200, body: "other" });
  });

  it("does not read a body faster than the client reads it", async () => {
    let produced = 0;
    const listener = await serve(async () => ({
      status: 200,
      body: (async function* () {
        for (let count = 0; count < 1_000; count++) {
          produced += 1;
          yield Buffer.alloc(64 * 1024);
        }
      })(),
    }));
    const session = await open(listener);
    const stream = session.request({ ":path": "/" });
    await once(stream, "response");
    await once(stream, "readable");
    // A request on the same connection is served while the large body waits for its reader.
    session.request({ ":path": "/" }).close();
    await new Promise((resolve) => session.ping(resolve));
    expect(produced).toBeLessThan(100);
    stream.close();
  });

  it.each([
    ["breaks off", async () => ({ status: 200, body: broken() })],
    ["is dropped", async () => Promise.reject(new DropConnectionError("as asked"))],
  ] satisfies [string, HttpService][])("resets the stream of a response that %s", async (_, service) => {
    const session = await open(await serve(service));
    const stream = session.request({ ":path": "/" });
    stream.resume();
    const [error] = await once(stream, "error").catch((thrown: unknown) => [thrown]);
    expect(error).toMatchObject({ code: "ERR_HTTP2_STREAM_ERROR" });
    expect(stream.rstCode).toBe(2);
    expect(session.destroyed).toBe(false);
  });

  it("lets what is under way end when it closes, and breaks what does not end", async () => {
    const { promise: asked, resolve: onAsked } = Promise.withResolvers<void>();
    const { promise: release, resolve: onRelease } = Promise.withResolvers<void>();
    const listener = await serve(async ({ path, signal }) => {
      if (path === "/watch") return { status: 200, body: endless(signal) };
      onAsked();
      await release;
      return { status: 200, body: "done" };
    });
    const session = await open(listener);
    const idle = await open(listener);
    const slow = responseTo(session.request({ ":path": "/slow" }));
    await asked;
    const closing = listener.close(60_000);
    await closed(idle);
    onRelease();
    expect(await slow).toEqual({ status: 200, body: "done" });
    await closing;
    expect(session.closed).toBe(true);

    const other = await serve(async ({ signal }) => ({ status: 200, body: endless(signal) }));
    const watching = (await open(other)).request({ ":path": "/watch" });
    watching.on("error", () => undefined);
    await once(watching, "data");
    await other.close(0);
    await closed(watching);
  });

  it.each([true, false])("sends small responses at once (HTTP/2: %s)", async (http2) => {
    const certificate = () => ({ certificate: serving.cert, key: serving.key });
    // Node shows it on the server alone; without it each response may wait 40 ms for an acknowledgement.
    expect(await nodeServer(httpLimits, { port: 0, http2, certificate })).toMatchObject({ noDelay: true });
  });

  it("serves clients of HTTP/1.1 as well, within the same limits", async () => {
    const listener = await serve(async ({ headers }) => ({ status: 200, body: headers["x-a"] ?? "" }), {
      maxHeaderSize: 4_000,
    });
    const ask = async (header: string): Promise<IncomingMessage> => {
      const address = { host: "127.0.0.1", port: listener.port, rejectUnauthorized: false, agent: false };
      const client = httpsRequest({ ...address, headers: { "x-a": header } }).end();
      return (await once(client, "response"))[0];
    };
    expect(await text(await ask("1"))).toBe("1");
    expect((await ask("x".repeat(4_001))).statusCode).toBe(431);
  });

  it("breaks a connection of HTTP/1.1 whose headers take too long", async () => {
    const { port } = await serve(async () => ({ status: 200 }), {
      headersTimeout: 50,
      connectionsCheckingInterval: 10,
    });
    const slow = connectTls({
      host: "127.0.0.1",
      port,
      rejectUnauthorized: false,
      ALPNProtocols: ["http/1.1"],
    });
    slow.on("secureConnect", () => slow.write("GET / HTTP/1.1\r\nhost: a\r\n"));
    expect(await text(slow)).toContain("408 Request Timeout");
  });
});

async function* broken(): AsyncGenerator<Uint8Array> {
  yield Buffer.from("half");
  throw new Error("it broke");
}
