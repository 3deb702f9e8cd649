import { createServer, type Server, type ServerOptions } from "node:http";
import type { Http2SecureServer } from "node:http2";
import type { ServerOptions as HttpsOptions, Server as SecureServer } from "node:https";
import type { ListenOptions, ServingCertificate } from "@keelson/core";

/** What a server allows its clients. */
export type HttpLimits = Readonly<
  Pick<
    ServerOptions,
    "maxHeaderSize" | "keepAliveTimeout" | "headersTimeout" | "connectionsCheckingInterval" | "requestTimeout"
  >
>;

/** [MG11] */
export const httpLimits: HttpLimits = {
  maxHeaderSize: 1024 * 1024,
  keepAliveTimeout: 90_000,
  headersTimeout: 32_000,
  connectionsCheckingInterval: 4_000,
  // How long a body may take is for the service to say.
  requestTimeout: 0,
};

/** The limits of a connection of HTTP/2: as many streams as Go's server allows, and memory for large lists on them. */
const http2Limits = {
  settings: { maxConcurrentStreams: 250, maxHeaderListSize: 1024 * 1024 },
  maxSessionMemory: 256,
} as const;

export type NodeServer = Server | SecureServer | Http2SecureServer;

/** Node's own server for these options. It does not listen yet. */
export async function nodeServer(limits: HttpLimits, options: ListenOptions): Promise<NodeServer> {
  const { certificate } = options;
  return certificate === undefined ? createServer(limits) : secureServer(limits, certificate, options);
}

/**
 * Takes the certificate anew for each connection, before its handshake begins; connections that are open are not
 * touched. SNICallback would not do: a client that connects to an address sends no name, and so never calls it.
 */
async function secureServer(
  limits: HttpLimits,
  certificate: () => ServingCertificate,
  { clientAuthorities, http2 = false }: ListenOptions,
): Promise<SecureServer | Http2SecureServer> {
  let current = certificate();
  const options = {
    ...limits,
    ...secureContext(current, clientAuthorities),
    handshakeTimeout: 32_000,
    // A client without a valid certificate may still be accepted by the service.
    ...(clientAuthorities !== undefined && { requestCert: true, rejectUnauthorized: false }),
  };
  const server = await (http2 ? bothVersions(options) : http1Only(options));
  server.prependListener("connection", () => {
    try {
      const latest = certificate();
      if (latest.certificate === current.certificate && latest.key === current.key) return;
      server.setSecureContext(secureContext(latest, clientAuthorities));
      current = latest;
    } catch {
      // One that cannot be used is worse than the old one, which may still be good; its source reports that.
    }
  });
  return server;
}

async function http1Only(options: HttpsOptions): Promise<SecureServer> {
  const { createServer: createSecureServer } = await import("node:https");
  return createSecureServer(options);
}

async function bothVersions(options: HttpsOptions): Promise<Http2SecureServer> {
  const { createSecureServer } = await import("node:http2");
  // Node's other servers set it themselves: without it a response waits 40 ms for the client's acknowledgement.
  return createSecureServer({ ...options, ...http2Limits, allowHTTP1: true, noDelay: true });
}

function secureContext(
  { certificate, key }: ServingCertificate,
  clientAuthorities: string | undefined,
): { readonly cert: string; readonly key: string; readonly ca?: string } {
  return { cert: certificate, key, ...(clientAuthorities !== undefined && { ca: clientAuthorities }) };
}
