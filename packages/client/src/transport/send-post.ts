import { type ClientRequest, type IncomingMessage, type RequestOptions, request } from "node:http";
import { type OutgoingPost, PostError, type PostResponse } from "@keelson/core";
import { checkAddress, checkedLookup } from "./checked-lookup.ts";
import { makeRoute, openConnection } from "./connection-pool.ts";

/** As many as Go's HTTP client follows. */
const mostRedirects = 10;

/**
 * Sends one POST over HTTPS on a connection of its own, as API servers call webhooks: a server is trusted by its own
 * certificate or by that of an authority, and redirects are followed, with 307 and 308 by a POST with the same body,
 * with 301, 302 and 303 by a GET. Rejects with PostError if there is no response; its cause is an AddressRefusedError if
 * the post accepts no address of the host.
 */
export async function sendPost(post: OutgoingPost): Promise<PostResponse> {
  const { followRedirects = true } = post;
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
    if (next === undefined || location === "" || !followRedirects) {
      const body = await bodyOf(response, post.mostResponseBytes).catch((error: unknown) => {
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

/** The text of the body, or of as many bytes as are read of it; then the connection ends. */
async function bodyOf(response: IncomingMessage, mostBytes = Number.POSITIVE_INFINITY): Promise<string> {
  const chunks: Buffer[] = [];
  let room = mostBytes;
  if (room > 0) {
    for await (const chunk of response) {
      const bytes: Buffer = chunk;
      chunks.push(bytes.subarray(0, room));
      room -= bytes.length;
      if (room <= 0) break;
    }
  }
  response.destroy();
  return Buffer.concat(chunks).toString();
}

/** Resolves when the head of the response has arrived. */
async function send(url: URL, method: Method, post: OutgoingPost): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const options: RequestOptions = {
    ...addressOf(url, post),
    path: `${url.pathname}${url.search}`,
    method,
    signal: post.signal,
    headers: { host: url.host, ...(method === "POST" && bodyHeaders(post)), ...agentHeader(post) },
  };
  if (post.acceptAddress !== undefined) checkAddress(options.host ?? "", post.acceptAddress);
  const sent = await openRequest(url, options, post);
  sent.on("response", resolve).on("error", reject);
  if (method === "POST") sent.end(post.body);
  else sent.end();
  return promise;
}

async function openRequest(url: URL, options: RequestOptions, post: OutgoingPost): Promise<ClientRequest> {
  const { protocol } = url;
  const { serverName, certificateAuthority, acceptAddress, proxyUrl } = post;
  if (protocol !== "http:" && protocol !== "https:")
    throw new Error(`unsupported protocol scheme "${protocol.slice(0, -1)}"`);
  if (proxyUrl !== undefined) return requestThroughProxy(url, proxyUrl, options, post);
  const direct: RequestOptions = {
    ...options,
    agent: false,
    ...(acceptAddress !== undefined && { lookup: checkedLookup(acceptAddress) }),
  };
  if (protocol === "http:") return request(direct);
  // Loaded when it is needed, as the modules below are: few operators call webhooks.
  const { request: secureRequest } = await import("node:https");
  return secureRequest({
    ...direct,
    ...(serverName !== undefined && { servername: serverName }),
    ...(certificateAuthority !== undefined && { ca: certificateAuthority, allowPartialTrustChain: true }),
  });
}

/** On a connection that the proxy forwards, over which TLS is spoken with the server. */
async function requestThroughProxy(
  url: URL,
  proxyUrl: string,
  options: RequestOptions,
  { serverName, certificateAuthority, signal }: OutgoingPost,
): Promise<ClientRequest> {
  const route = makeRoute(url, proxyUrl, {
    insecure: false,
    ...(serverName !== undefined && { serverName }),
    ...(certificateAuthority !== undefined && { ca: certificateAuthority }),
  });
  const socket = await openConnection(route, signal);
  const sent = request({ ...options, createConnection: () => socket });
  // It is of this request alone, also when the server would keep it.
  return sent.on("close", () => socket.destroy());
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

function bodyHeaders({
  body,
  contentType = "application/json",
}: OutgoingPost): Readonly<Record<string, string | number>> {
  return { "content-type": contentType, "content-length": Buffer.byteLength(body) };
}

function agentHeader({ userAgent }: OutgoingPost): Readonly<Record<string, string>> {
  return userAgent === undefined ? {} : { "user-agent": userAgent };
}
