import { homedir } from "node:os";
import { type Client, type Logger, systemClock } from "keelson";
import {
  type ClusterAccess,
  ConnectionError,
  createClient,
  defaultAccess,
  httpTransport,
  RequestTimeoutError,
} from "keelson/client";
import { isRecord, toError } from "keelson/low-level";
import type { Metrics } from "keelson/telemetry";
import { ServerUnreachableError } from "./errors.ts";

export interface ClusterOptions {
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly userAgent: string;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly signal: AbortSignal;
}

export interface Cluster extends AsyncDisposable {
  readonly client: Client;
  readonly access: ClusterAccess;
  /** Of Kubernetes, such as `v1.36.2`. */
  readonly version: string;
}

const probeTimeoutMs = 10_000;

/**
 * Connects as `connect` does, with requests that are measured, and finds out whether the server responds: a
 * ServerUnreachableError if not, instead of watches that try for ever.
 */
export async function connectCluster(options: ClusterOptions): Promise<Cluster> {
  const { kubeconfig, context, env, userAgent, log, metrics, signal } = options;
  const access = await defaultAccess({
    ...{ env, clock: systemClock, signal, home: env.HOME ?? homedir() },
    onWarning: (message) => log.warn(message),
    ...(kubeconfig !== undefined && { kubeconfigPath: kubeconfig }),
    ...(context !== undefined && { contextName: context }),
  });
  const transport = httpTransport(access);
  const client = createClient({
    transport: metrics.measureTransport(transport, new URL(access.server).host),
    userAgent,
    onWarning: (text, operation) => log.warn(`${operation}: the API server warns: ${text}`),
  });
  try {
    const response = await client.raw("/version", { signal, timeoutMs: probeTimeoutMs });
    const version = isRecord(response) ? String(response.gitVersion) : "of unknown version";
    return { client, access, version, [Symbol.asyncDispose]: () => transport.close() };
  } catch (error) {
    await transport.close();
    const isAbsent = error instanceof ConnectionError || error instanceof RequestTimeoutError;
    throw isAbsent ? new ServerUnreachableError(access.server, { cause: toError(error) }) : error;
  }
}
