import { execFile } from "node:child_process";
import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { findBinaries } from "@keelson/controlplane";
import type { Kubeconfig, KubeconfigCluster, KubeconfigUser } from "@keelson/core";
import { type Cluster, startCluster, VirtualClock } from "@keelson/testkit";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ClusterAccess } from "../../src/config/cluster-access.ts";
import { defaultAccess } from "../../src/config/default-access.ts";
import { inClusterAccess } from "../../src/config/in-cluster.ts";
import { accessFromKubeconfig } from "../../src/config/kubeconfig-access.ts";
import { loadKubeconfig } from "../../src/config/load-kubeconfig.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { whoAmI } from "../support/who-am-i.ts";

let controlPlane: Cluster;

beforeAll(async () => {
  controlPlane = await startCluster(process.env.KEELSON_LEVEL);
  for (const name of ["one", "two"]) await controlPlane.kubectl(["create", "serviceaccount", name]);
});
afterAll(() => controlPlane?.stop());

const serviceAccount = (name: string): object => ({
  status: 201,
  userInfo: expect.objectContaining({ username: `system:serviceaccount:default:${name}` }),
});
const user = (username: string): object => ({
  status: 201,
  userInfo: expect.objectContaining({ username }),
});

async function tokenOf(name: string): Promise<string> {
  return (await controlPlane.kubectl(["create", "token", name])).trim();
}

function adminCluster(): KubeconfigCluster {
  return controlPlane.kubeconfig.clusters[0]?.cluster ?? { server: "" };
}

/** Access to the control plane's cluster as another user, and the clock that decides when credentials are old. */
function accessAs(
  user: KubeconfigUser,
  cluster: KubeconfigCluster = adminCluster(),
): { readonly access: ClusterAccess; readonly clock: VirtualClock } {
  const kubeconfig: Kubeconfig = {
    ...controlPlane.kubeconfig,
    "current-context": "test",
    clusters: [{ name: "k", cluster }],
    users: [{ name: "u", user }],
    contexts: [{ name: "test", context: { cluster: "k", user: "u" } }],
  };
  const clock = new VirtualClock();
  return { access: accessFromKubeconfig(kubeconfig, { clock, env: { PATH: process.env.PATH } }), clock };
}

describe("client certificates", () => {
  it("in a kubeconfig make the server know the user", async () => {
    const { kubeconfigPath: path } = await controlPlane.createUser({ user: "ann", groups: ["staff"] });
    const { kubeconfig, file } = await loadKubeconfig({ env: {}, path });
    const access = accessFromKubeconfig(kubeconfig, { clock: new VirtualClock(), env: {}, file });
    expect(await whoAmI(access)).toEqual({
      status: 201,
      userInfo: expect.objectContaining({ username: "ann", groups: expect.arrayContaining(["staff"]) }),
    });
  });

  it("in files are used after they were replaced", async () => {
    const folder = await tempFolder();
    const writeUser = async (name: string): Promise<void> => {
      const { users } = (await controlPlane.createUser({ user: name })).kubeconfig;
      const { "client-certificate-data": cert = "", "client-key-data": key = "" } = users[0]?.user ?? {};
      await writeFile(join(folder, "u.crt"), Buffer.from(cert, "base64"));
      await writeFile(join(folder, "u.key"), Buffer.from(key, "base64"));
    };
    await writeUser("bob");
    const { access, clock } = accessAs({
      "client-certificate": join(folder, "u.crt"),
      "client-key": join(folder, "u.key"),
    });
    expect(await whoAmI(access)).toEqual(user("bob"));
    await writeUser("cleo");
    expect(await whoAmI(access)).toEqual(user("bob"));
    await clock.advance(5_000);
    expect(await whoAmI(access)).toEqual(user("cleo"));
  });
});

describe("the server's certificate", () => {
  it("is verified against the authority and the name that the kubeconfig gives", async () => {
    const { users } = controlPlane.kubeconfig;
    const admin = users[0]?.user ?? {};
    const cluster = adminCluster();
    const { "certificate-authority-data": _, ...untrusting } = cluster;
    await expect(whoAmI(accessAs(admin, untrusting).access)).rejects.toThrow(/certificate/);
    const insecure = { ...untrusting, "insecure-skip-tls-verify": true };
    expect(await whoAmI(accessAs(admin, insecure).access)).toMatchObject({ status: 201 });
    const named = (name: string) => accessAs(admin, { ...cluster, "tls-server-name": name }).access;
    expect(await whoAmI(named("localhost"))).toMatchObject({ status: 201 });
    await expect(whoAmI(named("elsewhere.example"))).rejects.toThrow(/elsewhere\.example/);
  });
});

describe("a ServiceAccount's token", () => {
  it("in a file is picked up within a minute after its rotation", async () => {
    const tokenFile = join(await tempFolder(), "token");
    await writeFile(tokenFile, await tokenOf("one"));
    const { access, clock } = accessAs({ tokenFile });
    expect(await whoAmI(access)).toEqual(serviceAccount("one"));
    await writeFile(tokenFile, await tokenOf("two"));
    expect(await whoAmI(access)).toEqual(serviceAccount("one"));
    await clock.advance(60_000);
    expect(await whoAmI(access)).toEqual(serviceAccount("two"));
  });

  it("in a file is read again after the server refused it", async () => {
    const tokenFile = join(await tempFolder(), "token");
    await writeFile(tokenFile, "stale");
    const { access } = accessAs({ tokenFile });
    expect(await whoAmI(access)).toEqual({ status: 401 });
    await writeFile(tokenFile, await tokenOf("one"));
    access.refused();
    expect(await whoAmI(access)).toEqual(serviceAccount("one"));
  });

  it("is enough in a pod", async () => {
    const folder = await tempFolder();
    const ca = Buffer.from(adminCluster()["certificate-authority-data"] ?? "", "base64");
    await writeFile(join(folder, "ca.crt"), ca);
    await writeFile(join(folder, "token"), await tokenOf("one"));
    await writeFile(join(folder, "namespace"), "default");
    const { hostname, port } = new URL(controlPlane.url);
    const env = { KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port };
    const access = await inClusterAccess({ env, clock: new VirtualClock(), serviceAccountFolder: folder });
    expect(await whoAmI(access)).toEqual(serviceAccount("one"));
  });
});

describe("an exec plugin", () => {
  const apiVersion = "client.authentication.k8s.io/v1";

  /** A user whose plugin prints what `print` was last called with. */
  async function makePlugin() {
    const folder = await tempFolder();
    const command = join(folder, "plugin");
    await writeFile(command, `#!/bin/sh\necho run >> "$0.runs"\ncat "$0.status"\n`);
    await chmod(command, 0o755);
    const print = (status: object): Promise<void> =>
      writeFile(`${command}.status`, JSON.stringify({ kind: "ExecCredential", apiVersion, status }));
    const exec = { command, apiVersion, interactiveMode: "Never" };
    const countRuns = async (): Promise<number> =>
      (await readFile(`${command}.runs`, "utf8")).split("\n").length - 1;
    return { print, countRuns, ...accessAs({ exec }) };
  }

  it("gives a token, and a new one when it has expired", async () => {
    const { print, countRuns, access, clock } = await makePlugin();
    const expirationTimestamp = new Date(clock.now() + 3_600_000).toISOString();
    await print({ token: await tokenOf("one"), expirationTimestamp });
    expect(await whoAmI(access)).toEqual(serviceAccount("one"));
    await print({ token: await tokenOf("two") });
    await clock.advance(3_500_000);
    expect(await whoAmI(access)).toEqual(serviceAccount("one"));
    await clock.advance(100_000);
    expect(await whoAmI(access)).toEqual(serviceAccount("two"));
    expect(await countRuns()).toBe(2);
  });

  it("gives a new token after the server refused the old one", async () => {
    const { print, access } = await makePlugin();
    await print({ token: "revoked" });
    expect(await whoAmI(access)).toEqual({ status: 401 });
    await print({ token: await tokenOf("one") });
    expect(await whoAmI(access)).toEqual({ status: 401 });
    access.refused();
    expect(await whoAmI(access)).toEqual(serviceAccount("one"));
  });

  it("gives a client certificate", async () => {
    const { print, access } = await makePlugin();
    const { users } = (await controlPlane.createUser({ user: "dora" })).kubeconfig;
    const { "client-certificate-data": cert = "", "client-key-data": key = "" } = users[0]?.user ?? {};
    const pem = (data: string): string => Buffer.from(data, "base64").toString("utf8");
    await print({ clientCertificateData: pem(cert), clientKeyData: pem(key) });
    expect(await whoAmI(access)).toEqual(user("dora"));
  });
});

describe("impersonation", () => {
  it("makes the server take the administrator for another user", async () => {
    const { users } = controlPlane.kubeconfig;
    const { access } = accessAs({
      ...users[0]?.user,
      as: "eve",
      "as-uid": "42",
      "as-groups": ["visitors"],
      "as-user-extra": { "example.com/why 100%": ["audit"] },
    });
    expect(await whoAmI(access)).toEqual({
      status: 201,
      userInfo: {
        username: "eve",
        uid: "42",
        groups: expect.arrayContaining(["visitors", "system:authenticated"]),
        extra: { "example.com/why 100%": ["audit"] },
      },
    });
  });
});

describe("the default access", () => {
  it("is the administrator's through KUBECONFIG", async () => {
    const env = { KUBECONFIG: `/no/such/file:${controlPlane.kubeconfigPath}` };
    const access = await defaultAccess({ clock: new VirtualClock(), env });
    expect(access.server).toBe(controlPlane.url);
    expect((await whoAmI(access)).userInfo?.groups).toContain("system:masters");
  });
});

describe("a kubeconfig in several files", () => {
  it("is to us what it is to kubectl", async () => {
    const folder = await tempFolder();
    await mkdir(join(folder, "deep/pki"), { recursive: true });
    await writeFile(join(folder, "deep/pki/u.crt"), "the certificate");
    await writeFile(join(folder, "u.key"), "the key");
    await writeFile(join(folder, "ca.crt"), "the authority");
    const first = join(folder, "deep/first.yaml");
    const second = join(folder, "second.json");
    await writeFile(
      first,
      `
users:
- name: ann
  user: {tokenFile: /abs/token, client-certificate: pki/u.crt, client-key: ../u.key}
- name: bob
  user:
    exec: {command: plugin, apiVersion: client.authentication.k8s.io/v1beta1, env: [{name: A, value: "1"}]}
clusters:
- name: k
  cluster: {server: https://first, insecure-skip-tls-verify: yes}
`,
    );
    const more = {
      "current-context": "c",
      clusters: [
        { name: "k", cluster: { server: "https://second", "certificate-authority": "ca.crt" } },
        {
          name: "l",
          cluster: { server: "https://l", "certificate-authority": "ca.crt", "proxy-url": "http://p" },
        },
      ],
      users: [
        { name: "ann", user: { token: "t" } },
        {
          name: "cleo",
          user: { as: "x", "as-groups": ["g"], "as-user-extra": { a: ["b"] }, username: "n", password: "p" },
        },
      ],
      contexts: [{ name: "c", context: { cluster: "k", user: "ann", namespace: "shop" } }],
    };
    await writeFile(second, JSON.stringify(more, undefined, "\t"));
    const env = { KUBECONFIG: `${first}:${join(folder, "missing")}:${second}` };
    const { kubeconfig } = await loadKubeconfig({ env });

    const merged = join(await tempFolder(), "merged.json");
    await writeFile(merged, JSON.stringify(kubeconfig));
    const kubectl = join((await findBinaries()).folder, "kubectl");
    const view = async (KUBECONFIG: string): Promise<unknown> => {
      // Flattening puts the content of files in the place of their paths, and so shows where they were looked for.
      const args = ["config", "view", "--raw", "--flatten", "-o", "json"];
      return JSON.parse((await promisify(execFile)(kubectl, args, { env: { KUBECONFIG } })).stdout);
    };
    expect(await view(merged)).toEqual(await view(env.KUBECONFIG));
  });
});
