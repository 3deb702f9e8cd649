/** A JSON body for a server that is not an API server. */
export interface OutgoingPost {
  readonly url: string;
  /** The name that the server's certificate must bear. Default: the host of the URL. */
  readonly serverName?: string;
  /** In PEM: what the server's certificate must go back to. Default: the machine's. */
  readonly certificateAuthority?: string;
  readonly body: string;
  readonly signal: AbortSignal;
}

export interface PostResponse {
  readonly status: number;
  readonly body: string;
}

/** Sends one POST over HTTPS on a connection of its own, as API servers call webhooks. */
export async function sendPost(post: OutgoingPost): Promise<PostResponse> {
  const { url, serverName, certificateAuthority, body, signal } = post;
  // Loaded when they are needed: operators call no webhooks.
  const { request } = await import("node:https");
  const { text } = await import("node:stream/consumers");
  const { promise, resolve, reject } = Promise.withResolvers<PostResponse>();
  const sent = request(
    url,
    {
      method: "POST",
      agent: false,
      signal,
      headers: { "content-type": "application/json", "content-length": Buffer.byteLength(body) },
      ...(serverName !== undefined && { servername: serverName }),
      ...(certificateAuthority !== undefined && { ca: certificateAuthority }),
    },
    (answer) => {
      text(answer).then((read) => resolve({ status: answer.statusCode ?? 0, body: read }), reject);
    },
  );
  sent.on("error", reject).end(body);
  return promise;
}
