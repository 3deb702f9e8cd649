import { type Kubeconfig, type Listen, parseIpAddress, type ServingCertificate } from "@keelson/core";
import type { Sandbox } from "./sandbox.ts";

/** A certificate authority for servers and users. */
export interface Authority {
  /** Its own certificate and key. */
  readonly pair: ServingCertificate;
  issueServing(hosts: {
    readonly names: readonly string[];
    readonly addresses: readonly string[];
  }): Promise<ServingCertificate>;
  issueClient(identity: {
    readonly user: string;
    readonly groups?: readonly string[];
  }): Promise<ServingCertificate>;
}

export interface ServeOptions {
  /** Opens the port: `listenHttp` of @keelson/client. */
  readonly listen: Listen;
  /** The authority whose certificate is the `certificates` option of the sandbox. */
  readonly authority: Authority;
  /** An IP address or a host name. Default: 127.0.0.1. */
  readonly host?: string;
  /** Default: any free port. */
  readonly port?: number;
}

export interface ServedSandbox {
  readonly url: string;
  readonly port: number;
  /** A kubeconfig with a client certificate for a user. Default: the administrator. */
  kubeconfig(user?: string, groups?: readonly string[]): Promise<Kubeconfig>;
  /** Accepts no more connections, and waits at most this long for open requests. The sandbox goes on. */
  close(graceMs: number): Promise<void>;
}

const names = ["localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc"];

/** Serves a sandbox over HTTPS. */
export async function serveSandbox(
  { service }: Sandbox,
  { listen, authority, host = "127.0.0.1", port = 0 }: ServeOptions,
): Promise<ServedSandbox> {
  const address = parseIpAddress(host);
  const serving = await authority.issueServing(
    address !== undefined
      ? { names, addresses: [host] }
      : { names: [...new Set([...names, host])], addresses: [] },
  );
  const listener = await listen(
    {
      ...{ host, port, http2: true },
      certificate: () => serving,
      clientAuthorities: authority.pair.certificate,
    },
    service,
  );
  const url = `https://${address?.family === "IPv6" ? `[${host}]` : host}:${listener.port}`;
  return {
    url,
    port: listener.port,
    async kubeconfig(user = "kubernetes-admin", groups = ["system:masters"]) {
      const credentials = await authority.issueClient({ user, groups });
      return kubeconfigOf(url, authority.pair.certificate, user, credentials);
    },
    close: (graceMs) => listener.close(graceMs),
  };
}

function kubeconfigOf(
  server: string,
  authority: string,
  user: string,
  { certificate, key }: ServingCertificate,
): Kubeconfig {
  const name = "keelson-sandbox";
  return {
    apiVersion: "v1",
    kind: "Config",
    "current-context": name,
    clusters: [{ name, cluster: { server, "certificate-authority-data": base64(authority) } }],
    users: [
      {
        name: user,
        user: { "client-certificate-data": base64(certificate), "client-key-data": base64(key) },
      },
    ],
    contexts: [{ name, context: { cluster: name, user } }],
  };
}

function base64(pem: string): string {
  return Buffer.from(pem).toString("base64");
}
