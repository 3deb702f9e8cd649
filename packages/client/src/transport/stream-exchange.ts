import { validateHeaderName } from "node:http";
import type { Socket } from "node:net";
import { type TransportResponse, toError } from "@keelson/core";
import { ArrivedBytes } from "./arrived-bytes.ts";
import { type BodyFraming, bodyFraming } from "./body-framing.ts";
import { FloodGauge } from "./flood-gauge.ts";
import { MalformedAnswerError } from "./malformed-answer-error.ts";
import type { OnRead } from "./open-connection.ts";
import { parseResponseHead } from "./response-head.ts";
import type { Sending } from "./sending.ts";

/**
 * Sends one request over HTTP/1.1 whose answer is a long stream, on a connection that serves nothing else and ends with
 * it. A watch has tens of thousands of small pieces. They are read off the connection here, because to pass each through
 * Node's HTTP costs nearly as much as all that is done with it later (`npm run bench -- sync`).
 */
export async function exchangeStream(
  sending: Sending,
  open: (onRead: OnRead) => Promise<Socket>,
): Promise<TransportResponse> {
  const request = requestHead(sending);
  const answer = new StreamAnswer();
  const socket = await open((bytes) => answer.read(bytes));
  const abort = (): void => void socket.destroy(toError(sending.signal.reason));
  sending.signal.addEventListener("abort", abort, { once: true });
  socket
    .on("error", (error) => answer.fail(error))
    .once("close", () => {
      sending.signal.removeEventListener("abort", abort);
      answer.connectionEnded();
    });
  try {
    sending.signal.throwIfAborted();
    sending.checkBeforeSend?.();
    socket.write(request, "latin1");
    if (sending.body !== undefined) socket.write(sending.body);
    return { ...(await answer.head), body: bodyOf(answer, socket) };
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

/** In a flood, how long records are left to gather, and how much of them shows that more are waiting already. */
const restMs = 2;
const plentyBytes = 48 * 1024;

async function* bodyOf({ body, gauge }: StreamAnswer, socket: Socket): AsyncIterable<Uint8Array> {
  let rest: NodeJS.Timeout | undefined;
  const goOn = (): void => void socket.resume();
  try {
    for (let piece = await body.next(); piece !== undefined; piece = await body.next()) {
      clearTimeout(rest);
      gauge.count(piece.length, performance.now());
      if (gauge.isFlood && piece.length < plentyBytes) rest = setTimeout(goOn, restMs);
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

function requestHead({ method, path, headers, body }: Sending): string {
  if (unsendable.test(path)) throw new TypeError(`the path ${JSON.stringify(path)} cannot be sent`);
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

class StreamAnswer {
  readonly body = new ArrivedBytes();
  readonly gauge = new FloodGauge(performance.now());
  readonly #head = Promise.withResolvers<Omit<TransportResponse, "body">>();
  /** What has come of the head, while it is not complete. */
  #beginning = Buffer.alloc(0);
  #framing: BodyFraming | undefined;

  constructor() {
    // Whoever opens the connection hears first of what went wrong there.
    this.#head.promise.catch(() => undefined);
  }

  get head(): Promise<Omit<TransportResponse, "body">> {
    return this.#head.promise;
  }

  read(bytes: Buffer): boolean {
    try {
      if (this.#framing === undefined) this.#readHead(bytes);
      else this.#readBody(this.#framing, bytes);
    } catch (error) {
      this.fail(toError(error));
    }
    // A server that sends each event on its own wakes us for each. In a flood a short rest, which nobody notices, lets
    // the connection gather a few dozen for one reading.
    return !this.body.isFull && (!this.gauge.isFlood || this.body.isEmpty);
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
      if (all.length > longestHead) throw new MalformedAnswerError("its head has no end");
      this.#beginning = all;
      return;
    }
    const head = parseResponseHead(all.toString("latin1", 0, end));
    const rest = all.subarray(end + endOfHead.length);
    this.#beginning = Buffer.alloc(0);
    // An answer before the answer, such as 103; nobody asked for another protocol.
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

function connectionReset(): Error {
  const error = new Error("the connection was closed before the end of the answer");
  return Object.assign(error, { code: "ECONNRESET" });
}
