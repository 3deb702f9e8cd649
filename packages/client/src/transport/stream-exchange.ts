import { validateHeaderName } from "node:http";
import type { Socket } from "node:net";
import { type TransportResponse, toError } from "@keelson/core";
import type { OutgoingRequest } from "./http1-exchange.ts";
import type { OnRead } from "./open-connection.ts";
import { StreamedResponse } from "./streamed-response.ts";

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

function requestHead({ method, path, headers, body }: OutgoingRequest): string {
  if (unsendable.test(path)) throw new TypeError(`the path ${JSON.stringify(path)} cannot be sent`);
  const length = body !== undefined && { "content-length": String(Buffer.byteLength(body)) };
  const all = Object.entries({ ...headers, ...length, connection: "close" });
  const lines = all.flatMap(([name, values]) => {
    validateHeaderName(name);
    return [values].flat().map((value) => `${name}: ${value}\r\n`);
  });
  return `${method} ${path} HTTP/1.1\r\n${lines.join("")}\r\n`;
}
