import { systemClock } from "keelson";
import { accessFromKubeconfig, type ClusterAccess, type Kubeconfig } from "keelson/client";
import { describe, expect, it } from "vitest";
import { HelmAccessError } from "./errors.ts";
import { currentAccess, kubeconfigFor } from "./kubeconfig-file.ts";

const verified = { insecureSkipTlsVerify: false };
const never = new AbortController().signal;

async function written(access: Partial<ClusterAccess>, options = verified): Promise<Kubeconfig> {
  const whole: ClusterAccess = {
    server: "https://api:6443",
    namespace: "default",
    tls: async () => ({ insecure: false, ca: "CA", cert: "CERT", key: "KEY" }),
    headers: async () => ({}),
    refused: () => undefined,
    ...access,
  };
  return kubeconfigFor(await currentAccess(whole, never), options);
}

const base64 = (text: string): string => Buffer.from(text).toString("base64");

describe("the kubeconfig for Helm", () => {
  it("has the certificates inline", async () => {
    const { clusters, users } = await written({});
    expect(clusters[0]?.cluster).toEqual({
      server: "https://api:6443",
      "certificate-authority-data": base64("CA"),
    });
    expect(users[0]?.user).toEqual({
      "client-certificate-data": base64("CERT"),
      "client-key-data": base64("KEY"),
    });
  });

  it("has the token, the proxy and the name of the server", async () => {
    const { clusters, users } = await written({
      proxyUrl: "http://proxy:3128",
      tls: async () => ({ insecure: false, serverName: "kubernetes" }),
      headers: async () => ({ authorization: "Bearer abc.def" }),
    });
    expect(clusters[0]?.cluster).toEqual({
      server: "https://api:6443",
      "tls-server-name": "kubernetes",
      "proxy-url": "http://proxy:3128",
    });
    expect(users[0]?.user).toEqual({ token: "abc.def" });
  });

  it("names no authority if nothing is verified", async () => {
    const { clusters } = await written({}, { insecureSkipTlsVerify: true });
    expect(clusters[0]?.cluster).toEqual({ server: "https://api:6443", "insecure-skip-tls-verify": true });
  });

  it("is one that gives the same access again", async () => {
    const headers = {
      authorization: `Basic ${base64("user:pass:word")}`,
      "impersonate-user": "someone",
      "impersonate-uid": "42",
      "impersonate-group": ["a", "b"],
      "impersonate-extra-example.com%2fscope": ["x"],
    };
    const kubeconfig = await written({
      headers: async () => headers,
      tls: async () => ({ insecure: false }),
    });
    const access = accessFromKubeconfig(kubeconfig, { clock: systemClock, env: {} });
    expect(await access.headers()).toEqual(headers);
  });

  it("refuses what a kubeconfig cannot say, without quoting it", async () => {
    await expect(written({ headers: async () => ({ "x-other": "hunter2" }) })).rejects.toThrow(
      new HelmAccessError("write a kubeconfig for helm: it has no field for the header x-other"),
    );
    await expect(written({ headers: async () => ({ authorization: "Digest hunter2" }) })).rejects.toThrow(
      /neither a token nor a password$/,
    );
  });
});
