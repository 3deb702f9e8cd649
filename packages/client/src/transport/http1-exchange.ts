import { type IncomingMessage, type RequestOptions, request, validateHeaderName } from "node:http";
import type { Socket } from "node:net";
import { type TransportRequest, type TransportResponse, toError } from "@keelson/core";
import { ArrivedBytes } from "./arrived-bytes.ts";
import type { OnRead } from "./connection-pool.ts";
import { type BodyFraming, bodyFraming, MalformedHttpError, parseResponseHead } from "./http1-response.ts";

/**
 * Sends a request over HTTP/1.1, on a connection that the options choose. Rejects with the signal's reason as soon as
 * that aborts; `onOver` is called when the exchange, body included, does not use its connection any more.
 */
export function exchangeHttp1(
  { method, path, headers, body, checkBeforeSend, signal }: OutgoingRequest,
  connection: Pick<RequestOptions, "agent" | "createConnection">,
  onOver: () => void = () => undefined,
): Promise<TransportResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<TransportResponse>();
  // Said for all methods: without it a DELETE would be sent with a body whose end is not announced.
  const length = body !== undefined && { "content-length": String(Buffer.byteLength(body)) };
  const sent = request({ ...connection, method, path, headers: { ...headers, ...length } });
  let response: IncomingMessage | undefined;
  const abort = (): void => {
    // A request without a connection says only when it gets one that it was ended.
    reject(signal.reason);
    (response ?? sent).destroy(toError(signal.reason));
  };
  signal.addEventListener("abort", abort, { once: true });
  sent
    .once("socket", () => {
      // The connection is there: what is ended now leaves now.
      try {
        if (signal.aborted) return;
        checkBeforeSend?.();
        sent.end(body);
      } catch (error) {
        reject(error);
        sent.destroy();
      }
    })
    .once("response", (message) => {
      response = message;
      resolve({ status: message.statusCode ?? 0, headers: flatHeaders(message.headers), body: message });
    })
    .on("error", reject)
    .once("close", () => {
      signal.removeEventListener("abort", abort);
      onOver();
    });
  return promise;
}

/** A request as it is sent: with the headers for credentials and host. */
export interface OutgoingRequest extends Pick<TransportRequest, "method" | "body" | "checkBeforeSend"> {
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly signal: AbortSignal;
}

/** The headers of a response with one text for each, as a list where there were several. */
export function flatHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string> {
  const flat: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) flat[name] = Array.isArray(value) ? value.join(", ") : value;
  }
  return flat;
}

/**
 * Sends one request over HTTP/1.1 whose response is a long stream, on a connection that serves nothing else and ends with
 * it. A watch has tens of thousands of small pieces. They are read off the connection here, because to pass each through
 * Node's HTTP costs nearly as much as all that is done with it later (`npm run bench -- sync`).
 */
export async function exchangeStream(
  sending: OutgoingRequest,
  open: (onRead: OnRead) => Promise<Socket>,
): Promise<TransportResponse> {
  const request = requestHead(sending);
  const response = new StreamedResponse();
  const socket = await open((bytes) => response.read(bytes));
  const abort = (): void => void socket.destroy(toError(sending.signal.reason));
  sending.signal.addEventListener("abort", abort, { once: true });
  socket
    .on("error", (error) => response.fail(error))
    .once("close", () => {
      sending.signal.removeEventListener("abort", abort);
      response.connectionEnded();
    });
  try {
    sending.signal.throwIfAborted();
    sending.checkBeforeSend?.();
    socket.write(request, "latin1");
    if (sending.body !== undefined) socket.write(sending.body);
    return { ...(await response.head), body: bodyOf(response, socket) };
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

/** In a flood, how long records are left to gather, and how much of them shows that more are waiting already. */
const restMs = 2;
const plentyBytes = 48 * 1024;

async function* bodyOf({ body, gauge }: StreamedResponse, socket: Socket): AsyncIterable<Uint8Array> {
  let rest: NodeJS.Timeout | undefined;
  const goOn = (): void => void socket.resume();
  try {
    for (let piece = await body.next(); piece !== undefined; piece = await body.next()) {
      clearTimeout(rest);
      gauge.count(piece.length, performance.now());
      if (gauge.isBurst && piece.length < plentyBytes) rest = setTimeout(goOn, restMs);
      else goOn();
      yield piece;
    }
  } finally {
    clearTimeout(rest);
    socket.destroy();
  }
}

/** What Node would refuse to send is refused here, too. */
const unsendable = /[^\x21-\xff]/;

/** Throws a TypeError for a path that would be taken for something else. */
export function checkPath(path: string): void {
  if (unsendable.test(path)) throw new TypeError(`the path ${JSON.stringify(path)} cannot be sent`);
}

function requestHead({ method, path, headers, body }: OutgoingRequest): string {
  checkPath(path);
  const length = body !== undefined && { "content-length": String(Buffer.byteLength(body)) };
  const all = Object.entries({ ...headers, ...length, connection: "close" });
  const lines = all.flatMap(([name, values]) => {
    validateHeaderName(name);
    return [values].flat().map((value) => `${name}: ${value}\r\n`);
  });
  return `${method} ${path} HTTP/1.1\r\n${lines.join("")}\r\n`;
}

const endOfHead = "\r\n\r\n";
const longestHead = 1 << 18;

/** The response to a request, as it is read from its connection. */
export class StreamedResponse {
  readonly body: ArrivedBytes = new ArrivedBytes();
  readonly gauge: BurstDetector = new BurstDetector(performance.now());
  readonly #head = Promise.withResolvers<Omit<TransportResponse, "body">>();
  /** What has come of the head, while it is not complete. */
  #beginning = Buffer.alloc(0);
  #framing: BodyFraming | undefined;

  constructor() {
    // The code that opens the connection gets its errors first.
    this.#head.promise.catch(() => undefined);
  }

  get head(): Promise<Omit<TransportResponse, "body">> {
    return this.#head.promise;
  }

  /** Takes what has arrived; false if no more is to be read for now. */
  read(bytes: Buffer): boolean {
    // What follows the end, or malformed bytes, has no use.
    if (this.body.hasEnded) return false;
    try {
      if (this.#framing === undefined) this.#readHead(bytes);
      else this.#readBody(this.#framing, bytes);
    } catch (error) {
      this.fail(toError(error));
    }
    // A server that sends each event on its own wakes the process for each. In a burst a short pause, which is not noticed, lets
    // the connection gather a few dozen for one reading.
    return !this.body.isFull && (!this.gauge.isBurst || this.body.isEmpty);
  }

  /** The first failure counts, and none after the end. */
  fail(error: Error): void {
    this.#head.reject(error);
    this.body.end(error);
  }

  connectionEnded(): void {
    if (this.#framing?.endsWithConnection === true) this.body.end();
    else this.fail(connectionReset());
  }

  #readHead(bytes: Buffer): void {
    const all = Buffer.concat([this.#beginning, bytes]);
    const end = all.indexOf(endOfHead);
    if (end === -1) {
      if (all.length > longestHead) throw new MalformedHttpError("its head has no end");
      this.#beginning = all;
      return;
    }
    const head = parseResponseHead(all.toString("latin1", 0, end));
    const rest = all.subarray(end + endOfHead.length);
    this.#beginning = Buffer.alloc(0);
    // An interim response, such as 103; another protocol was not requested.
    if (head.status < 200) {
      if (rest.length > 0) this.#readHead(rest);
      return;
    }
    this.#framing = bodyFraming(head);
    this.#head.resolve(head);
    this.#readBody(this.#framing, rest);
  }

  #readBody(framing: BodyFraming, bytes: Buffer): void {
    framing.read(bytes, (part) => this.body.add(part));
    if (framing.isOver) this.body.end();
  }
}

/** The error of a response that is not complete. */
export function connectionReset(): Error {
  const error = new Error("the connection was closed before the end of the response");
  return Object.assign(error, { code: "ECONNRESET" });
}

/** How long bytes are counted before they are judged. */
const windowMs = 20;
/** A thousand objects a second, and more. */
const burstBytesPerMs = 2_000;

/** Detects from the bytes of the last moments whether a stream arrives in a burst, as all objects of a kind do at first. */
export class BurstDetector {
  isBurst = false;
  #sinceMs: number;
  #bytes = 0;

  constructor(nowMs: number) {
    this.#sinceMs = nowMs;
  }

  count(bytes: number, nowMs: number): void {
    this.#bytes += bytes;
    const elapsedMs = nowMs - this.#sinceMs;
    if (elapsedMs < windowMs) return;
    this.isBurst = this.#bytes >= elapsedMs * burstBytesPerMs;
    this.#sinceMs = nowMs;
    this.#bytes = 0;
  }
}
