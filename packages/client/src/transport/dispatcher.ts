import { Agent, type Dispatcher, ProxyAgent } from "undici";
import type { TlsSettings } from "../config/cluster-access.ts";

const connectTimeoutMs = 10_000;

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
  const limit = connections === undefined ? {} : { connections };
  if (proxyUrl === undefined) return new Agent({ ...limit, connect: tls, allowH2: false });
  return new ProxyAgent({ ...limit, uri: proxyUrl, requestTls: tls, allowH2: false });
};
