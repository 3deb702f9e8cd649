import { type IncomingMessage, type RequestOptions, request } from "node:http";
import { type TransportRequest, type TransportResponse, toError } from "@keelson/core";

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
function flatHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string> {
  const flat: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) flat[name] = Array.isArray(value) ? value.join(", ") : value;
  }
  return flat;
}
