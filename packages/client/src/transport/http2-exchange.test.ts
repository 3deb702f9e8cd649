import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createServer, type TLSSocket } from "node:tls";
import type { Transport, TransportRequest } from "@keelson/core";
import { VirtualClock } from "@keelson/testkit";
import { describe, expect, it, onTestFinished } from "vitest";
import { selfSigned } from "../../test/support/certificates.ts";
import { accessTo } from "../../test/support/tls-server.ts";
import { httpTransport } from "./http-transport.ts";

const stream: TransportRequest = { method: "GET", path: "/pods", headers: {}, isStream: true };

/** The frames of HTTP/2 (RFC 9113, section 6) that are needed here. */
const frameTypes = { data: 0, headers: 1, reset: 3, settings: 4, ping: 6, goAway: 7 } as const;
const preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
const flagAck = 1;
const flagEndStream = 1;
const flagEndHeaders = 4;
/** `:status: 200` in the static table of HPACK. */
const statusOk = Buffer.from([0x88]);

interface FrameContent {
  readonly flags?: number;
  readonly streamId?: number;
  readonly payload?: Buffer;
}

function frame(type: number, { flags = 0, streamId = 0, payload = Buffer.alloc(0) }: FrameContent): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(streamId, 5);
  return Buffer.concat([head, payload]);
}

/** A server that responds to each request with the begin of a body, and continues it when the test says so. */
class ScriptedServer {
  /** Whether pings are acknowledged, each with a piece of the body behind it. */
  respondsToPings = true;
  pings = 0;
  #socket: TLSSocket | undefined;
  #received: Buffer = Buffer.alloc(0);

  static async start(): Promise<{ readonly server: ScriptedServer; readonly url: string }> {
    const scripted = new ScriptedServer();
    const server = createServer({ ...(await selfSigned("localhost")), ALPNProtocols: ["h2"] });
    server.on("secureConnection", (socket) => scripted.#serve(socket));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => {
      scripted.#socket?.destroy();
      server.close();
    });
    return { server: scripted, url: `https://127.0.0.1:${(server.address() as AddressInfo).port}` };
  }

  get isOpen(): boolean {
    return this.#socket !== undefined && !this.#socket.destroyed;
  }

  send(text: string): void {
    this.write(frame(frameTypes.data, { streamId: 1, payload: Buffer.from(text) }));
  }

  write(bytes: Buffer): void {
    this.#socket?.write(bytes);
  }

  #serve(socket: TLSSocket): void {
    this.#socket = socket;
    this.#received = Buffer.alloc(0);
    socket.on("error", () => undefined).write(frame(frameTypes.settings, {}));
    socket.on("data", (bytes) => {
      this.#received = Buffer.concat([this.#received, bytes]);
      this.#readFrames(socket);
    });
  }

  #readFrames(socket: TLSSocket): void {
    if (this.#received.toString("latin1", 0, 3) === "PRI")
      this.#received = this.#received.subarray(preface.length);
    while (this.#received.length >= 9) {
      const end = 9 + this.#received.readUIntBE(0, 3);
      if (this.#received.length < end) return;
      this.#take(socket, this.#received.readUInt8(3), this.#received.subarray(9, end));
      this.#received = this.#received.subarray(end);
    }
  }

  #take(socket: TLSSocket, type: number, payload: Buffer): void {
    if (type === frameTypes.headers) {
      socket.write(frame(frameTypes.headers, { flags: flagEndHeaders, streamId: 1, payload: statusOk }));
      this.send("begun");
    } else if (type === frameTypes.ping) {
      this.pings += 1;
      if (!this.respondsToPings) return;
      socket.write(frame(frameTypes.ping, { flags: flagAck, payload }));
      this.send("alive");
    }
  }
}

interface OpenStream {
  readonly server: ScriptedServer;
  readonly clock: VirtualClock;
  readonly transport: Transport;
  /** The next piece of the body; undefined at its end. */
  next(): Promise<string | undefined>;
  leave(): Promise<void>;
}

async function openStream(request: Partial<TransportRequest> = {}): Promise<OpenStream> {
  const { server, url } = await ScriptedServer.start();
  const clock = new VirtualClock();
  const transport = httpTransport(accessTo(url), { clock });
  onTestFinished(() => transport.close());
  const { body } = await transport.send({ ...stream, ...request });
  const pieces = body[Symbol.asyncIterator]();
  const next = async (): Promise<string | undefined> => {
    const { value } = await pieces.next();
    return value === undefined ? undefined : Buffer.from(value).toString();
  };
  expect(await next()).toBe("begun");
  return { server, clock, transport, next, leave: async () => void (await pieces.return?.()) };
}

describe("[CL9] a stream on a connection whose other end is lost", () => {
  it("fails 45 s after the last byte, and not before", async () => {
    const { server, clock, next } = await openStream();
    server.respondsToPings = false;
    const piece = next();
    let hasFailed = false;
    piece.catch(() => {
      hasFailed = true;
    });
    await clock.advance(30_000);
    await expect.poll(() => server.pings).toBe(1);
    await clock.advance(14_999);
    expect(hasFailed).toBe(false);
    await clock.advance(1);
    await expect(piece).rejects.toMatchObject({
      code: "ETIMEDOUT",
      message: "the connection is dead: no response to a ping within 15 s",
    });
    expect(clock.pendingTimers).toEqual([]);
    await expect.poll(() => server.isOpen).toBe(false);
  });

  it("is pinged only after 30 s in which nothing came", async () => {
    const { server, clock, next } = await openStream();
    server.respondsToPings = false;
    await clock.advance(20_000);
    server.send("more");
    expect(await next()).toBe("more");
    await clock.advance(29_999);
    const piece = expect(next()).rejects.toMatchObject({ code: "ETIMEDOUT" });
    await clock.advance(15_000);
    await expect.poll(() => server.pings).toBe(1);
    expect(server.isOpen).toBe(true);
    await clock.advance(1);
    await piece;
  });
});

describe("a stream over HTTP/2", () => {
  const internalError = Buffer.from([0, 0, 0, 2]);
  it.each([
    { what: "resets it", bytes: frame(frameTypes.reset, { streamId: 1, payload: internalError }) },
    {
      what: "cancels it",
      bytes: frame(frameTypes.reset, { streamId: 1, payload: Buffer.from([0, 0, 0, 8]) }),
    },
    { what: "sends what is not HTTP/2", bytes: Buffer.alloc(64, 0xff) },
    { what: "ends the connection for an error", bytes: goAway(internalError) },
  ])("fails after what has come, and not by an end, if the server $what", async ({ bytes }) => {
    const { server, clock, next } = await openStream();
    server.send("last");
    expect(await next()).toBe("last");
    server.write(bytes);
    await expect(next()).rejects.toMatchObject({ code: expect.any(String) });
    await expect.poll(() => server.isOpen).toBe(false);
    expect(clock.pendingTimers).toEqual([]);
  });

  it("goes on if the server accepts no further streams on its connection", async () => {
    const { server, next } = await openStream();
    server.write(goAway(Buffer.alloc(4)));
    server.send("more");
    expect(await next()).toBe("more");
    server.write(frame(frameTypes.data, { streamId: 1, flags: flagEndStream, payload: Buffer.from("end") }));
    expect([await next(), await next()]).toEqual(["end", undefined]);
  });
});

/** The last stream that the server has accepted is the first one. */
function goAway(errorCode: Buffer): Buffer {
  return frame(frameTypes.goAway, { payload: Buffer.concat([Buffer.from([0, 0, 0, 1]), errorCode]) });
}

describe("[CL9] a silent stream on a connection that works", () => {
  it("goes on, with a ping every now and then", async () => {
    const { server, clock, next } = await openStream();
    for (let pings = 1; pings <= 5; pings += 1) {
      await clock.advance(15_000);
      await expect.poll(() => clock.pendingTimers).toHaveLength(1);
      await clock.advance(15_000);
      // It follows the acknowledgement, which has arrived then.
      expect(await next()).toBe("alive");
      expect(server.pings).toBe(pings);
    }
    expect(server.isOpen).toBe(true);
  });

  it("leaves no timer behind when it is left, and when it is aborted", async () => {
    const left = await openStream();
    await left.leave();
    await expect.poll(() => left.clock.pendingTimers).toEqual([]);

    const controller = new AbortController();
    const aborted = await openStream({ signal: controller.signal });
    controller.abort(new Error("enough"));
    await expect(aborted.next()).rejects.toThrow("enough");
    await expect.poll(() => aborted.clock.pendingTimers).toEqual([]);
  });
});
