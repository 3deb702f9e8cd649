import { join } from "node:path";
import { type Clock, errorCode, toError } from "@keelson/core";
import type { ClusterAccess } from "./cluster-access.ts";
import {
  bearer,
  certificateIntervalMs,
  type OnWarning,
  Rotating,
  steadyWarning,
  tokenIntervalMs,
} from "./credentials.ts";
import { InClusterError, NotInClusterError } from "./errors.ts";
import { type ReadFile, readTextFile } from "./files.ts";
import type { Environment } from "./load-kubeconfig.ts";
import { checkAuthority } from "./pem.ts";
import { tlsSettingsFrom } from "./tls-settings.ts";

export interface InClusterOptions {
  /** Where Kubernetes has put the address of the API server. */
  readonly env: Environment;
  readonly clock: Clock;
  /** Holds `token`, `ca.crt` and `namespace`. Default: where Kubernetes mounts them. */
  readonly serviceAccountFolder?: string;
  /** Default: reads from disk. */
  readonly readFile?: ReadFile;
  /** Is called when a file can no longer be read and its last content stays in use. Default: ignored. */
  readonly onWarning?: OnWarning;
  readonly signal?: AbortSignal;
}

const wellKnownFolder = "/var/run/secrets/kubernetes.io/serviceaccount";

/**
 * The access of a pod by its ServiceAccount. The token is read again every minute and the authority every few seconds,
 * so both may be rotated. NotInClusterError if this is no pod, or one without a ServiceAccount's files; InClusterError if
 * the files are there and wrong.
 */
export async function inClusterAccess(options: InClusterOptions): Promise<ClusterAccess> {
  const { clock, readFile = readTextFile, signal } = options;
  const onWarning = steadyWarning(options.onWarning);
  const server = serverFrom(options.env);
  const folder = options.serviceAccountFolder ?? wellKnownFolder;

  const readPart = async (name: string, partSignal: AbortSignal | undefined): Promise<string> => {
    const file = join(folder, name);
    const text = await readFile(file, partSignal).catch((error: unknown) => {
      partSignal?.throwIfAborted();
      const problem = `${file} cannot be read (${toError(error).message})`;
      // A program outside of a pod may have the variables, but not the files.
      if (errorCode(error) === "ENOENT") throw new NotInClusterError(problem, { cause: error });
      throw new InClusterError(problem, { cause: error });
    });
    if (text.trim() === "") throw new InClusterError(`${file} is empty`);
    return text.trim();
  };
  const token = new Rotating({
    load: (loadSignal) => readPart("token", loadSignal),
    clock,
    intervalMs: tokenIntervalMs,
    onWarning,
  });
  const authority = new Rotating({
    load: async (loadSignal) => authorityIn(join(folder, "ca.crt"), await readPart("ca.crt", loadSignal)),
    clock,
    intervalMs: certificateIntervalMs,
    onWarning,
  });
  // What is missing is to be known now, not at the first request.
  await token.get(signal);
  await authority.get(signal);

  return {
    server,
    // Only a default for callers that name no namespace, so a pod without it works as well.
    namespace: await readPart("namespace", signal).catch(() => {
      signal?.throwIfAborted();
      return "default";
    }),
    tls: tlsSettingsFrom({
      authority: (tlsSignal) => authority.get(tlsSignal),
      certificate: async () => undefined,
      insecure: false,
    }),
    headers: async (headersSignal) => ({
      authorization: bearer(await token.get(headersSignal)),
    }),
    refused: () => token.expire(),
  };
}

function authorityIn(file: string, pem: string): string {
  try {
    return checkAuthority(file, pem);
  } catch (error) {
    throw new InClusterError(toError(error).message, { cause: error });
  }
}

function serverFrom({
  KUBERNETES_SERVICE_HOST: host = "",
  KUBERNETES_SERVICE_PORT: port = "",
}: Environment): string {
  if (host === "" || port === "") {
    throw new NotInClusterError("KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set");
  }
  return `https://${host.includes(":") ? `[${host}]` : host}:${port}`;
}
