import { once } from "node:events";
import { Agent, get, request as httpRequest, type IncomingMessage } from "node:http";
import { connect, createServer as createTcpServer, type Socket, type TcpNetConnectOpts } from "node:net";
import { DropConnectionError, type HttpService, type Listener } from "@keelson/core";
import { describe, expect, it, onTestFinished } from "vitest";
import { listenHttp, listenWithin } from "./http-listener.ts";
import { type HttpLimits, httpLimits } from "./node-server.ts";

async function serve(service: HttpService): Promise<Listener> {
  const listener = await listenHttp({ host: "127.0.0.1", port: 0 }, service);
  onTestFinished(() => listener.close(0));
  return listener;
}

async function serveWithin(limits: HttpLimits, service: HttpService): Promise<Listener> {
  const listener = await listenWithin({ ...httpLimits, ...limits }, { host: "127.0.0.1", port: 0 }, service);
  onTestFinished(() => listener.close(0));
  return listener;
}

/** A connection that is spoken to without a client, and all that it has got. */
async function speak(options: TcpNetConnectOpts): Promise<{ socket: Socket; got: () => string }> {
  const socket = connect(options);
  let got = "";
  socket.on("error", () => undefined);
  socket.on("data", (chunk) => {
    got += chunk.toString();
  });
  onTestFinished(() => void socket.destroy());
  await once(socket, "connect");
  return { socket, got: () => got };
}

const plainGet = "GET / HTTP/1.1\r\nhost: a\r\n\r\n";

async function textOf(response: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of response.setEncoding("utf8")) text += chunk;
  return text;
}

async function readAll(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

const url = ({ port }: Listener, path = "/"): string => `http://127.0.0.1:${port}${path}`;

/** An answer whose end is not waited for. */
async function begin(listener: Listener, agent?: Agent): Promise<IncomingMessage> {
  const [response] = await once(get(url(listener), agent === undefined ? {} : { agent }), "response");
  return response;
}

describe("a request", () => {
  it("reaches the service with method, path, headers and body, and its answer goes back", async () => {
    const listener = await serve(async ({ method, path, headers, body }) => ({
      status: 201,
      headers: { "x-seen": `${method} ${path} ${headers["content-type"]}` },
      body: (await readAll(body)).toUpperCase(),
    }));
    const response = await fetch(url(listener, "/a?b=c"), {
      method: "POST",
      body: "hello",
      headers: { "content-type": "text/x" },
    });
    expect(response.status).toBe(201);
    expect(response.headers.get("x-seen")).toBe("POST /a?b=c text/x");
    expect(await response.text()).toBe("HELLO");
  });

  it("gets no answer and loses its connection if the service wants it so", async () => {
    const listener = await serve(() => Promise.reject(new DropConnectionError("it dies")));
    await expect(fetch(url(listener))).rejects.toThrow("fetch failed");
  });

  it("is answered by 500 without a word of why if the service rejects", async () => {
    const listener = await serve(() => Promise.reject(new Error("password123")));
    const response = await fetch(url(listener));
    expect(response.status).toBe(500);
    expect(await response.text()).toBe("internal server error\n");
  });

  it("aborts its signal when the client goes away", async () => {
    const { promise: reached, resolve } = Promise.withResolvers<AbortSignal>();
    const listener = await serve(async ({ signal }) => {
      resolve(signal);
      await once(signal, "abort");
      return { status: 200 };
    });
    const request = get(url(listener)).on("error", () => undefined);
    const signal = await reached;
    expect(signal.aborted).toBe(false);
    request.destroy();
    await expect.poll(() => signal.aborted).toBe(true);
  });

  it("does not abort its signal when it was answered", async () => {
    let seen: AbortSignal | undefined;
    const listener = await serve(async ({ signal }) => {
      seen = signal;
      return { status: 204 };
    });
    await fetch(url(listener));
    await listener.close(1_000);
    expect(seen?.aborted).toBe(false);
  });

  it("is answered although its body was left unread and does not end", async () => {
    const listener = await serve(async ({ body }) => {
      for await (const _ of body) break;
      return { status: 413, body: "too large" };
    });
    const request = httpRequest(url(listener), { method: "POST" });
    request.on("error", () => undefined);
    const more = (): void => {
      while (!request.destroyed && request.write(Buffer.alloc(65_536)));
    };
    request.on("drain", more);
    more();
    const [response] = await once(request, "response");
    expect(response.statusCode).toBe(413);
    expect(await textOf(response)).toBe("too large");
    await once(request, "close");
  });

  it("[MG11] may have headers of almost 1 MiB, and no more", async () => {
    const listener = await serve(async ({ headers }) => ({
      status: 200,
      body: String(headers["x-large"]?.length),
    }));
    const ask = async (length: number): Promise<number> => {
      const [response] = await once(
        get(url(listener), { headers: { "x-large": "x".repeat(length) } }),
        "response",
      );
      response.resume();
      return response.statusCode;
    };
    expect(await ask(1024 * 1024 - 1_000)).toBe(200);
    expect(await ask(1024 * 1024 + 1)).toBe(431);
  });
});

describe("[MG11] a connection", () => {
  it("may be idle for 90 s, and have 32 s to send its headers, which is looked at every 4 s", async () => {
    expect(httpLimits).toMatchObject({
      keepAliveTimeout: 90_000,
      headersTimeout: 32_000,
      connectionsCheckingInterval: 4_000,
    });
    const response = await fetch(url(await serve(async () => ({ status: 200 }))));
    expect(response.headers.get("keep-alive")).toBe("timeout=90");
  });

  it("is closed when it is idle for longer", async () => {
    const { port } = await serveWithin({ keepAliveTimeout: 10 }, async () => ({ status: 204 }));
    const { socket, got } = await speak({ port, host: "127.0.0.1" });
    socket.write(plainGet);
    await once(socket, "close");
    expect(got()).toContain("204 No Content");
  });

  it("is closed when its headers take longer", async () => {
    const limits = { headersTimeout: 50, connectionsCheckingInterval: 10 };
    const { port } = await serveWithin(limits, async () => ({ status: 204 }));
    const { socket, got } = await speak({ port, host: "127.0.0.1" });
    socket.write("GET / HTTP/1.1\r\nhost: a\r\n");
    await once(socket, "close");
    expect(got()).toContain("408 Request Timeout");
  });
});

describe("a stream", () => {
  it("is sent as it comes", async () => {
    const { promise: seen, resolve } = Promise.withResolvers<void>();
    const listener = await serve(async () => ({
      status: 200,
      body: (async function* () {
        yield Buffer.from("one ");
        await seen;
        yield Buffer.from("two");
      })(),
    }));
    const response = await begin(listener);
    const [first] = await once(response, "data");
    expect(first.toString()).toBe("one ");
    resolve();
    expect(await textOf(response)).toBe("two");
  });

  it("is not read faster than the client reads, and is left when the client goes away", async () => {
    let chunks = 0;
    let isLeft = false;
    const listener = await serve(async () => ({
      status: 200,
      body: (async function* () {
        try {
          for (;;) {
            chunks++;
            yield Buffer.alloc(1024 * 1024);
          }
        } finally {
          isLeft = true;
        }
      })(),
    }));
    const response = await begin(listener);
    let before = -1;
    await expect
      .poll(() => {
        const hasStopped = before === chunks;
        before = chunks;
        return hasStopped;
      })
      .toBe(true);
    expect(chunks).toBeLessThan(64);
    response.destroy();
    await expect.poll(() => isLeft).toBe(true);
  });

  it("that breaks does not look whole", async () => {
    const listener = await serve(async () => ({
      status: 200,
      body: (async function* () {
        yield Buffer.from("half");
        throw new Error("broken");
      })(),
    }));
    const response = await begin(listener);
    await expect(textOf(response)).rejects.toThrow("aborted");
  });
});

/** A port that is free for now. */
async function freePort(): Promise<number> {
  const server = createTcpServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address !== null ? address.port : 0;
}

describe("close", () => {
  it("ends idle and silent connections at once", async () => {
    const listener = await serve(async () => ({ status: 200 }));
    const agent = new Agent({ keepAlive: true });
    const response = await begin(listener, agent);
    response.resume();
    await once(response, "end");
    const silent = connect(listener.port, "127.0.0.1");
    await once(silent, "connect");
    await listener.close(60_000);
    agent.destroy();
    await expect(fetch(url(listener))).rejects.toThrow();
    silent.destroy();
  });

  it("lets what is under way end, and then its connection", async () => {
    const { promise: reached, resolve: reach } = Promise.withResolvers<void>();
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const listener = await serve(async () => {
      reach();
      await released;
      return { status: 200, body: "late" };
    });
    const agent = new Agent({ keepAlive: true });
    const answer = begin(listener, agent);
    await reached;
    const closed = listener.close(60_000);
    release();
    const response = await answer;
    expect(response.headers.connection).toBe("close");
    expect(await textOf(response)).toBe("late");
    await closed;
    agent.destroy();
  });

  it("breaks what does not end within the grace, and leaves nothing", async () => {
    let seen: AbortSignal | undefined;
    const listener = await serve(async ({ signal }) => {
      seen = signal;
      return {
        status: 200,
        body: (async function* () {
          yield Buffer.from("x");
          await once(signal, "abort");
        })(),
      };
    });
    const response = await begin(listener);
    const end = textOf(response);
    const closed = listener.close(10);
    await expect(end).rejects.toThrow("aborted");
    await closed;
    expect(seen?.aborted).toBe(true);
  });

  it("breaks two connections that differ in nothing but the address they go to", async () => {
    let reached = 0;
    const listener = await listenHttp({ host: "0.0.0.0", port: 0 }, ({ signal }) => {
      reached++;
      return once(signal, "abort").then(() => ({ status: 200 }));
    });
    const from = { port: listener.port, localAddress: "127.0.0.1", localPort: await freePort() };
    for (const host of ["127.0.0.1", "127.0.0.2"]) (await speak({ ...from, host })).socket.write(plainGet);
    await expect.poll(() => reached).toBe(2);
    await listener.close(10);
  });

  it.each([
    ["in their order", [0, 1]],
    ["in another order", [1, 0]],
  ])("answers all requests that were under way on a connection, ready %s", async (_, order) => {
    const ready = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let reached = 0;
    const listener = await serve(async () => {
      const number = reached++;
      await ready[number]?.promise;
      return { status: 200, body: `answer ${number}` };
    });
    const { socket, got } = await speak({ port: listener.port, host: "127.0.0.1" });
    socket.write(plainGet + plainGet);
    await expect.poll(() => reached).toBe(2);
    const ended = once(socket, "close");
    const closed = listener.close(60_000);
    for (const number of order) ready[number]?.resolve();
    await closed;
    await ended;
    expect(got().match(/answer \d|connection: \S+/gi)).toEqual([
      "Connection: keep-alive",
      "answer 0",
      "connection: close",
      "answer 1",
    ]);
  });

  it("breaks several requests on one connection, and aborts the signal of each", async () => {
    const signals: AbortSignal[] = [];
    const listener = await serve(({ signal }) => {
      signals.push(signal);
      return new Promise(() => undefined);
    });
    const { socket } = await speak({ port: listener.port, host: "127.0.0.1" });
    socket.write(plainGet + plainGet);
    await expect.poll(() => signals).toHaveLength(2);
    await listener.close(10);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
  });

  it("may be called twice", async () => {
    const listener = await serve(async () => ({ status: 200 }));
    await Promise.all([listener.close(0), listener.close(0)]);
  });
});

it("rejects if the port is taken", async () => {
  const { port } = await serve(async () => ({ status: 200 }));
  await expect(listenHttp({ host: "127.0.0.1", port }, async () => ({ status: 200 }))).rejects.toThrow(
    "EADDRINUSE",
  );
});
