import { type ClientRequest, type IncomingMessage, type RequestOptions, request } from "node:http";
import { type OutgoingPost, PostError, type PostResponse } from "@keelson/core";

/** As many as Go's HTTP client follows. */
const mostRedirects = 10;

/**
 * Sends one POST over HTTPS on a connection of its own, as API servers call webhooks: a server is trusted by its own
 * certificate or by that of an authority, and redirects are followed, with 307 and 308 by a POST with the same body,
 * with 301, 302 and 303 by a GET. Rejects with PostError if there is no response.
 */
export async function sendPost(post: OutgoingPost): Promise<PostResponse> {
  // Loaded when it is needed, as the modules below are: operators call no webhooks.
  const { text } = await import("node:stream/consumers");
  let url = new URL(post.url);
  let called = post.url;
  let method: Method = "POST";
  for (let redirects = 0; ; redirects++) {
    const response = await send(url, method, post).catch((error: unknown) => {
      throw new PostError(called, error);
    });
    const { statusCode: status = 0, headers } = response;
    const next = redirectMethods.get(status);
    const { location = "" } = headers;
    if (next === undefined || location === "") {
      const body = await text(response).catch((error: unknown) => {
        throw new PostError(called, error);
      });
      return { status, contentType: headers["content-type"] ?? "", body };
    }
    response.destroy();
    if (redirects === mostRedirects - 1) {
      throw new PostError(location, new Error(`stopped after ${mostRedirects} redirects`));
    }
    method = method === "GET" ? "GET" : next;
    url = redirected(url, location);
    called = url.href;
  }
}

type Method = "GET" | "POST";

const redirectMethods: ReadonlyMap<number, Method> = new Map([
  [301, "GET"],
  [302, "GET"],
  [303, "GET"],
  [307, "POST"],
  [308, "POST"],
]);

function redirected(url: URL, location: string): URL {
  const next = URL.parse(location, url.href);
  if (next === null) {
    throw new PostError(url.href, new Error(`failed to parse Location header ${JSON.stringify(location)}`));
  }
  return next;
}

/** Resolves when the head of the response has arrived. */
async function send(url: URL, method: Method, post: OutgoingPost): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const options: RequestOptions = {
    ...addressOf(url, post),
    path: `${url.pathname}${url.search}`,
    method,
    agent: false,
    signal: post.signal,
    headers: { host: url.host, ...(method === "POST" && bodyHeaders(post.body)) },
  };
  const sent = await openRequest(url, options, post);
  sent.on("response", resolve).on("error", reject);
  if (method === "POST") sent.end(post.body);
  else sent.end();
  return promise;
}

async function openRequest(
  { protocol }: URL,
  options: RequestOptions,
  { serverName, certificateAuthority }: OutgoingPost,
): Promise<ClientRequest> {
  if (protocol === "http:") return request(options);
  if (protocol !== "https:") throw new Error(`unsupported protocol scheme "${protocol.slice(0, -1)}"`);
  const { request: secureRequest } = await import("node:https");
  return secureRequest({
    ...options,
    ...(serverName !== undefined && { servername: serverName }),
    ...(certificateAuthority !== undefined && { ca: certificateAuthority, allowPartialTrustChain: true }),
  });
}

/** The address of the post is that of the host that it names; a redirect may lead to another one. */
function addressOf(url: URL, post: OutgoingPost): Pick<RequestOptions, "host" | "port"> {
  const isFirstHost = post.address !== undefined && url.origin === new URL(post.url).origin;
  const { protocol, hostname, port } = isFirstHost ? new URL(`${url.protocol}//${post.address}`) : url;
  return {
    // Without the brackets of an IPv6 address.
    host: hostname.replace(/^\[(.*)\]$/, "$1"),
    port: port === "" ? defaultPorts[protocol] : port,
  };
}

const defaultPorts: Readonly<Record<string, number>> = { "http:": 80, "https:": 443 };

function bodyHeaders(body: string): Readonly<Record<string, string | number>> {
  return { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
}
