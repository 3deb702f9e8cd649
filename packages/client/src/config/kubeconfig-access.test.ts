import { chmod, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Kubeconfig, KubeconfigCluster, KubeconfigUser } from "@keelson/core";
import { VirtualClock } from "@keelson/testkit";
import { describe, expect, it } from "vitest";
import { base64, selfSigned } from "../../test/support/certificates.ts";
import { tempFolder } from "../../test/support/temp-folder.ts";
import { ExecCredentialError, KubeconfigError } from "./errors.ts";
import { accessFromKubeconfig, type KubeconfigAccessOptions } from "./kubeconfig-access.ts";

interface Setting {
  readonly cluster?: Partial<KubeconfigCluster>;
  readonly user?: KubeconfigUser;
  readonly options?: Partial<KubeconfigAccessOptions>;
}

function setUp({ cluster, user = {}, options }: Setting) {
  const clock = new VirtualClock();
  const warnings: string[] = [];
  const kubeconfig: Kubeconfig = {
    apiVersion: "v1",
    kind: "Config",
    "current-context": "dev",
    clusters: [{ name: "k", cluster: { server: "https://k:6443", ...cluster } }],
    users: [{ name: "ann", user }],
    contexts: [{ name: "dev", context: { cluster: "k", user: "ann", namespace: "shop" } }],
  };
  const access = accessFromKubeconfig(kubeconfig, {
    clock,
    env: { PATH: process.env.PATH },
    file: "f",
    onWarning: (message) => warnings.push(message),
    ...options,
  });
  return { access, clock, warnings };
}

describe("the access of a context", () => {
  it("has the server, the namespace and the TLS settings of its cluster", async () => {
    const { cert } = await selfSigned("ca");
    const { access, warnings } = setUp({
      cluster: {
        "certificate-authority-data": base64(cert),
        "tls-server-name": "k.local",
        "proxy-url": "http://proxy:3128",
        "disable-compression": true,
      },
    });
    expect(access).toMatchObject({
      server: "https://k:6443",
      namespace: "shop",
      proxyUrl: "http://proxy:3128/",
    });
    expect(await access.tls()).toEqual({ ca: cert, serverName: "k.local", insecure: false });
    expect(await access.headers()).toEqual({});
    expect(warnings).toEqual([]);
  });

  it("trusts the system's authorities without one of its own", async () => {
    expect(await setUp({}).access.tls()).toEqual({ insecure: false });
  });

  it("does not verify the server if the kubeconfig says so, and warns once", async () => {
    const { access, warnings } = setUp({ cluster: { "insecure-skip-tls-verify": true } });
    expect(await access.tls()).toEqual({ insecure: true });
    await access.tls();
    expect(warnings).toEqual([
      "use context dev: the certificate of https://k:6443 is not verified (insecure-skip-tls-verify)",
    ]);
  });

  it("sends no credentials over a connection that is not encrypted, and says so", async () => {
    const { access, warnings } = setUp({ cluster: { server: "http://k" }, user: { token: "t" } });
    expect(await access.headers()).toEqual({});
    expect(warnings).toEqual([
      "use context dev: http://k is not encrypted, so no credentials are sent to it",
    ]);
    expect(setUp({ cluster: { server: "http://k" } }).warnings).toEqual([]);
  });

  it("takes data before a file, and says so", async () => {
    const [one, ca] = await Promise.all([selfSigned("one"), selfSigned("ca")]);
    const { access, warnings } = setUp({
      cluster: { "certificate-authority": "/no/ca", "certificate-authority-data": base64(ca.cert) },
      user: {
        "client-certificate": "/no/crt",
        "client-certificate-data": base64(one.cert),
        "client-key": "/no/key",
        "client-key-data": base64(one.key),
      },
    });
    expect(await access.tls()).toEqual({ ca: ca.cert, ...one, insecure: false });
    expect(warnings).toEqual([
      "use context dev: certificate-authority-data wins over certificate-authority",
      "use context dev: client-certificate-data wins over client-certificate",
      "use context dev: client-key-data wins over client-key",
    ]);
  });

  it.each<[Setting, string]>([
    [{ cluster: { server: "" } }, "its cluster has no server"],
    [
      { cluster: { "proxy-url": "socks5://p" } },
      "SOCKS proxies are not supported; use a proxy-url with http or https",
    ],
    [
      { cluster: { "certificate-authority": "ca", "insecure-skip-tls-verify": true } },
      "its cluster has a certificate authority and insecure-skip-tls-verify",
    ],
    [{ cluster: { "certificate-authority-data": "s3cr3t!" } }, "certificate-authority-data is not base64"],
    [{ cluster: { "certificate-authority-data": base64("s3cr3t") } }, "holds no PEM certificate"],
    [{ user: { "client-certificate": "c" } }, "user ann has a client certificate without a key"],
    [{ user: { token: "s3cr3t", username: "ann" } }, "user ann has both a token and a password"],
    [{ user: { tokenFile: "f", password: "s3cr3t" } }, "user ann has both a token and a password"],
    [{ user: { "as-groups": ["g"] } }, "has as-uid, as-groups or as-user-extra without as; add as"],
    [
      { user: { "auth-provider": { name: "gcp" } } },
      "auth-provider (gcp), which Kubernetes 1.26 removed; have its maker's exec plugin",
    ],
    [{ user: { exec: { command: "p" } } }, "its exec plugin has no apiVersion"],
  ])("is refused for %j", (setting, problem) => {
    const make = () => setUp(setting);
    expect(make).toThrow(KubeconfigError);
    expect(make).toThrow(`use context dev of kubeconfig f: `);
    expect(make).toThrow(problem);
    expect(make).not.toThrow("s3cr3t");
  });
});

describe("the headers of a user", () => {
  it("are refused if a token cannot stand in a header, without showing it", async () => {
    const headers = setUp({ user: { token: "s3cr3t\nx-evil: 1" } }).access.headers();
    await expect(headers).rejects.toMatchObject({ code: "UNSENDABLE_CREDENTIAL" });
    await expect(headers).rejects.not.toThrow(/s3cr3t/);
  });

  it("carry a token, a password or an impersonated user", async () => {
    expect(await setUp({ user: { token: "t" } }).access.headers()).toEqual({ authorization: "Bearer t" });
    expect(await setUp({ user: { username: "ann", password: "p:w" } }).access.headers()).toEqual({
      authorization: `Basic ${base64("ann:p:w")}`,
    });
    const user = {
      token: "t",
      as: "bob",
      "as-groups": ["g", "h"],
      "as-uid": "7",
      "as-user-extra": { a: ["x"] },
    };
    expect(await setUp({ user }).access.headers()).toEqual({
      authorization: "Bearer t",
      "impersonate-user": "bob",
      "impersonate-uid": "7",
      "impersonate-group": ["g", "h"],
      "impersonate-extra-a": ["x"],
    });
  });

  it("carry the token that stands in the file, read again each minute and after a refusal", async () => {
    const tokenFile = join(await tempFolder(), "token");
    await writeFile(tokenFile, "one\n");
    const { access, clock, warnings } = setUp({ user: { tokenFile, token: "fallback" } });
    expect(await access.headers()).toEqual({ authorization: "Bearer one" });
    await writeFile(tokenFile, "two\n");
    await clock.advance(59_999);
    expect(await access.headers()).toEqual({ authorization: "Bearer one" });
    await clock.advance(1);
    expect(await access.headers()).toEqual({ authorization: "Bearer two" });
    await writeFile(tokenFile, "three");
    access.refused();
    expect(await access.headers()).toEqual({ authorization: "Bearer three" });
    await rm(tokenFile);
    access.refused();
    expect(await access.headers()).toEqual({ authorization: "Bearer three" });
    expect(warnings).toEqual([expect.stringMatching(/tokenFile cannot be read \(ENOENT.*last good value/)]);
  });

  it("carry the token of the kubeconfig only while the file cannot be read", async () => {
    const tokenFile = join(await tempFolder(), "token");
    const { access, clock } = setUp({ user: { tokenFile, token: "fallback" } });
    expect(await access.headers()).toEqual({ authorization: "Bearer fallback" });
    await writeFile(tokenFile, "one");
    await clock.advance(60_000);
    expect(await access.headers()).toEqual({ authorization: "Bearer one" });
  });

  it("are an error while a token file was never readable, or is empty", async () => {
    const tokenFile = join(await tempFolder(), "token");
    const { access } = setUp({ user: { tokenFile } });
    await expect(access.headers()).rejects.toThrow(KubeconfigError);
    await expect(access.headers()).rejects.toThrow(
      /tokenFile cannot be read \(ENOENT.*; make it a readable file/,
    );
    await writeFile(tokenFile, "\n");
    await expect(access.headers()).rejects.toThrow(/is empty; have a token written to it/);
  });

  it("are not given after an abort", async () => {
    const signal = AbortSignal.abort(new Error("enough"));
    await expect(setUp({ user: { token: "t" } }).access.headers(signal)).rejects.toThrow("enough");
  });
});

describe("certificates in files", () => {
  it("are read again when they are rotated, and a half-written pair is left alone", async () => {
    const folder = await tempFolder();
    const [ca, newCa, one, two] = await Promise.all(["ca", "ca2", "one", "two"].map(selfSigned));
    const path = (name: string): string => join(folder, name);
    await writeFile(path("ca.crt"), ca?.cert ?? "");
    await writeFile(path("u.crt"), one?.cert ?? "");
    await writeFile(path("u.key"), one?.key ?? "");
    const { access, clock, warnings } = setUp({
      cluster: { "certificate-authority": path("ca.crt") },
      user: { "client-certificate": path("u.crt"), "client-key": path("u.key") },
    });
    const first = await access.tls();
    expect(first).toEqual({ ca: ca?.cert, ...one, insecure: false });
    await clock.advance(5_000);
    expect(await access.tls()).toBe(first);

    await writeFile(path("ca.crt"), newCa?.cert ?? "");
    await writeFile(path("u.crt"), two?.cert ?? "");
    expect(await access.tls()).toBe(first);
    await clock.advance(5_000);
    expect(await access.tls()).toEqual({ ca: newCa?.cert, ...one, insecure: false });
    expect(warnings).toEqual([expect.stringContaining("of user ann do not belong together")]);

    await writeFile(path("u.key"), two?.key ?? "");
    await clock.advance(5_000);
    expect(await access.tls()).toEqual({ ca: newCa?.cert, ...two, insecure: false });
  });

  it("that are not there give an error that names the field", async () => {
    const { access } = setUp({ cluster: { "certificate-authority": "/no/ca.crt" } });
    await expect(access.tls()).rejects.toThrow(/certificate-authority cannot be read \(ENOENT.*\/no\/ca.crt/);
  });
});

describe("an exec plugin of a user", () => {
  const apiVersion = "client.authentication.k8s.io/v1";

  async function makePlugin(script: string): Promise<string> {
    const path = join(await tempFolder(), "plugin");
    await writeFile(path, `#!/bin/sh\n${script}\n`);
    await chmod(path, 0o755);
    return path;
  }

  it("is a real program that learns about the cluster and gives a token and a certificate", async () => {
    const [ca, pair] = await Promise.all([selfSigned("ca"), selfSigned("ann")]);
    const status = { token: "from-plugin", clientCertificateData: pair.cert, clientKeyData: pair.key };
    const credential = JSON.stringify({ kind: "ExecCredential", apiVersion, status });
    const command = await makePlugin(
      `printf '%s' "$KUBERNETES_EXEC_INFO" > "$0.info"\nprintf '%s' "$*:$MARK" > "$0.args"\ncat <<'END'\n${credential}\nEND`,
    );
    const exec = {
      command,
      args: ["a", "b"],
      env: [{ name: "MARK", value: "m" }],
      apiVersion,
      interactiveMode: "Never",
      provideClusterInfo: true,
    };
    const extension = { audience: "x" };
    const { access } = setUp({
      cluster: {
        "certificate-authority-data": base64(ca.cert),
        extensions: [{ name: "client.authentication.k8s.io/exec", extension }],
      },
      user: { exec },
    });
    expect(await access.headers()).toEqual({ authorization: "Bearer from-plugin" });
    expect(await access.tls()).toEqual({ ca: ca.cert, ...pair, insecure: false });
    expect(await readFile(`${command}.args`, "utf8")).toBe("a b:m");
    expect(JSON.parse(await readFile(`${command}.info`, "utf8"))).toEqual({
      kind: "ExecCredential",
      apiVersion,
      spec: {
        interactive: false,
        cluster: {
          server: "https://k:6443",
          "certificate-authority-data": base64(ca.cert),
          config: extension,
        },
      },
    });
  });

  it("that fails gives its exit code and what it said", async () => {
    const command = await makePlugin("echo please log in >&2; exit 7");
    const { access } = setUp({ user: { exec: { command, apiVersion, interactiveMode: "Never" } } });
    await expect(access.headers()).rejects.toBeInstanceOf(ExecCredentialError);
    await expect(access.headers()).rejects.toMatchObject({
      exitCode: 7,
      stderr: "please log in",
      user: "ann",
    });
  });

  it("is not asked by a user who has other credentials", async () => {
    const exec = { command: "/no/such/plugin", apiVersion, interactiveMode: "Never" };
    const { access } = setUp({ user: { exec, token: "t" } });
    expect(await access.headers()).toEqual({ authorization: "Bearer t" });
    expect(await access.tls()).toEqual({ insecure: false });
  });
});
