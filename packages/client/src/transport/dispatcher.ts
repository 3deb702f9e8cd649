import { Agent, type Dispatcher, ProxyAgent } from "undici";
import type { TlsSettings } from "../config/cluster-access.ts";

const connectTimeoutMs = 10_000;
/**
 * How long an idle connection is kept. The API server keeps it for 90 s and does not say so; undici would give up after
 * four, and an operator that asks every few seconds would shake hands each time.
 */
const keepAliveTimeout = 60_000;

/** Makes a pool of connections with these settings; without a number it opens as many as are asked for at once. */
export type MakeDispatcher = (
  settings: TlsSettings,
  proxyUrl: string | undefined,
  connections: number | undefined,
) => Dispatcher;

export const makeDispatcher: MakeDispatcher = (settings, proxyUrl, connections) => {
  const { ca, cert, key, serverName, insecure } = settings;
  const tls = {
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
    ...(serverName !== undefined && { servername: serverName }),
    rejectUnauthorized: !insecure,
    timeout: connectTimeoutMs,
  };
  const options = { keepAliveTimeout, allowH2: false, ...(connections !== undefined && { connections }) };
  if (proxyUrl === undefined) return new Agent({ ...options, connect: tls });
  return new ProxyAgent({ ...options, uri: proxyUrl, requestTls: tls });
};
