import { once } from "node:events";
import { existsSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { CertificateAuthority } from "../../src/certificate-authority.ts";
import {
  ComponentExitedError,
  ComponentNotReadyError,
  type ControlPlane,
  KubectlError,
  startControlPlane,
  UnknownComponentError,
} from "../../src/index.ts";
import { claimPort } from "../../src/loopback-ports.ts";
import { startOwner } from "../support/owner-process.ts";
import { expectNothingLeft, processesWith } from "../support/processes.ts";

/** Tests start control planes of their own, and some of them again, on a machine that may be busy. */
const patient = { timeout: 120_000 };

describe("a control plane of etcd and kube-apiserver", () => {
  let controlPlane: ControlPlane;

  beforeAll(async () => {
    controlPlane = await startControlPlane();
  });
  afterAll(() => controlPlane?.stop());

  const apply = (object: object): Promise<string> =>
    controlPlane.kubectl(["apply", "-f", "-"], { input: JSON.stringify(object) });

  it("serves the administrator through its kubeconfig", async () => {
    expect(controlPlane.components).toEqual(["etcd", "kube-apiserver"]);
    expect(await controlPlane.kubectl(["auth", "can-i", "*", "*"])).toBe("yes\n");
    const file = JSON.parse(await readFile(controlPlane.kubeconfigPath, "utf8"));
    expect(file).toEqual(controlPlane.kubeconfig);
    expect(file.clusters[0].cluster.server).toBe(controlPlane.url);
  });

  it("accepts pods, though no controller has made a ServiceAccount", async () => {
    const pod = { metadata: { name: "lone" }, spec: { containers: [{ name: "a", image: "a:1" }] } };
    expect(await apply({ apiVersion: "v1", kind: "Pod", ...pod })).toBe("pod/lone created\n");
  });

  it("serves aggregated discovery", async () => {
    const authority = controlPlane.kubeconfig.clusters[0]?.cluster["certificate-authority-data"] ?? "";
    const { "client-certificate-data": cert, "client-key-data": key } =
      controlPlane.kubeconfig.users[0]?.user ?? {};
    const { request } = await import("node:https");
    const pem = (data = ""): Buffer => Buffer.from(data, "base64");
    const discovery = request(`${controlPlane.url}/apis`, {
      ca: pem(authority),
      cert: pem(cert),
      key: pem(key),
      headers: { accept: "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList" },
    }).end();
    const [response] = await once(discovery, "response");
    expect(JSON.parse(await text(response))).toMatchObject({ kind: "APIGroupDiscoveryList" });
  });

  it("allows a user what the user's rules allow, and nothing else", async () => {
    const rules = [
      { apiGroups: [""], resources: ["configmaps"], verbs: ["get", "list", "create"] },
      { nonResourceURLs: ["/metrics"], verbs: ["get"] },
    ];
    const { kubeconfigPath } = await controlPlane.createUser({ user: "ann", rules });
    const asAnn = (...args: string[]) => controlPlane.kubectl(args, { kubeconfigPath });
    expect(await asAnn("create", "configmap", "anns")).toBe("configmap/anns created\n");
    await expect(asAnn("get", "configmaps", "-A")).resolves.toContain("anns");
    await expect(asAnn("get", "--raw", "/metrics")).resolves.toContain("apiserver_request_total");
    await expect(asAnn("delete", "configmap", "anns")).rejects.toThrow(
      /User "ann" cannot delete resource "configmaps"/,
    );
    await expect(asAnn("get", "secrets")).rejects.toBeInstanceOf(KubectlError);
  });

  it("keeps the rules of a user to one namespace", async () => {
    await controlPlane.kubectl(["create", "namespace", "shop"]);
    const rules = [{ apiGroups: [""], resources: ["secrets"], verbs: ["*"] }];
    const { kubeconfigPath } = await controlPlane.createUser({
      user: "system:bob/1",
      rules,
      namespace: "shop",
    });
    const asBob = (...args: string[]) => controlPlane.kubectl(args, { kubeconfigPath });
    await expect(asBob("get", "secrets", "-n", "shop")).resolves.toBe("");
    await expect(asBob("get", "secrets", "-n", "default")).rejects.toThrow(
      /User "system:bob\/1" cannot list/,
    );
  });

  it("gives a user the permissions of its groups", async () => {
    const { kubeconfigPath } = await controlPlane.createUser({ user: "root", groups: ["system:masters"] });
    expect(await controlPlane.kubectl(["auth", "can-i", "*", "*"], { kubeconfigPath })).toBe("yes\n");
  });

  it("calls webhooks on loopback", async () => {
    const authority = await CertificateAuthority.create("webhook");
    const { certificate, key } = await authority.issueServing({
      names: ["localhost"],
      addresses: ["127.0.0.1"],
    });
    const server = createServer({ cert: certificate, key }, async (request, response) => {
      const { request: review } = JSON.parse(await text(request));
      const verdict = { uid: review.uid, allowed: false, status: { message: "not on my watch" } };
      response.setHeader("content-type", "application/json");
      response.end(
        JSON.stringify({ apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", response: verdict }),
      );
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => void server.close());
    await apply({
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: "ValidatingWebhookConfiguration",
      metadata: { name: "watch" },
      webhooks: [
        {
          name: "watch.keelson.dev",
          admissionReviewVersions: ["v1"],
          sideEffects: "None",
          clientConfig: {
            url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/`,
            caBundle: Buffer.from(authority.pair.certificate).toString("base64"),
          },
          rules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["services"] }],
        },
      ],
    });
    const create = () =>
      controlPlane.kubectl(["create", "service", "clusterip", "web", "--tcp=80", "--dry-run=server"]);
    // The server takes a moment to learn of the configuration.
    await expect.poll(() => create().catch(String)).toContain("not on my watch");
  });

  it("reports which components it runs when another is requested", async () => {
    await expect(controlPlane.restart("kube-scheduler")).rejects.toBeInstanceOf(UnknownComponentError);
    await expect(controlPlane.restart("kube-scheduler")).rejects.toThrow(
      /this control plane runs etcd, kube-apiserver/,
    );
  });
});

describe("a program that waits for kubectl and nothing else", () => {
  it("is kept alive until it has the output of kubectl", async () => {
    const program = startOwner("kubectl-then-end.ts");
    expect(await text(program.stdout)).toContain("namespace/default");
    expect(program.exitCode ?? (await once(program, "exit"))[0]).toBe(0);
  });
});

describe("control planes side by side", patient, () => {
  it("know nothing of each other", async () => {
    await using one = await startControlPlane();
    await using other = await startControlPlane();
    await one.kubectl(["create", "namespace", "only-here"]);
    expect(await one.kubectl(["get", "namespaces", "-o", "name"])).toContain("namespace/only-here");
    expect(await other.kubectl(["get", "namespaces", "-o", "name"])).not.toContain("only-here");
  });
});

describe("stopping", patient, () => {
  it("ends kubectl too, and refuses later calls", async () => {
    const controlPlane = await startControlPlane();
    const proxy = controlPlane.kubectl(["proxy", "--port=0"]).catch((error: unknown) => error);
    await expect.poll(() => processesWith(`${controlPlane.folder}/kubectl-cache`)).not.toEqual([]);
    await controlPlane.stop();
    expect(await proxy).toBeInstanceOf(KubectlError);
    await expectNothingLeft(controlPlane.folder);
    await expect(controlPlane.restart("etcd")).rejects.toMatchObject({ code: "CONTROL_PLANE_STOPPED" });
    await expect(controlPlane.kubectl(["version"])).rejects.toMatchObject({ code: "CONTROL_PLANE_STOPPED" });
  });

  it("during a restart leaves nothing", async () => {
    const controlPlane = await startControlPlane();
    const restarting = controlPlane.restart("kube-apiserver").catch((error: unknown) => error);
    await controlPlane.stop();
    expect(await restarting).toMatchObject({ code: "CONTROL_PLANE_STOPPED" });
    await expectNothingLeft(controlPlane.folder);
  });

  it("leaves no process and no folder, and may be called twice", async () => {
    const controlPlane = await startControlPlane({ controllerManager: true, scheduler: true });
    expect((await processesWith(controlPlane.folder)).length).toBeGreaterThanOrEqual(4);
    await Promise.all([controlPlane.stop(), controlPlane.stop()]);
    expect(await processesWith(controlPlane.folder)).toEqual([]);
    expect(existsSync(controlPlane.folder)).toBe(false);
  });

  it.each(["SIGKILL", "SIGINT"] as const)("leaves nothing when its owner dies of %s", async (signal) => {
    const owner = startOwner("start-then-wait.ts");
    const [folder] = await once(owner.stdout, "data");
    expect(existsSync(String(folder))).toBe(true);
    owner.kill(signal);
    await once(owner, "exit");
    await expectNothingLeft(String(folder));
  });

  it("in the middle of a start leaves nothing", async () => {
    const controller = new AbortController();
    const mark = `--initial-cluster-token=abort-${process.pid}`;
    const starting = startControlPlane({ args: { etcd: [mark] }, signal: controller.signal });
    await expect.poll(() => processesWith(mark)).not.toEqual([]);
    controller.abort(new Error("enough"));
    await expect(starting).rejects.toThrow("enough");
    expect(await processesWith(mark)).toEqual([]);
  });
});

describe("a component", patient, () => {
  it("that dies at its start gives an error with the end of its log, and nothing stays", async () => {
    const failure = await startControlPlane({ args: { "kube-apiserver": ["--no-such-flag"] } }).catch(
      (error: unknown) => error,
    );
    expect(failure).toBeInstanceOf(ComponentExitedError);
    expect(failure).toMatchObject({
      component: "kube-apiserver",
      logTail: expect.stringContaining("--no-such-flag"),
    });
    expect(String(failure)).toMatch(
      /run kube-apiserver: it ended with exit code 1; the end of its log:\n.*unknown flag/s,
    );
  });

  it("that never becomes ready gives an error with its last response and the end of its log", async () => {
    const elsewhere = await claimPort();
    onTestFinished(() => rm(elsewhere.file));
    const args = { "kube-apiserver": [`--secure-port=${elsewhere.port}`] };
    // Enough for etcd, which comes first and has to be ready within it, on a busy machine too.
    const failure = await startControlPlane({ args, readyTimeoutMs: 12_000 }).catch(
      (error: unknown) => error,
    );
    expect(failure).toBeInstanceOf(ComponentNotReadyError);
    expect(String(failure)).toMatch(
      /start kube-apiserver: not ready after 12 s, its last response was .*ECONNREFUSED/,
    );
    expect(failure).toMatchObject({ logTail: expect.stringMatching(/^[A-Z]\d{4} /m) });
  });

  it("that dies later is reported, and a kill on purpose is not", async () => {
    await using controlPlane = await startControlPlane();
    const reported: unknown[] = [];
    void controlPlane.crashed.then((error) => reported.push(error));
    await controlPlane.restart("kube-apiserver");
    expect(reported).toEqual([]);
    const [etcd] = await processesWith(`--data-dir=${controlPlane.folder}`);
    process.kill(etcd ?? 0, "SIGKILL");
    await expect(controlPlane.crashed).resolves.toMatchObject({
      code: "COMPONENT_EXITED",
      component: "etcd",
    });
  });

  it("that does not end on SIGTERM can be killed, and each kill returns when it has ended", async () => {
    await using controlPlane = await startControlPlane();
    const [etcd = 0] = await processesWith(`--data-dir=${controlPlane.folder}`);
    process.kill(etcd, "SIGSTOP");
    const gently = controlPlane.kill("etcd", "SIGTERM");
    await controlPlane.kill("etcd");
    await gently;
    expect(await processesWith(`--data-dir=${controlPlane.folder}`)).toEqual([]);
    await controlPlane.restart("etcd");
  });

  it("ends in order on SIGTERM", async () => {
    await using controlPlane = await startControlPlane();
    const log = () => readFile(`${controlPlane.folder}/logs/kube-apiserver.log`, "utf8");
    await controlPlane.restart("kube-apiserver");
    expect(await log()).not.toContain("Stopped listening on");
    await controlPlane.kill("kube-apiserver", "SIGTERM");
    expect(await log()).toContain("Stopped listening on");
  });
});
