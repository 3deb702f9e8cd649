import { homedir } from "node:os";
import { type Clock, systemClock } from "@keelson/core";
import type { Client } from "../client.ts";
import type { ClusterAccess } from "../config/cluster-access.ts";
import { defaultAccess } from "../config/default-access.ts";
import { createClient } from "../create-client.ts";
import { httpTransport } from "./http-transport.ts";

export interface ConnectOptions {
  /** A kubeconfig to use before all else. */
  readonly kubeconfigPath?: string;
  /** Default: the kubeconfig's current context. */
  readonly contextName?: string;
  /** Default: the environment of this process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Is called with what a person should know: that a certificate is not verified, or a warning of the server. */
  readonly onWarning?: (message: string) => void;
  readonly userAgent?: string;
  readonly timeoutMs?: number;
  readonly clock?: Clock;
  readonly signal?: AbortSignal;
}

/** A client and the connections behind it. */
export interface Connection extends AsyncDisposable {
  readonly client: Client;
  readonly access: ClusterAccess;
  /** Ends the connections; calls under way fail. */
  close(): Promise<void>;
}

/**
 * Connects to the cluster that a Go controller would connect to: the given kubeconfig, else that of KUBECONFIG, else the
 * cluster this pod runs in, else `~/.kube/config`. Nothing is sent yet.
 */
export async function connect(options: ConnectOptions = {}): Promise<Connection> {
  const { clock = systemClock, env = process.env, userAgent, timeoutMs, ...source } = options;
  const { onWarning } = options;
  const access = await defaultAccess({ ...source, env, home: env.HOME ?? homedir(), clock });
  const transport = httpTransport(access, { clock });
  const client = createClient({
    transport,
    clock,
    ...(onWarning !== undefined && {
      onWarning: (text: string, operation: string) =>
        onWarning(`${operation}: the API server warns: ${text}`),
    }),
    ...(userAgent !== undefined && { userAgent }),
    ...(timeoutMs !== undefined && { timeoutMs }),
  });
  const close = (): Promise<void> => transport.close();
  return { client, access, close, [Symbol.asyncDispose]: close };
}
