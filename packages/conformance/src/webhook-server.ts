import { createServer, type Server } from "node:https";
import { text } from "node:stream/consumers";
import { CertificateAuthority } from "@keelson/controlplane";
import { isRecord } from "@keelson/core";
import { parsed } from "./stage.ts";

/** A request that an API server sent to a webhook. */
export interface WebhookCall {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly review: Readonly<Record<string, unknown>>;
}

/** What a webhook server returns; the body is sent as JSON. */
export interface WebhookReply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** A webhook server in this process, on a port of its own. */
export interface WebhookServer extends AsyncDisposable {
  /** Such as `https://127.0.0.1:41234`. */
  readonly url: string;
  /** The serving certificate itself, as envtest puts it into webhook configurations; PEM in base64. */
  readonly caBundle: string;
  /** The authority that signed the serving certificate; PEM in base64. */
  readonly authorityBundle: string;
  /** What was sent to it, in order. */
  readonly calls: readonly WebhookCall[];
}

/**
 * Starts a webhook server whose certificate is for the addresses. A reply that throws ends the connection.
 */
export async function startWebhookServer(
  reply: (call: WebhookCall) => WebhookReply,
  addresses: readonly string[] = ["127.0.0.1"],
): Promise<WebhookServer> {
  const authority = await CertificateAuthority.create("webhooks");
  const { certificate, key } = await authority.issueServing({ names: ["localhost"], addresses });
  const calls: WebhookCall[] = [];
  const server = createServer({ cert: certificate, key }, async (request, response) => {
    const review = parsed(await text(request));
    const call: WebhookCall = {
      method: request.method ?? "",
      path: request.url ?? "",
      review: isRecord(review) ? review : {},
    };
    calls.push(call);
    try {
      const { status, headers = {}, body } = reply(call);
      response.writeHead(status, { "content-type": "application/json", ...headers });
      response.end(body === undefined ? "" : JSON.stringify(body));
    } catch {
      request.socket.destroy();
    }
  });
  const { promise: listening, resolve } = Promise.withResolvers<void>();
  server.listen(0, "127.0.0.1", resolve);
  await listening;
  return {
    url: `https://127.0.0.1:${portOf(server)}`,
    caBundle: Buffer.from(certificate).toString("base64"),
    authorityBundle: Buffer.from(authority.pair.certificate).toString("base64"),
    calls,
    async [Symbol.asyncDispose]() {
      const { promise: closed, resolve: close } = Promise.withResolvers<void>();
      server.close(() => close());
      server.closeAllConnections();
      await closed;
    },
  };
}

function portOf(server: Server): number {
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("the webhook server does not listen");
  return address.port;
}

/** The review that admits a request, with more fields of the response. */
export function admitted({ review }: WebhookCall, response: object = {}): WebhookReply {
  const { apiVersion, kind, request } = review;
  const uid = isRecord(request) ? request.uid : "";
  return { status: 200, body: { apiVersion, kind, response: { uid, allowed: true, ...response } } };
}

/** The review that gives the objects of a conversion request after `convert`. */
export function converted(
  { review }: WebhookCall,
  convert: (object: Readonly<Record<string, unknown>>, apiVersion: string) => unknown,
): WebhookReply {
  const { apiVersion, kind, request } = review;
  const { uid, desiredAPIVersion, objects } = isRecord(request) ? request : {};
  const given = Array.isArray(objects) ? objects.filter(isRecord) : [];
  const convertedObjects = given.map((object) => convert(object, String(desiredAPIVersion)));
  const response = { uid, result: { status: "Success" }, convertedObjects };
  return { status: 200, body: { apiVersion, kind, response } };
}
