import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { isPublicAddress, type OutgoingPost, PostError } from "@keelson/core";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Certificate, signed } from "../../test/support/certificates.ts";
import { listenHttp } from "./http-listener.ts";
import { sendPost } from "./send-post.ts";

interface Served extends Certificate {
  readonly address: string;
  readonly received: string[];
}

/** A server for `hooks.shop.svc` that redirects `/first` to `/second` with the status. */
async function serve(status: number): Promise<Served> {
  const certificate = await signed("hooks.shop.svc");
  const received: string[] = [];
  const listener = await listenHttp(
    {
      host: "127.0.0.1",
      port: 0,
      certificate: () => ({ certificate: certificate.cert, key: certificate.key }),
    },
    async ({ method, path, headers, body }) => {
      received.push(`${method} ${headers.host} ${path} ${await text(body)}`);
      return path === "/first"
        ? { status, headers: { location: "/second" } }
        : { status: 200, headers: { "content-type": "text/plain" }, body: "done" };
    },
  );
  onTestFinished(() => listener.close(0));
  return { ...certificate, address: `127.0.0.1:${listener.port}`, received };
}

function post({ address, cert }: Served, path: string, more: Partial<OutgoingPost> = {}): OutgoingPost {
  return {
    url: `https://hooks.shop.svc:443${path}`,
    address,
    certificateAuthority: cert,
    body: "{}",
    signal: new AbortController().signal,
    ...more,
  };
}

it("reaches a host at the address given, and trusts it by its own certificate", async () => {
  const server = await serve(307);
  expect(await sendPost(post(server, "/second?timeout=2s"))).toEqual({
    status: 200,
    contentType: "text/plain",
    body: "done",
  });
  expect(server.received).toEqual(["POST hooks.shop.svc /second?timeout=2s {}"]);
});

it("does not trust a server by another certificate", async () => {
  const server = await serve(307);
  const { cert } = await signed("hooks.shop.svc");
  const refused = sendPost(post(server, "/second", { certificateAuthority: cert }));
  await expect(refused).rejects.toThrow(PostError);
});

it.each([
  [303, "GET hooks.shop.svc /second "],
  [307, "POST hooks.shop.svc /second {}"],
])("follows a redirect with %s to the same host at its address", async (status, second) => {
  const server = await serve(status);
  expect((await sendPost(post(server, "/first"))).body).toBe("done");
  expect(server.received).toEqual(["POST hooks.shop.svc /first {}", second]);
});

it("names what was called if nothing listens there", async () => {
  const server = await serve(307);
  const refused = sendPost(post(server, "/first", { address: "127.0.0.1:1" }));
  await expect(refused).rejects.toMatchObject({ url: "https://hooks.shop.svc:443/first" });
});

describe("a post to a server that is not trusted", () => {
  const untrusted = { followRedirects: false, mostResponseBytes: 4 } as const;

  it("returns a redirect as the response", async () => {
    const server = await serve(307);
    expect(await sendPost(post(server, "/first", untrusted))).toMatchObject({ status: 307 });
    expect(server.received).toEqual(["POST hooks.shop.svc /first {}"]);
  });

  it("reads no more of the body than it may", async () => {
    const url = await serveNode((_, response) => {
      response.writeHead(200);
      // Ends only when the other side does.
      const write = (): void => {
        while (!response.destroyed && response.write("a".repeat(1 << 16)));
      };
      response.on("drain", write);
      write();
    });
    const response = await sendPost({ url, body: "", signal: new AbortController().signal, ...untrusted });
    expect(response).toMatchObject({ status: 200, body: "aaaa" });
  });

  it("sends the content type and the user agent given", async () => {
    const heads: (string | undefined)[] = [];
    const url = await serveNode(({ headers }, response) => {
      heads.push(headers["content-type"], headers["user-agent"]);
      response.end();
    });
    const { signal } = new AbortController();
    await sendPost({ url, body: "hi", contentType: "text/plain", userAgent: "Reloader/2.0", signal });
    expect(heads).toEqual(["text/plain", "Reloader/2.0"]);
  });

  it.each(["127.0.0.1", "2130706433", "0177.0.0.1", "0x7f.1", "[::ffff:127.0.0.1]", "localhost"])(
    "does not connect to %s if its address is not accepted",
    async (host) => {
      let calls = 0;
      const { port } = new URL(
        await serveNode((_, response) => {
          calls++;
          response.end();
        }),
      );
      const refused = sendPost({
        url: `http://${host}:${port}/`,
        body: "",
        acceptAddress: isPublicAddress,
        signal: new AbortController().signal,
      });
      await expect(refused).rejects.toMatchObject({ cause: { code: "ADDRESS_REFUSED" } });
      expect(calls).toBe(0);
    },
  );

  it("connects to a name by those of its addresses that are accepted", async () => {
    const url = new URL(await serveNode((_, response) => response.end("done")));
    const asked: string[] = [];
    const response = await sendPost({
      url: `http://localhost:${url.port}/`,
      body: "",
      acceptAddress: (address) => {
        asked.push(address);
        return address === "127.0.0.1";
      },
      signal: new AbortController().signal,
    });
    expect(response.body).toBe("done");
    expect(asked).toContain("127.0.0.1");
  });

  it("is sent through a proxy, and the server is trusted by its certificate", async () => {
    const server = await serve(307);
    const { proxyUrl, connected } = await serveProxy(server.address);
    const response = await sendPost({
      url: "https://hooks.shop.svc/second",
      certificateAuthority: server.cert,
      body: "{}",
      proxyUrl,
      acceptAddress: isPublicAddress,
      signal: new AbortController().signal,
    });
    expect(response.body).toBe("done");
    expect(connected).toEqual(["hooks.shop.svc:443"]);
    expect(server.received).toEqual(["POST hooks.shop.svc /second {}"]);
  });

  it("is not sent through a proxy to an address that is not accepted", async () => {
    const { proxyUrl, connected } = await serveProxy("127.0.0.1:1");
    const refused = sendPost({
      url: "https://10.0.0.1/",
      body: "{}",
      proxyUrl,
      acceptAddress: isPublicAddress,
      signal: new AbortController().signal,
    });
    await expect(refused).rejects.toMatchObject({ cause: { code: "ADDRESS_REFUSED" } });
    expect(connected).toEqual([]);
  });
});

/** An HTTP server; returns its URL. */
async function serveNode(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    server.closeAllConnections();
    await server[Symbol.asyncDispose]();
  });
  return `http://127.0.0.1:${portOf(server)}/`;
}

/** A proxy that forwards every connection to one address. */
async function serveProxy(
  address: string,
): Promise<{ readonly proxyUrl: string; readonly connected: string[] }> {
  const connected: string[] = [];
  const [host, port] = address.split(":");
  const proxy = createServer().listen(0, "127.0.0.1");
  await once(proxy, "listening");
  proxy.on("connect", ({ url = "" }, socket) => {
    connected.push(url);
    const upstream = connect({ host: host ?? "", port: Number(port) }, () => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      upstream.pipe(socket).pipe(upstream);
    });
    socket.on("error", () => undefined).on("close", () => upstream.destroy());
    upstream.on("error", () => undefined).on("close", () => socket.destroy());
  });
  onTestFinished(() => proxy[Symbol.asyncDispose]());
  return { proxyUrl: `http://127.0.0.1:${portOf(proxy)}`, connected };
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}
