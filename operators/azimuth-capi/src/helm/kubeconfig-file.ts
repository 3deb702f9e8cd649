import type { ClusterAccess, HeaderLines, Kubeconfig, KubeconfigUser, TlsSettings } from "keelson/client";
import { HelmAccessError } from "./errors.ts";

/** How a cluster is reached at this moment: certificates are rotated, and tokens expire. */
export interface CurrentAccess extends Pick<ClusterAccess, "server" | "proxyUrl"> {
  readonly tls: TlsSettings;
  readonly headers: HeaderLines;
}

/** Throws what the access throws. */
export async function currentAccess(access: ClusterAccess, signal: AbortSignal): Promise<CurrentAccess> {
  const { server, proxyUrl } = access;
  const [tls, headers] = await Promise.all([access.tls(signal), access.headers(signal)]);
  return { server, tls, headers, ...(proxyUrl !== undefined && { proxyUrl }) };
}

/** A kubeconfig for the cluster, in which everything is inline. It holds secrets. Throws a HelmAccessError. */
export function kubeconfigFor(
  { server, proxyUrl, tls, headers }: CurrentAccess,
  { insecureSkipTlsVerify }: { readonly insecureSkipTlsVerify: boolean },
): Kubeconfig {
  const name = "cluster";
  const { ca, cert, key, serverName } = tls;
  const isInsecure = tls.insecure || insecureSkipTlsVerify;
  return {
    apiVersion: "v1",
    kind: "Config",
    "current-context": name,
    contexts: [{ name, context: { cluster: name, user: name } }],
    clusters: [
      {
        name,
        cluster: {
          server,
          // Helm refuses an authority for what it is not to verify.
          ...(isInsecure
            ? { "insecure-skip-tls-verify": true }
            : ca !== undefined && { "certificate-authority-data": base64(ca) }),
          ...(serverName !== undefined && { "tls-server-name": serverName }),
          ...(proxyUrl !== undefined && { "proxy-url": proxyUrl }),
        },
      },
    ],
    users: [
      {
        name,
        user: {
          ...(cert !== undefined && { "client-certificate-data": base64(cert) }),
          ...(key !== undefined && { "client-key-data": base64(key) }),
          ...userOf(headers),
        },
      },
    ],
  };
}

const extraPrefix = "impersonate-extra-";

/** What a kubeconfig says instead of the headers that authenticate a request. */
function userOf(headers: HeaderLines): KubeconfigUser {
  const extra: Record<string, readonly string[]> = {};
  let user: KubeconfigUser = {};
  for (const [name, value] of Object.entries(headers)) {
    const lines = [value].flat();
    const [first = ""] = lines;
    if (name === "authorization") user = { ...user, ...credentialsOf(first) };
    else if (name === "impersonate-user") user = { ...user, as: first };
    else if (name === "impersonate-uid") user = { ...user, "as-uid": first };
    else if (name === "impersonate-group") user = { ...user, "as-groups": lines };
    else if (name.startsWith(extraPrefix)) extra[decodeURIComponent(name.slice(extraPrefix.length))] = lines;
    else throw new HelmAccessError(`write a kubeconfig for helm: it has no field for the header ${name}`);
  }
  return Object.keys(extra).length === 0 ? user : { ...user, "as-user-extra": extra };
}

function credentialsOf(authorization: string): KubeconfigUser {
  const [, scheme = "", credentials = ""] = /^(\S+) +(\S+)$/.exec(authorization) ?? [];
  if (scheme.toLowerCase() === "bearer") return { token: credentials };
  const [, username, password] =
    /^([^:]*):([\s\S]*)$/.exec(Buffer.from(credentials, "base64").toString("utf8")) ?? [];
  if (scheme.toLowerCase() === "basic" && username !== undefined && password !== undefined)
    return { username, password };
  throw new HelmAccessError(
    "write a kubeconfig for helm: the credentials are neither a token nor a password",
  );
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}
