import { type Kubeconfig, type Listen, parseIpAddress, type ServingCertificate } from "@keelson/core";
import type { Sandbox } from "./sandbox.ts";

/** Signs certificates: of servers, and of users. */
export interface Authority {
  /** Its own. */
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
  /** The one whose certificate the control plane was given as `certificates`. */
  readonly authority: Authority;
  /** An address, or a name of one. Default: 127.0.0.1. */
  readonly host?: string;
  /** Default: any free one. */
  readonly port?: number;
}

export interface ServedSandbox {
  readonly url: string;
  readonly port: number;
  /** A way to reach it as somebody, by a client certificate. Default: the administrator. */
  kubeconfig(user?: string, groups?: readonly string[]): Promise<Kubeconfig>;
  /** Takes no more connections, and lets requests under way end for at most so long. Ends nothing else. */
  close(graceMs: number): Promise<void>;
}

const names = ["localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc"];

/** Serves a control plane over HTTPS, as any cluster is served. */
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
    { host, port, certificate: () => serving, clientAuthorities: authority.pair.certificate },
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
