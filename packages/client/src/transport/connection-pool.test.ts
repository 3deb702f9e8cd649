import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { signed } from "../../test/support/certificates.ts";
import { startMuteServer, startTlsServer } from "../../test/support/tls-server.ts";
import { readText } from "../request/response.ts";
import { makeRoute, openConnection, Semaphore } from "./connection-pool.ts";
import { httpTransport } from "./http-transport.ts";

const { signal } = new AbortController();

describe("a semaphore", () => {
  it("are had at once while there are some, and then in the order in which they were asked for", async () => {
    const semaphore = new Semaphore(1);
    const order: string[] = [];
    await semaphore.acquire(signal);
    const waiting = ["a", "b", "c"].map(async (name) => {
      await semaphore.acquire(signal);
      order.push(name);
      semaphore.release();
    });
    await Promise.resolve();
    expect(order).toEqual([]);
    semaphore.release();
    await Promise.all(waiting);
    expect(order).toEqual(["a", "b", "c"]);
    await semaphore.acquire(signal);
  });

  it("are not given to those who gave up", async () => {
    const semaphore = new Semaphore(1);
    await semaphore.acquire(signal);
    const leaving = new AbortController();
    const left = expect(semaphore.acquire(leaving.signal)).rejects.toThrow("enough");
    const next = semaphore.acquire(signal);
    leaving.abort(new Error("enough"));
    await left;
    await expect(semaphore.acquire(leaving.signal)).rejects.toThrow("enough");
    semaphore.release();
    await next;
  });

  it("of those who gave up too late are theirs all the same", async () => {
    const semaphore = new Semaphore(1);
    await semaphore.acquire(signal);
    const leaving = new AbortController();
    const late = semaphore.acquire(leaving.signal);
    semaphore.release();
    leaving.abort(new Error("enough"));
    await late;
    semaphore.release();
    await semaphore.acquire(signal);
  });
});

it("a server is trusted by its own certificate, whatever authority has signed it", async () => {
  const { onRequest, access } = await startTlsServer({ certificate: await signed("localhost") });
  onRequest((_, response) => void response.end("hello"));
  const transport = httpTransport(access);
  const { body } = await transport.send({ method: "GET", path: "/", headers: {}, isStream: false });
  expect(await readText(body)).toBe("hello");
  await transport.close();
});

/** A proxy that passes everything on, or answers something else; and what it was asked. */
async function startProxy(status = 200) {
  const asked: { readonly url: string | undefined; readonly headers: IncomingHttpHeaders }[] = [];
  const sockets = new Set<Socket>();
  const server = createServer().on("connect", ({ url, headers }, socket) => {
    asked.push({ url, headers });
    sockets.add(socket as Socket);
    socket.on("close", () => sockets.delete(socket as Socket)).on("error", () => undefined);
    if (status !== 200) return void socket.end(`HTTP/1.1 ${status} No\r\ncontent-length: 2\r\n\r\nno`);
    const { hostname, port } = new URL(`http://${url}`);
    const upstream = connect(Number(port), hostname, () => {
      socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
      upstream.pipe(socket).pipe(upstream);
    });
    upstream.on("error", () => socket.destroy()).on("close", () => socket.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { host: `127.0.0.1:${(server.address() as AddressInfo).port}`, asked, sockets };
}

describe("a connection through a proxy", () => {
  it("serves requests and streams, and shows the proxy who asks", async () => {
    const { onRequest, access, sockets } = await startTlsServer();
    onRequest((_, response) => void response.end("hello"));
    const proxy = await startProxy();
    const transport = httpTransport({ ...access, proxyUrl: `http://ann:p%40ss@${proxy.host}` });
    for (const isStream of [true, false, false]) {
      const { body } = await transport.send({ method: "GET", path: "/", headers: {}, isStream });
      expect(await readText(body)).toBe("hello");
    }
    const authorization = `Basic ${Buffer.from("ann:p@ss").toString("base64")}`;
    const expected = {
      url: new URL(access.server).host,
      headers: expect.objectContaining({ "proxy-authorization": authorization }),
    };
    expect(proxy.asked).toEqual([expected, expected]);
    await transport.close();
    await expect.poll(() => sockets.size + proxy.sockets.size).toBe(0);
  });

  it("does not come about if the proxy refuses", async () => {
    const proxy = await startProxy(407);
    const route = makeRoute(new URL("https://cluster.example"), `http://${proxy.host}`, { insecure: false });
    const opening = openConnection(route, signal);
    await expect(opening).rejects.toThrow(`the proxy ${proxy.host} responded with 407`);
    expect(proxy.asked).toMatchObject([{ url: "cluster.example:443" }]);
    await expect.poll(() => proxy.sockets.size).toBe(0);
  });

  it("is left at once while the proxy says nothing", async () => {
    const mute = await startMuteServer();
    const leaving = new AbortController();
    const proxyUrl = `http://${mute.url.host}`;
    const route = makeRoute(new URL("https://cluster.example"), proxyUrl, { insecure: false });
    const opening = openConnection(route, leaving.signal);
    await expect.poll(() => mute.sockets.size).toBe(1);
    leaving.abort(new Error("enough"));
    await expect(opening).rejects.toThrow("enough");
    await expect.poll(() => mute.sockets.size).toBe(0);
  });
});

describe("a connection", () => {
  it("that does not come about is given up after ten seconds", async () => {
    const { url, sockets } = await startMuteServer();
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const route = makeRoute(url, undefined, { insecure: true });
    const message = `no connection to ${url.host} within 10 s`;
    const given = expect(openConnection(route, signal)).rejects.toThrow(message);
    vi.advanceTimersByTime(10_000);
    await given;
    vi.useRealTimers();
    await expect.poll(() => sockets.size).toBe(0);
  });

  it("leads to a host with an IPv6 address", async () => {
    const server = createServer((_, response) => void response.end());
    server.listen(0, "::1");
    await once(server, "listening");
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const route = makeRoute(new URL(`http://[::1]:${port}`), undefined, { insecure: false });
    const socket = await openConnection(route, signal);
    expect(socket.remotePort).toBe(port);
    socket.destroy();
  });
});
