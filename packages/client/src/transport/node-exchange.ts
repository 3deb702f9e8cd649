import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Http2ServerRequest, Http2ServerResponse } from "node:http2";
import type { Writable } from "node:stream";
import { abortable, type ServiceRequest, type ServiceResponse } from "@keelson/core";
import { shownBy } from "./client-certificate.ts";

/** A request of either version of HTTP. */
export type NodeRequest = IncomingMessage | Http2ServerRequest;
/** The response to it. */
export type NodeResponse = ServerResponse | Http2ServerResponse;

/** The code of a stream that is not read to its end (RFC 9113, section 7). */
const noError = 0;

export function isHttp2(request: NodeRequest): request is Http2ServerRequest {
  return request.httpVersionMajor === 2;
}

/** A request as a service takes it. */
export function serviceRequest(request: NodeRequest, signal: AbortSignal): ServiceRequest {
  return {
    method: request.method ?? "GET",
    path: request.url ?? "/",
    headers: flatten(request.headers),
    headerLines: (name) => linesOf(request, name),
    // Leaving the loop early must not close the connection before the response is sent.
    body: request.iterator({ destroyOnReturn: false }),
    signal,
    ...shownBy(request.socket),
  };
}

/** HTTP/2 has the host and the parts of the first line as headers whose names begin with a colon. */
function flatten(headers: NodeRequest["headers"]): Record<string, string> {
  const flat: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    const ownName = name === ":authority" ? "host" : name;
    if (value === undefined || ownName.startsWith(":")) continue;
    flat[ownName] = typeof value === "object" ? value.join(", ") : value;
  }
  return flat;
}

/** Undefined if the header did not come. */
function linesOf({ rawHeaders }: NodeRequest, name: string): readonly string[] | undefined {
  const lines = rawHeaders.filter((_, place) => {
    return place % 2 === 1 && rawHeaders[place - 1]?.toLowerCase() === name;
  });
  return lines.length === 0 ? undefined : lines;
}

/** The stream of the response's body. */
export function bodyOf(response: NodeResponse): Writable {
  return "stream" in response ? response.stream : response;
}

/** Sends a whole response. Rejects if the client has disconnected, or if the body breaks off. */
export async function sendResponse(
  served: ServiceResponse,
  response: NodeResponse,
  signal: AbortSignal,
): Promise<void> {
  const { status, body } = served;
  const headers = mutableHeaders(served.headers ?? {});
  const stream = bodyOf(response);
  if ("stream" in response) response.stream.respond({ ":status": status, ...headers });
  else response.writeHead(status, headers);
  if (body === undefined || typeof body === "string" || body instanceof Uint8Array) {
    stream.end(body);
    return;
  }
  if (!("stream" in response)) response.flushHeaders();
  const chunks = body[Symbol.asyncIterator]();
  try {
    for (;;) {
      const { done, value } = await abortable(chunks.next(), signal);
      if (done === true) break;
      if (!stream.write(value)) await once(stream, "drain", { signal });
    }
    stream.end();
  } finally {
    // Not awaited: a generator that hangs would keep the connection. It learns of the end from the request's signal.
    chunks.return?.().catch(() => undefined);
  }
}

/** Node's types take lists that may be changed only. */
function mutableHeaders(headers: NonNullable<ServiceResponse["headers"]>): Record<string, string | string[]> {
  const own: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(headers))
    own[name] = typeof value === "string" ? value : [...value];
  return own;
}

/** Makes a stream of HTTP/2 end when its response has ended or the client has cancelled it, whatever of it was not read. */
export function endWithResponse(request: Http2ServerRequest, onCancelled: () => void): void {
  const { stream } = request;
  stream.once("aborted", () => {
    onCancelled();
    request.resume();
  });
  stream.once("finish", () => {
    if (request.complete) request.resume();
    else stream.close(noError);
  });
}

/** Breaks off a response, so that half of it does not look like a whole one. */
export function breakResponse(response: NodeResponse): void {
  // An error resets a stream of HTTP/2; to close it would end the body first.
  if ("stream" in response) response.stream.destroy(new Error("the response breaks off"));
  else response.destroy();
}
