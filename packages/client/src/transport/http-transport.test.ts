import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Transport, TransportRequest } from "@keelson/core";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import {
  type ServerAnswer,
  type ServerRequest,
  startMuteServer,
  startTlsServer,
  type TlsServer,
  type TlsServerOptions,
} from "../../test/support/tls-server.ts";
import type { ClusterAccess } from "../config/cluster-access.ts";
import { readText } from "../request/response.ts";
import { httpTransport } from "./http-transport.ts";

const run = promisify(execFile);
const get: TransportRequest = { method: "GET", path: "/pods", headers: {}, isStream: false };
const stream: TransportRequest = { ...get, isStream: true };
const post: TransportRequest = { ...get, method: "POST", body: "{}" };

function transportTo(access: ClusterAccess): Transport {
  const transport = httpTransport(access);
  onTestFinished(() => transport.close());
  return transport;
}

/** What the server says to each request, and a transport that reaches it. */
async function startAnswering(
  answer: (request: ServerRequest, response: ServerAnswer) => void,
  options: TlsServerOptions = {},
): Promise<TlsServer & { readonly transport: Transport }> {
  const tlsServer = await startTlsServer(options);
  tlsServer.onRequest(answer);
  return { ...tlsServer, transport: transportTo(tlsServer.access) };
}

const sayVersion = (request: ServerRequest, response: ServerAnswer): void => {
  response.end(request.httpVersion);
};

describe("what is spoken", () => {
  it.each([
    { request: get, speaksHttp2: true, spoken: "1.1" },
    { request: stream, speaksHttp2: true, spoken: "2.0" },
    { request: stream, speaksHttp2: false, spoken: "1.1" },
  ])("is HTTP/$spoken (stream: $request.isStream, server with HTTP/2: $speaksHttp2)", async (sent) => {
    const { transport } = await startAnswering(sayVersion, sent);
    for (let round = 0; round < 3; round++)
      expect(await readText((await transport.send(sent.request)).body)).toBe(sent.spoken);
  });

  const askingStream: TransportRequest = { ...stream, body: "ask", method: "POST" };
  it.each([
    { request: get, speaksHttp2: true },
    { request: post, speaksHttp2: true },
    { request: stream, speaksHttp2: true },
    { request: askingStream, speaksHttp2: true },
    { request: stream, speaksHttp2: false },
    { request: askingStream, speaksHttp2: false },
  ])(
    "carries path, headers and body ($request.method, stream: $request.isStream, HTTP/2: $speaksHttp2)",
    async ({ request, speaksHttp2 }) => {
      const { access } = await startAnswering(
        (asked, response) => {
          const { authorization, "x-crew": crew } = asked.headers;
          response.setHeader("x-seen", `${asked.method} ${asked.url} ${authorization} ${crew}`);
          response.statusCode = 202;
          asked.pipe(response);
        },
        { speaksHttp2 },
      );
      const headers = { authorization: "Bearer t", "x-crew": ["ann", "bob"] };
      const transport = transportTo({
        ...access,
        server: `${access.server}/base`,
        headers: async () => headers,
      });
      const response = await transport.send(request);
      expect(response.status).toBe(202);
      expect(response.headers["x-seen"]).toBe(`${request.method} /base/pods Bearer t ann, bob`);
      expect(await readText(response.body)).toBe(request.body ?? "");
    },
  );

  it("announces how long the body of a DELETE is", async () => {
    const { transport } = await startAnswering(({ headers }, response) => {
      response.end(`${headers["content-length"]}`);
    });
    const { body } = await transport.send({ ...get, method: "DELETE", body: "réason" });
    expect(await readText(body)).toBe("7");
  });
});

describe.each([
  { what: "a request", request: get, speaksHttp2: true },
  { what: "a stream over HTTP/2", request: stream, speaksHttp2: true },
  { what: "a stream over HTTP/1.1", request: stream, speaksHttp2: false },
])("$what", ({ request, speaksHttp2 }) => {
  const answering = (answer: (asked: ServerRequest, response: ServerAnswer) => void) =>
    startAnswering(answer, { speaksHttp2 });

  it("fails in the middle when its connection is lost, as is an error of connections", async () => {
    const { transport, sockets } = await answering((_, response) => {
      response.write("half", () => {
        for (const socket of sockets) socket.destroy();
      });
    });
    const { body } = await transport.send(request);
    await expect(readText(body)).rejects.toMatchObject({ code: expect.any(String) });
  });

  it("says that it was reset when its connection is lost before an answer", async () => {
    const { transport, sockets } = await answering(() => {
      for (const socket of sockets) socket.destroy();
    });
    await expect(transport.send(request)).rejects.toMatchObject({ code: "ECONNRESET" });
  });

  it("makes the server wait while the body is not read", async () => {
    const block = Buffer.alloc(1 << 16);
    let written = 0;
    const { transport } = await answering((_, response) => {
      const write = (): void => {
        written += block.length;
        if (response.write(block)) setImmediate(write);
        else response.once("drain", write);
      };
      write();
    });
    const { body } = await transport.send(request);
    let before = -1;
    // Until the server has stopped.
    await expect
      .poll(
        () => {
          const isStill = written === before;
          before = written;
          return isStill;
        },
        { interval: 200, timeout: 10_000 },
      )
      .toBe(true);
    expect(written).toBeLessThan(32 << 20);
    let read = 0;
    for await (const chunk of body) {
      read += chunk.length;
      if (read > 2 * before) break;
    }
    expect(read).toBeGreaterThan(2 * before);
  });

  it("frees its connection when it is left, when it is aborted, and when the transport is closed", async () => {
    const { transport, sockets } = await answering((_, response) => void response.write("more"));
    for await (const _ of (await transport.send(request)).body) break;
    await expect.poll(() => sockets.size).toBe(0);

    const controller = new AbortController();
    const aborted = await transport.send({ ...request, signal: controller.signal });
    controller.abort(new Error("enough"));
    await expect(readText(aborted.body)).rejects.toThrow("enough");
    await expect.poll(() => sockets.size).toBe(0);

    const closed = await transport.send(request);
    await transport.close();
    await expect(readText(closed.body)).rejects.toThrow(/closed/);
    await expect.poll(() => sockets.size).toBe(0);
  });

  it("is not sent if the check before it throws, and later ones are", async () => {
    const seen: (string | undefined)[] = [];
    const { transport } = await answering(({ url }, response) => {
      seen.push(url);
      response.end();
    });
    const refuse = (): void => {
      throw new Error("not any more");
    };
    for (let round = 0; round < 70; round++) {
      const refused = transport.send({ ...request, checkBeforeSend: refuse });
      await expect(refused).rejects.toThrow("not any more");
    }
    const checkBeforeSend = vi.fn();
    await readText((await transport.send({ ...request, path: "/after", checkBeforeSend })).body);
    expect(seen).toEqual(["/after"]);
    expect(checkBeforeSend).toHaveBeenCalledTimes(1);
  });

  it("is checked when there is a connection, not while one is waited for", async () => {
    const { url, sockets } = await startMuteServer();
    const { access } = await startTlsServer();
    const transport = transportTo({ ...access, server: url.origin });
    const checkBeforeSend = vi.fn();
    const controller = new AbortController();
    const sent = transport.send({ ...request, checkBeforeSend, signal: controller.signal });
    await expect.poll(() => sockets.size).toBe(1);
    controller.abort(new Error("too long"));
    await expect(sent).rejects.toThrow("too long");
    expect(checkBeforeSend).not.toHaveBeenCalled();
    await transport.close();
    await expect.poll(() => sockets.size).toBe(0);
  });

  it("with an invalid header is a mistake, and releases the semaphore", async () => {
    const { transport } = await answering(sayVersion);
    for (let round = 0; round < 70; round++) {
      await expect(transport.send({ ...request, headers: { "x-bad": "a\nb" } })).rejects.toThrow(TypeError);
    }
    expect((await transport.send(request)).status).toBe(200);
  });
});

describe("connections", () => {
  it("are reused, and no more than 64 are open for requests", async () => {
    const { transport, connections } = await startAnswering(sayVersion);
    const ask = async (): Promise<string> => readText((await transport.send(get)).body);
    await Promise.all(Array.from({ length: 200 }, ask));
    expect(connections()).toBe(64);
    for (let round = 0; round < 10; round++) await ask();
    expect(connections()).toBe(64);
    // On a busy machine, 64 handshakes take their time.
  }, 60_000);

  it("that the server has closed are not used again, by writes neither", async () => {
    const { transport, sockets, connections } = await startAnswering(sayVersion);
    await readText((await transport.send(post)).body);
    const [socket] = sockets;
    socket?.end();
    await expect.poll(() => sockets.size).toBe(0);
    await readText((await transport.send(post)).body);
    expect(connections()).toBe(2);
  });

  it("with other settings replace idle ones at once, and busy ones when they are over", async () => {
    const { access, sockets } = await startAnswering(({ url }, response) => {
      response.write("begun");
      if (url !== "/slow") response.end();
    });
    let settings = await access.tls();
    const transport = transportTo({ ...access, tls: async () => settings });
    const slow = await transport.send({ ...get, path: "/slow" });
    await readText((await transport.send(get)).body);
    expect(sockets.size).toBe(2);
    settings = { ...settings, insecure: true };
    await readText((await transport.send(get)).body);
    await expect.poll(() => sockets.size).toBe(2);
    for await (const _ of slow.body) break;
    await expect.poll(() => sockets.size).toBe(1);
  });

  it("that are idle do not keep a process from ending", async () => {
    const { access } = await startAnswering(sayVersion);
    const program = `
      import { httpTransport } from ${JSON.stringify(fileURLToPath(new URL("./http-transport.ts", import.meta.url)))};
      const tls = async () => ({ insecure: true });
      const transport = httpTransport({
        server: ${JSON.stringify(access.server)}, namespace: "", tls, headers: async () => ({}), refused() {},
      });
      for (const isStream of [false, true]) {
        const { body } = await transport.send({ method: "GET", path: "/", headers: {}, isStream });
        for await (const chunk of body) process.stdout.write(chunk);
      }`;
    const node = ["--conditions=@keelson/source", "--input-type=module", "--eval", program];
    expect((await run(process.execPath, node, { timeout: 20_000 })).stdout).toBe("1.12.0");
  }, 30_000);
});
