import type { ClientHttp2Session, ClientHttp2Stream } from "node:http2";
import type { Socket } from "node:net";
import { type CancelTimer, type Clock, type TransportResponse, toError } from "@keelson/core";
import { ArrivedChunks } from "./arrived-bytes.ts";
import { checkPath, connectionReset, flatHeaders, type OutgoingRequest } from "./http1-exchange.ts";

/** When a connection counts as dead: nothing came for `idleMs`, and then no response to a ping for `timeoutMs`. */
export interface PingOptions {
  readonly idleMs: number;
  readonly timeoutMs: number;
}

/** Those of Go's clients: a dead connection is noticed within 45 s. */
export const defaultPings: PingOptions = { idleMs: 30_000, timeoutMs: 15_000 };

/**
 * More is not sent before it is read. What has arrived waits in buffers outside of the heap: with the 4 MB of Go's clients they
 * outlive the young generation, and then tens of megabytes of them wait for the next full collection while a kind is synced.
 */
const windowBytes = 1 << 19;

/**
 * Sends one request over HTTP/2 whose response is a long stream, on a connection that serves nothing else and ends with
 * it. A connection on which nothing comes is pinged, because a watch can be silent for minutes, and a connection whose
 * other end was lost is silent, too. The body of a dead connection fails.
 */
export async function exchangeHttp2(
  sending: OutgoingRequest,
  socket: Socket,
  { clock, pings }: { readonly clock: Clock; readonly pings: PingOptions },
): Promise<TransportResponse> {
  try {
    checkPath(sending.path);
    // Loaded when it is needed: not every server speaks it.
    const { connect } = await import("node:http2");
    sending.signal.throwIfAborted();
    sending.checkBeforeSend?.();
    const session = connect(`https://${sending.headers.host}`, {
      createConnection: () => socket,
      settings: { enablePush: false, initialWindowSize: windowBytes },
    });
    // What ends the session ends its one stream, which reports it.
    session.on("error", () => undefined);
    session.setLocalWindowSize(windowBytes);
    const pinger = new Pinger(session, clock, pings);
    return await responseOf(begin(session, sending), { pinger, signal: sending.signal });
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

function begin(
  session: ClientHttp2Session,
  { method, path, headers: { host: _, ...headers }, body }: OutgoingRequest,
): ClientHttp2Stream {
  const length = body !== undefined && { "content-length": String(Buffer.byteLength(body)) };
  const stream = session.request(
    { ":method": method, ":path": path, ...headers, ...length },
    { endStream: body === undefined },
  );
  if (body !== undefined) stream.end(body);
  return stream.once("close", () => session.destroy());
}

function responseOf(
  stream: ClientHttp2Stream,
  { pinger, signal }: { readonly pinger: Pinger; readonly signal: AbortSignal },
): Promise<TransportResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<TransportResponse>();
  const body = new ArrivedChunks();
  const fail = (error: Error): void => {
    reject(error);
    body.end(error);
  };
  const abort = (): void => void stream.destroy(toError(signal.reason));
  signal.addEventListener("abort", abort, { once: true });
  stream
    .once("response", ({ ":status": status = 0, ...headers }) => {
      pinger.received();
      resolve({ status, headers: flatHeaders(headers), body: bodyOf(body, stream) });
    })
    .on("data", (bytes: Buffer) => {
      pinger.received();
      body.add(bytes);
      if (body.isFull) stream.pause();
    })
    .on("error", fail)
    .once("close", () => {
      pinger.stop();
      signal.removeEventListener("abort", abort);
      // A stream that the server or the network has cancelled has no error of its own.
      if (stream.readableEnded && stream.rstCode === 0) body.end();
      fail(connectionReset());
    });
  return promise;
}

async function* bodyOf(body: ArrivedChunks, stream: ClientHttp2Stream): AsyncIterable<Uint8Array> {
  try {
    for (let piece = await body.next(); piece !== undefined; piece = await body.next()) {
      stream.resume();
      yield piece;
    }
  } finally {
    stream.destroy();
  }
}

/** Ends a session that does not respond to a ping. */
class Pinger {
  readonly #session: ClientHttp2Session;
  readonly #clock: Clock;
  readonly #pings: PingOptions;
  #receivedMs: number;
  #cancel: CancelTimer = () => undefined;
  #isStopped = false;

  constructor(session: ClientHttp2Session, clock: Clock, pings: PingOptions) {
    this.#session = session;
    this.#clock = clock;
    this.#pings = pings;
    this.#receivedMs = clock.monotonicNow();
    this.#checkLater();
  }

  /** Something has come. */
  received(): void {
    this.#receivedMs = this.#clock.monotonicNow();
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel();
  }

  /** One timer, however much comes: when it fires, it checks how long ago the last of it was. */
  #checkLater(): void {
    if (this.#isStopped) return;
    this.#cancel = this.#clock.schedule(this.#idleLeftMs(), () => {
      if (this.#idleLeftMs() > 0) this.#checkLater();
      else this.#ping();
    });
  }

  #idleLeftMs(): number {
    return this.#receivedMs + this.#pings.idleMs - this.#clock.monotonicNow();
  }

  #ping(): void {
    const { timeoutMs } = this.#pings;
    const sentMs = this.#clock.monotonicNow();
    // An error means that the session has ended, and then there is nothing left to end.
    this.#session.ping((error) => {
      if (error === null) this.received();
    });
    const judge = (): void => {
      if (this.#receivedMs < sentMs) this.#session.destroy(unanswered(timeoutMs));
      else this.#checkLater();
    };
    // What came while the event loop was blocked is read first: timers fire before sockets are read.
    this.#cancel = this.#clock.schedule(timeoutMs, () => setImmediate(() => setImmediate(judge)));
  }
}

function unanswered(timeoutMs: number): Error {
  const error = new Error(`the connection is dead: no response to a ping within ${timeoutMs / 1000} s`);
  return Object.assign(error, { code: "ETIMEDOUT" });
}
