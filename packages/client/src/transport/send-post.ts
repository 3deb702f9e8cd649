import type { OutgoingPost, PostResponse } from "@keelson/core";

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
    (response) => {
      text(response).then((read) => resolve({ status: response.statusCode ?? 0, body: read }), reject);
    },
  );
  sent.on("error", reject).end(body);
  return promise;
}
