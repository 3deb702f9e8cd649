import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from "node:http2";
import type { Socket } from "node:net";
import { type TransportResponse, toError } from "@keelson/core";
import { batchedBody } from "./batched-body.ts";
import { flatHeaders, type Sending } from "./sending.ts";

/** How much of a body waits for its reader before the server is made to wait. */
const windowBytes = 1 << 20;

/** Sends one request over HTTP/2, on a connection that serves nothing else and ends with it. */
export function exchangeHttp2(sending: Sending, socket: Socket): Promise<TransportResponse> {
  const session = connect(`https://${sending.headers.host}`, {
    createConnection: () => socket,
    settings: { enablePush: false, initialWindowSize: windowBytes },
  });
  // What ends the session ends its one stream, which says so.
  session.on("error", () => undefined);
  session.setLocalWindowSize(windowBytes);
  try {
    sending.checkBeforeSend?.();
    return responseOf(begin(session, sending), sending.signal);
  } catch (error) {
    session.destroy();
    throw error;
  }
}

function begin(
  session: ClientHttp2Session,
  { method, path, headers: { host, ...headers }, body }: Sending,
): ClientHttp2Stream {
  const stream = session.request(
    { ":method": method, ":path": path, ...headers },
    { endStream: body === undefined },
  );
  if (body !== undefined) stream.end(body);
  return stream.once("close", () => session.destroy());
}

function responseOf(stream: ClientHttp2Stream, signal: AbortSignal): Promise<TransportResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<TransportResponse>();
  const abort = (): void => void stream.destroy(toError(signal.reason));
  signal.addEventListener("abort", abort, { once: true });
  stream
    .once("response", ({ ":status": status = 0, ...headers }) => {
      resolve({ status, headers: flatHeaders(headers), body: wholeBody(stream) });
    })
    .on("error", reject)
    .once("close", () => {
      signal.removeEventListener("abort", abort);
      reject(connectionReset());
    });
  return promise;
}

/** To Node, a stream that the server or the network has cancelled is just over. */
async function* wholeBody(stream: ClientHttp2Stream): AsyncIterable<Uint8Array> {
  yield* batchedBody(stream);
  if (stream.rstCode !== constants.NGHTTP2_NO_ERROR) throw connectionReset();
}

function connectionReset(): Error {
  const error = new Error("the connection was closed before the end of the answer");
  return Object.assign(error, { code: "ECONNRESET" });
}
