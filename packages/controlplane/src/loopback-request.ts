import { request as httpRequest, type IncomingMessage, type RequestOptions } from "node:http";
import { request as httpsRequest } from "node:https";
import { text } from "node:stream/consumers";

export interface LoopbackRequest {
  readonly url: string;
  readonly method?: "GET" | "POST" | "PATCH";
  readonly body?: { readonly contentType: string; readonly json: unknown };
  /** In PEM; needed for https. */
  readonly tls?: { readonly ca: string; readonly cert?: string; readonly key?: string };
  readonly timeoutMs?: number;
}

export interface LoopbackAnswer {
  readonly status: number;
  readonly body: string;
}

/**
 * One request over a connection of its own, so that nothing is left open when a component is killed. For the
 * readiness of components and the few objects this package makes; it is not a Kubernetes client.
 */
export async function loopbackRequest(request: LoopbackRequest): Promise<LoopbackAnswer> {
  const { url, method = "GET", body, tls, timeoutMs = 5_000 } = request;
  const options: RequestOptions = {
    method,
    agent: false,
    signal: AbortSignal.timeout(timeoutMs),
    headers: body === undefined ? {} : { "content-type": body.contentType },
  };
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const outgoing = url.startsWith("https:")
    ? httpsRequest(url, { ...options, ...tls }, resolve)
    : httpRequest(url, options, resolve);
  outgoing.once("error", reject);
  outgoing.end(body === undefined ? undefined : JSON.stringify(body.json));
  const response = await promise;
  return { status: response.statusCode ?? 0, body: await text(response) };
}
