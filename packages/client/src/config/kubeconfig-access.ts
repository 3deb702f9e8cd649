import type { Clock, Kubeconfig } from "@keelson/core";
import { runCommand as runRealCommand } from "../transport/run-command.ts";
import type { ClusterAccess } from "./cluster-access.ts";
import { findContext, type ResolvedContext } from "./context.ts";
import { ContextScope } from "./context-scope.ts";
import {
  anonymous,
  type Credentials,
  type OnWarning,
  pluginCredentials,
  steadyWarning,
} from "./credentials.ts";
import type { RunCommand, Terminal } from "./exec/command.ts";
import { makeExecCluster } from "./exec/exec-info.ts";
import { ExecPlugin } from "./exec/exec-plugin.ts";
import { readExecSettings } from "./exec/exec-settings.ts";
import { type ReadFile, readTextFile } from "./files.ts";
import { impersonationHeaders } from "./impersonation.ts";
import type { Environment } from "./load-kubeconfig.ts";
import { parseProxy, parseServer } from "./server-url.ts";
import { authorityOf, type Get, tlsSettingsFrom } from "./tls-settings.ts";
import { credentialsOfUser } from "./user-credentials.ts";

export interface KubeconfigAccessOptions {
  readonly clock: Clock;
  /** What exec plugins find in their environment. */
  readonly env: Environment;
  /** Default: the kubeconfig's current context. */
  readonly contextName?: string;
  /** Where the kubeconfig came from, for errors. */
  readonly file?: string;
  /** Is called with what is unsafe or stale and does not keep the program from working. Default: ignored. */
  readonly onWarning?: OnWarning;
  /** Lets exec plugins talk to a person. Default: there is none. */
  readonly terminal?: Terminal;
  /** How long an exec plugin may take. Default 3 min, so that a person can log in with a browser. */
  readonly execTimeoutMs?: number;
  /** Default: reads from disk. */
  readonly readFile?: ReadFile;
  /** Default: starts a process. */
  readonly runCommand?: RunCommand;
}

const defaultExecTimeoutMs = 180_000;

/**
 * The access that a context of a kubeconfig describes. KubeconfigError at once if it contradicts itself or lacks
 * something; files are read and plugins run when they are needed, and again when what they gave may have changed.
 */
export function accessFromKubeconfig(
  kubeconfig: Kubeconfig,
  options: KubeconfigAccessOptions,
): ClusterAccess {
  const { clock, file, readFile = readTextFile } = options;
  const onWarning = steadyWarning(options.onWarning);
  const context = findContext(kubeconfig, options);
  const scope = new ContextScope(context, { clock, file, readFile, onWarning });
  const { cluster, user } = context;

  const authority = authorityOf(scope);
  const credentials = credentialsOfUser(scope, () => makePlugin(scope, authority, options));
  const insecure = cluster["insecure-skip-tls-verify"] === true;
  const server = scope.explain(() => parseServer(cluster.server, speaksOfTls(context)));
  const proxy = cluster["proxy-url"];
  const serverName = cluster["tls-server-name"];
  const impersonation = impersonationHeaders(user);
  if (insecure) scope.warn(`the certificate of ${server} is not verified (insecure-skip-tls-verify)`);
  const isEncrypted = server.startsWith("https:");
  if (!isEncrypted && credentials !== anonymous)
    scope.warn(`${server} is not encrypted, so no credentials are sent to it`);

  return {
    server,
    namespace: context.namespace,
    ...(proxy !== undefined && { proxyUrl: scope.explain(() => parseProxy(proxy)) }),
    tls: tlsSettingsFrom({
      authority,
      certificate: isEncrypted ? credentials.certificate : async () => undefined,
      ...(serverName !== undefined && { serverName }),
      insecure,
    }),
    headers: async (signal) => {
      signal?.throwIfAborted();
      const authorization = isEncrypted ? await credentials.authorization(signal) : undefined;
      return { ...impersonation, ...(authorization !== undefined && { authorization }) };
    },
    refused: credentials.refused,
  };
}

function speaksOfTls({ cluster, user }: ResolvedContext): boolean {
  const authority = cluster["certificate-authority"] ?? cluster["certificate-authority-data"];
  const certificate = user["client-certificate"] ?? user["client-certificate-data"];
  return (authority ?? certificate) !== undefined || cluster["insecure-skip-tls-verify"] === true;
}

function makePlugin(
  scope: ContextScope,
  authority: Get<string | undefined>,
  { clock, env, terminal, execTimeoutMs, runCommand }: KubeconfigAccessOptions,
): Credentials {
  const { user, userName, cluster } = scope.context;
  const plugin = new ExecPlugin({
    userName,
    settings: scope.explain(() => readExecSettings(user.exec ?? { command: "" })),
    cluster: async (signal) => makeExecCluster(cluster, await authority(signal)),
    env,
    clock,
    runCommand: runCommand ?? runRealCommand,
    timeoutMs: execTimeoutMs ?? defaultExecTimeoutMs,
    ...(terminal !== undefined && { terminal }),
    onWarning: scope.onWarning,
  });
  return pluginCredentials(plugin);
}
