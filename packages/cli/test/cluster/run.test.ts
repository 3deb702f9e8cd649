import { once } from "node:events";
import { copyFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { get } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { connect as connectSecurely } from "node:tls";
import { backup } from "@keelson/backup";
import { type Access, type ControlPlane, startControlPlane } from "@keelson/controlplane";
import { WebApp, webapp } from "@keelson/webapp";
import { type Client, jsonPatch, mergePatch } from "keelson";
import { type Connection, connect } from "keelson/client";
import { ValidatingWebhookConfiguration } from "keelson/kinds/admissionregistration/v1";
import { CustomResourceDefinition } from "keelson/kinds/apiextensions/v1";
import { Deployment } from "keelson/kinds/apps/v1";
import { Lease } from "keelson/kinds/coordination/v1";
import { ConfigMap, Namespace, Service } from "keelson/kinds/core/v1";
import { installCrds } from "keelson/object";
import { afterAll, beforeAll, beforeEach, describe, expect, it, type TestContext } from "vitest";
import { Gadget, gadgets } from "../support/gadget-operator.ts";
import { KeelsonProcess } from "../support/keelson-process.ts";

/** Processes start on a machine that may be busy. */
const startTimeoutMs = 90_000;
/** What is given to those that do not end; an end in good order is far from it, on a busy machine too. */
const usualGraceMs = 30_000;
/** Quicker than usual, and slow enough that no leader loses it because the machine is busy. */
const quickLease = ["--lease-duration", "8s", "--renew-deadline", "7s", "--retry-period", "1s"];
const freePorts = ["--bind-address", "127.0.0.1", "--metrics-port", "0", "--health-port", "0"];

let controlPlane: ControlPlane;
let connection: Connection;
let client: Client;

beforeAll(async () => {
  // Administrators enable it where tenants must not delete each other's objects; printed roles must suffice there, too.
  const plugins = ["--enable-admission-plugins=OwnerReferencesPermissionEnforcement"];
  controlPlane = await startControlPlane({ args: { "kube-apiserver": plugins } });
  connection = await connect({ kubeconfigPath: controlPlane.kubeconfigPath });
  client = connection.client;
});
afterAll(async () => {
  await connection?.close();
  await controlPlane?.stop();
});

interface Started {
  readonly args: readonly string[];
  readonly as?: Pick<Access, "kubeconfigPath">;
  readonly env?: Readonly<Record<string, string>>;
}

function keelsonRun({ onTestFinished }: TestContext, { args, as, env = {} }: Started): KeelsonProcess {
  const { kubeconfigPath } = as ?? controlPlane;
  const started = new KeelsonProcess(["run", ...args], { KUBECONFIG: kubeconfigPath, ...env });
  onTestFinished(() => started.kill());
  return started;
}

/** The access of a new ServiceAccount that may do nothing. */
async function serviceAccount(
  { onTestFinished }: TestContext,
  namespace: string,
  name: string,
): Promise<Pick<Access, "kubeconfigPath">> {
  await controlPlane.kubectl(["-n", namespace, "create", "serviceaccount", name]);
  const token = (await controlPlane.kubectl(["-n", namespace, "create", "token", name])).trim();
  const { kubeconfig } = controlPlane;
  const users = (kubeconfig.users ?? []).map((user) => ({ ...user, user: { token } }));
  const folder = await mkdtemp(join(tmpdir(), "keelson-run-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const kubeconfigPath = join(folder, "kubeconfig");
  await writeFile(kubeconfigPath, JSON.stringify({ ...kubeconfig, users }));
  return { kubeconfigPath };
}

async function makeNamespace(name: string): Promise<void> {
  await client.create(Namespace, { metadata: { name } });
}

async function madeBy(namespace: string, name: string): Promise<string | undefined> {
  const { items } = await client.list(ConfigMap, { namespace, fieldSelector: `metadata.name=${name}` });
  return items[0]?.data?.replica;
}

/** On any free port, which it gives. */
async function listen(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("it listens on no port");
  return address.port;
}

/** A port that was free a moment ago, for what must be known before it is opened. */
async function freePort(): Promise<number> {
  const place = createServer();
  const port = await listen(place);
  await new Promise((resolve) => place.close(resolve));
  return port;
}

/** A folder with a certificate for 127.0.0.1, and the authority that signed it. */
async function certificateFolder({
  onTestFinished,
}: TestContext): Promise<{ readonly folder: string; readonly ca: string }> {
  const folder = await mkdtemp(join(tmpdir(), "keelson-run-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await copyFile(join(controlPlane.folder, "pki/serving.crt"), join(folder, "tls.crt"));
  await copyFile(join(controlPlane.folder, "pki/serving.key"), join(folder, "tls.key"));
  return { folder, ca: await readFile(join(controlPlane.folder, "pki/authority.crt"), "utf8") };
}

/** The fingerprint of the certificate that a server shows to a new connection. */
async function shownCertificate(url: string): Promise<string> {
  const { hostname: host, port } = new URL(url);
  const socket = connectSecurely({ host, port: Number(port), rejectUnauthorized: false });
  await once(socket, "secureConnect");
  const { fingerprint256 } = socket.getPeerCertificate();
  socket.destroy();
  return fingerprint256;
}

/** What comes of the attempt to create what the operator with webhooks refuses. */
async function createBad(namespace: string): Promise<string> {
  const metadata = { namespace, name: "bad", labels: { guarded: "true" } };
  try {
    await client.create(ConfigMap, { metadata, data: { bad: "yes" } }, { dryRun: true });
    return "accepted";
  } catch (error) {
    return String(error);
  }
}

/** They would refuse what later tests create, as no server responds to them any more. */
async function deleteWebhooks(name: string): Promise<void> {
  await client.delete(ValidatingWebhookConfiguration, { name });
  await expect.poll(() => createBad("default"), isReady).toBe("accepted");
}

const isReady = { timeout: startTimeoutMs };

/** Fails at once, with its output, if it ends instead. */
async function becomesReady(started: KeelsonProcess): Promise<void> {
  let hasEnded = false;
  void started.exited.then(() => {
    hasEnded = true;
  });
  const state = async (): Promise<number | "ended"> =>
    hasEnded ? "ended" : started.statusOf("health", "/readyz").catch(() => 0);
  await expect.poll(async () => ["ended", 200].includes(await state()), isReady).toBe(true);
  if (hasEnded) throw new Error(`keelson ended; its output: ${started.stderr}\n${started.stdout}`);
}

describe("keelson run in a cluster without its kinds", { timeout: 120_000 }, () => {
  beforeEach(() =>
    controlPlane.kubectl(["delete", "crd", "gadgets.cli.example.com", "--ignore-not-found", "--wait"]),
  );

  it("reports at once which kinds the server does not serve, and what installs them", async (test) => {
    const started = keelsonRun(test, { args: ["./gadget-operator.ts", ...freePorts] });
    expect(await started.exited).toBe(1);
    expect(started.stderr).toBe(
      "keelson: start: the API server does not serve gadgets.cli.example.com/v1; install the " +
        "CustomResourceDefinitions by keelson run ./gadget-operator.ts --install-crds\n",
    );
  });

  it("[MG9] installs the kinds, reconciles, serves probes and scrapes, and ends on SIGTERM with code 0", async (test) => {
    await makeNamespace("whole");
    const started = keelsonRun(test, { args: ["./gadget-operator.ts", "--install-crds", ...freePorts] });
    await becomesReady(started);
    const readyMs = performance.now() - started.startedMs;
    expect(await started.statusOf("health", "/healthz")).toBe(200);
    await client.create(Gadget, { metadata: { namespace: "whole", name: "web" }, spec: { size: 3 } });
    await expect.poll(() => madeBy("whole", "web")).toBe("only");
    const samples = async (name: string): Promise<readonly string[]> => {
      const metrics = await (await fetch(`http://127.0.0.1:${started.portOf("metrics")}/metrics`)).text();
      return metrics.split("\n").filter((line) => line.startsWith(`${name}{`));
    };
    // The reconcile is over a little later than its objects exist.
    await expect
      .poll(() => samples("controller_runtime_reconcile_total"))
      .toContainEqual(expect.stringMatching(/controller="gadget",result="success"\} [1-9]/));
    expect(await samples("rest_client_requests_total")).toContainEqual(
      expect.stringMatching(/^(?=.*code="20\d")(?=.*host="127\.0\.0\.1:\d+")(?=.*method="PATCH")/),
    );
    const signalledMs = performance.now();
    started.signal("SIGTERM");
    expect(await started.exited).toBe(0);
    expect(performance.now() - signalledMs).toBeLessThan(usualGraceMs / 2);
    expect(started.stderr).toBe("");
    expect(started.log.map(({ msg }) => msg)).toContain("manager stopped");
    await test.annotate(`start to ready, with the installation of a kind: ${Math.round(readyMs)} ms`);
    const events = await controlPlane.kubectl(["-n", "whole", "get", "events", "-o", "name"]);
    expect(events).toContain("event/web.");
  });
});

describe("keelson run in one namespace", { timeout: 120_000 }, () => {
  const namespace = "team-a";
  const webappIn = ["webapp", "--namespace", namespace, "--webhook-port", "-1", ...freePorts];
  const key = { namespace, name: "nginx" };
  const ownersOf = async (): Promise<readonly unknown[]> => {
    const { items } = await client.list(Deployment, { namespace });
    return items.flatMap(({ metadata }) => metadata.ownerReferences ?? []);
  };

  beforeAll(async () => {
    await makeNamespace(namespace);
    const resources = [...webapp.resources, ...backup.resources];
    await installCrds(client, resources, { signal: AbortSignal.timeout(startTimeoutMs) });
  });

  it("[MG14] works with the Roles of the namespace that it printed, and needs no ClusterRole", async (test) => {
    const as = await serviceAccount(test, namespace, "printed");
    const args = [...webappIn, "--leader-elect", "--lease-namespace", namespace, ...quickLease];
    const refused = keelsonRun(test, { args, as });
    expect(await refused.exited).toBe(1);
    const manifest = refused.stderr.slice(refused.stderr.indexOf("apiVersion:"));
    expect(manifest.match(/^kind: .*/gm)).toEqual(["kind: Role", "kind: RoleBinding"]);
    await controlPlane.kubectl(["apply", "-f", "-"], { input: manifest });
    const started = keelsonRun(test, { args, as });
    await becomesReady(started);
    await client.create(WebApp, { metadata: key, spec: { image: "nginx:1.25", replicas: 1 } });
    const owner = expect.objectContaining({ kind: "WebApp", controller: true, blockOwnerDeletion: true });
    await expect.poll(ownersOf, isReady).toEqual([owner]);
    // An orphan is adopted, which is a right of those who may delete it.
    await client.patch(Deployment, key, mergePatch({ metadata: { ownerReferences: null } }));
    await expect.poll(ownersOf, isReady).toEqual([owner]);
    const events = async () => controlPlane.kubectl(["-n", namespace, "get", "events", "-o", "name"]);
    await expect.poll(events, isReady).toContain("event/nginx.");
    const refusals = started.log.filter((entry) => JSON.stringify(entry).includes("forbidden"));
    expect(refusals).toEqual([]);
    await client.delete(WebApp, key);
    await started.kill();
  });

  it("[MG14] works with a Role for everything in the namespace", async (test) => {
    const as = await serviceAccount(test, namespace, "admin");
    for (const binding of [
      ["role", "everything", "--verb=*", "--resource=*.*"],
      ["rolebinding", "everything", "--role=everything", `--serviceaccount=${namespace}:admin`],
    ])
      await controlPlane.kubectl(["-n", namespace, "create", ...binding]);
    await becomesReady(keelsonRun(test, { args: ["backup", ...webappIn], as }));
  });

  it("names what is cluster-scoped", async (test) => {
    const as = await serviceAccount(test, namespace, "webhooks");
    const webhooks = ["--webhook-port", "0", "--webhook-service", `${namespace}/webapp`];
    const started = keelsonRun(test, { args: [...webappIn, ...webhooks], as });
    expect(await started.exited).toBe(1);
    expect(started.stderr).toContain(
      "Cluster-scoped, so that only a ClusterRole can allow it:\n" +
        "mutatingwebhookconfigurations.admissionregistration.k8s.io,\n" +
        "validatingwebhookconfigurations.admissionregistration.k8s.io.\n",
    );
    expect(started.stderr).toMatch(/^get,create,.* \(cluster\) +webhooks$/m);
    expect(started.stderr.match(/^kind: .*/gm)).toEqual([
      "kind: ClusterRole",
      "kind: ClusterRoleBinding",
      "kind: Role",
      "kind: RoleBinding",
    ]);
  });
});

describe("keelson run", { timeout: 120_000 }, () => {
  beforeEach(async () => {
    const signal = AbortSignal.timeout(startTimeoutMs);
    await installCrds(client, gadgets.resources, { signal, allowIncompatible: true });
  });

  it("starts again over kinds that exist, and changes nothing about them", async (test) => {
    const name = "gadgets.cli.example.com";
    const before = await client.get(CustomResourceDefinition, { name });
    const started = keelsonRun(test, { args: ["./gadget-operator.ts", "--install-crds", ...freePorts] });
    await becomesReady(started);
    await test.annotate(`start to ready: ${Math.round(performance.now() - started.startedMs)} ms`);
    const after = await client.get(CustomResourceDefinition, { name });
    expect(after.metadata.resourceVersion).toBe(before.metadata.resourceVersion);
  });

  it("installs no kind that would break stored objects, unless it is allowed", async (test) => {
    const name = "gadgets.cli.example.com";
    const path = "/spec/versions/0/schema/openAPIV3Schema/properties/spec";
    const textual = { type: "object", properties: { size: { type: "string" } } };
    await client.patch(
      CustomResourceDefinition,
      { name },
      jsonPatch([{ op: "replace", path, value: textual }]),
    );
    const args = ["./gadget-operator.ts", "--install-crds", ...freePorts];
    const refused = keelsonRun(test, { args });
    expect(await refused.exited).toBe(1);
    expect(refused.stderr).toBe(
      "keelson: install the CustomResourceDefinitions: stored objects or clients would break; keep the schemas compatible, " +
        "or overrule this by --allow-incompatible-crds\n" +
        `  ${name} v1 .spec.size: The type changed from string to integer.\n` +
        `  ${name} v1 .spec.size: The field is required now, and has no default.\n`,
    );
    const allowed = keelsonRun(test, { args: [...args, "--allow-incompatible-crds"] });
    await becomesReady(allowed);
    expect(allowed.log).toContainEqual(
      expect.objectContaining({
        level: "warn",
        incompatibility: `${name} v1 .spec.size: The type changed from string to integer.`,
      }),
    );
  });

  it("watches only the namespaces of its configuration", async (test) => {
    await makeNamespace("watched");
    await makeNamespace("unwatched");
    const started = keelsonRun(test, {
      args: ["./gadget-operator.ts", ...freePorts],
      env: { KEELSON_NAMESPACE: "watched", REPLICA: "narrow" },
    });
    await becomesReady(started);
    for (const namespace of ["unwatched", "watched"])
      await client.create(Gadget, { metadata: { namespace, name: "web" }, spec: { size: 1 } });
    await expect.poll(() => madeBy("watched", "web")).toBe("narrow");
    expect(await madeBy("unwatched", "web")).toBeUndefined();
  });

  it("reports in a line what to do if it may not install its kinds, and ends with code 1", async (test) => {
    const as = await controlPlane.createUser({ user: "guest", rules: [] });
    const started = keelsonRun(test, { args: ["./gadget-operator.ts", "--install-crds", ...freePorts], as });
    expect(await started.exited).toBe(1);
    expect(started.stderr).toMatch(
      /^keelson: install gadgets\.cli\.example\.com: .* cannot get .*; grant that, or have an administrator install it, and run without --install-crds\n$/,
    );
  });

  it("lists what it may not do in a table, and ends with code 1", async (test) => {
    const as = await controlPlane.createUser({
      user: "poor",
      rules: [{ apiGroups: ["cli.example.com"], resources: ["gadgets"], verbs: ["list"] }],
    });
    const started = keelsonRun(test, { args: ["./gadget-operator.ts", ...freePorts], as });
    expect(await started.exited).toBe(1);
    expect(started.stderr).toMatch(/^keelson: start: 4 permissions are missing; grant what is listed here$/m);
    expect(started.stderr).toMatch(/^VERBS +RESOURCE +NAMESPACE +NEEDED BY$/m);
    expect(started.stderr).toMatch(/^watch +gadgets\.cli\.example\.com +\(all\) +controller gadget$/m);
    expect(started.stderr).toMatch(/^patch +configmaps +\(all\) +operator gadgets$/m);
    expect(started.stderr).toContain('name: "keelson-gadgets"');
  });

  it("reconciles in one of two replicas, and in the other when that is killed", async (test) => {
    await makeNamespace("replicas");
    const args = [
      ...[
        "./gadget-operator.ts",
        "--leader-elect",
        "--lease-namespace",
        "replicas",
        "--namespace",
        "replicas",
      ],
      ...quickLease,
      ...freePorts,
    ];
    const first = keelsonRun(test, { args, env: { REPLICA: "first" } });
    await client.create(Gadget, { metadata: { namespace: "replicas", name: "one" }, spec: { size: 1 } });
    await expect.poll(() => madeBy("replicas", "one"), isReady).toBe("first");
    const second = keelsonRun(test, { args, env: { REPLICA: "second" } });
    await becomesReady(second);
    await client.create(Gadget, { metadata: { namespace: "replicas", name: "two" }, spec: { size: 1 } });
    await expect.poll(() => madeBy("replicas", "two")).toBe("first");
    await first.kill();
    await expect.poll(() => madeBy("replicas", "one"), isReady).toBe("second");
    expect(await controlPlane.kubectl(["-n", "replicas", "get", "lease", "-o", "name"])).toContain(
      "lease.coordination.k8s.io/keelson-gadgets",
    );
  });

  it("ends with code 1 and one line when it loses its lease", async (test) => {
    await makeNamespace("lost");
    const args = [
      ...["./gadget-operator.ts", "--leader-elect", "--lease-namespace", "lost", "--namespace", "lost"],
      ...quickLease,
      ...freePorts,
    ];
    const started = keelsonRun(test, { args });
    await client.create(Gadget, { metadata: { namespace: "lost", name: "web" }, spec: { size: 1 } });
    await expect.poll(() => madeBy("lost", "web"), isReady).toBe("only");
    const thief = { spec: { holderIdentity: "thief", leaseDurationSeconds: 60 } };
    await controlPlane.kubectl([
      ...["-n", "lost", "patch", "lease", "keelson-gadgets", "--type", "merge", "-p", JSON.stringify(thief)],
    ]);
    expect(await started.exited).toBe(1);
    expect(started.stderr).toMatch(
      /^keelson: lead by lease lost\/keelson-gadgets: leader election lost: .*; start again as a candidate\n$/,
    );
  });

  it("[MG9] ends at once with code 1 on a second signal, and reports what hung after its grace period", async (test) => {
    await makeNamespace("hangs");
    await client.create(ConfigMap, { metadata: { namespace: "hangs", name: "web" } });
    const args = ["./stubborn-operator.ts", "--namespace", "hangs", ...freePorts];
    const twice = keelsonRun(test, { args });
    const late = keelsonRun(test, { args: [...args, "--grace-period", "300ms"] });
    for (const started of [twice, late])
      await expect.poll(() => started.log.some(({ msg }) => msg === "hangs"), isReady).toBe(true);
    late.signal("SIGINT");
    expect(await late.exited).toBe(1);
    expect(late.stderr).toMatch(
      /^keelson: stop the manager: still running after 0\.3 s: controller stubborn.*\n$/,
    );
    twice.signal("SIGTERM");
    await expect.poll(() => twice.log.some(({ msg }) => msg === "manager stops")).toBe(true);
    const signalledMs = performance.now();
    // A repetition that comes as soon as this would be taken for the echo of the first.
    await expect.poll(() => performance.now() - signalledMs).toBeGreaterThan(250);
    twice.signal("SIGTERM");
    expect(await twice.exited).toBe(1);
    expect(performance.now() - signalledMs).toBeLessThan(usualGraceMs / 2);
  });

  it.for(["rejection", "timer"])(
    "[MG13] logs an error that no code caught, by a %s, releases its Lease, and ends with code 1",
    async (error, test) => {
      const namespace = `careless-${error}`;
      await makeNamespace(namespace);
      const started = keelsonRun(test, {
        args: [
          ...["./careless-operator.ts", "--leader-elect", "--lease-namespace", namespace],
          ...["--namespace", namespace, ...quickLease, ...freePorts],
        ],
      });
      await client.create(ConfigMap, { metadata: { namespace, name: "web" }, data: { error } });
      expect(await started.exited).toBe(1);
      expect(started.stderr).toBe("");
      const errors = started.log.filter(({ level }) => level === "error");
      expect(errors).toMatchObject([{ msg: "an error that no code caught ends the process" }]);
      expect(JSON.stringify(errors)).toMatch(/TypeError: an? .* at .*careless-operator\.ts/);
      expect(started.log.at(-1)?.msg).toBe("manager stopped");
      const { spec } = await client.get(Lease, { namespace, name: "keelson-careless" });
      expect([spec?.holderIdentity ?? "", spec?.leaseTransitions]).toEqual(["", 0]);
    },
  );

  it("names the flag of a port that another program has", async (test) => {
    const other = createServer();
    const port = await listen(other);
    test.onTestFinished(() => void other.close());
    const args = ["./gadget-operator.ts", ...freePorts, "--metrics-port", String(port)];
    const started = keelsonRun(test, { args });
    expect(await started.exited).toBe(1);
    expect(started.stderr).toBe(
      `keelson: listen on port ${port}: another program listens on it; choose another by --metrics-port, or -1 for none\n`,
    );
  });

  it("names the kinds that there are when a concurrency is set of another", async (test) => {
    const args = ["./gadget-operator.ts", "--concurrency", "Gadget.example.com=4", ...freePorts];
    const started = keelsonRun(test, { args });
    expect(await started.exited).toBe(1);
    expect(started.stderr).toBe(
      "keelson: set --concurrency: no controller of these operators reconciles Gadget.example.com; " +
        "there are Gadget.cli.example.com; did you mean Gadget.cli.example.com?\n",
    );
  });

  it("starts without permissions if the check is off or only warns", async (test) => {
    await makeNamespace("unchecked");
    const as = await controlPlane.createUser({
      user: "hopeful",
      rules: [{ apiGroups: ["cli.example.com"], resources: ["gadgets"], verbs: ["list", "watch"] }],
    });
    const start = (mode: string): KeelsonProcess =>
      keelsonRun(test, { args: ["./gadget-operator.ts", "--permission-check", mode, ...freePorts], as });
    const [warned, unchecked] = [start("warn"), start("off")];
    for (const started of [warned, unchecked]) await becomesReady(started);
    const warnings = ({ log }: KeelsonProcess): readonly string[] =>
      log.filter(({ level, msg }) => level === "warn" && msg.includes("permissions")).map(({ msg }) => msg);
    expect(warnings(warned)).toEqual([
      expect.stringMatching(/^start: 3 permissions are missing; grant what is listed here\n\nVERBS/),
    ]);
    expect(warnings(unchecked)).toEqual([]);
  });

  it("explains how webhooks are configured when an operator has some", async (test) => {
    const started = keelsonRun(test, { args: ["./webhook-operator.ts", ...freePorts] });
    expect(await started.exited).toBe(1);
    expect(started.stderr).toMatch(
      /^keelson: set up operator guard: it has webhooks, .* --webhook-service, .*\n$/,
    );
    const without = keelsonRun(test, {
      args: ["./webhook-operator.ts", "--webhook-port", "-1", ...freePorts],
    });
    await becomesReady(without);
  });

  it("serves webhooks at a URL, with certificates and configurations of its own", async (test) => {
    await makeNamespace("guarded");
    const port = await freePort();
    const webhooks = ["--webhook-port", String(port), "--webhook-url", `https://127.0.0.1:${port}`];
    const started = keelsonRun(test, { args: ["./webhook-operator.ts", ...webhooks, ...freePorts] });
    await expect.poll(() => createBad("guarded"), isReady).toContain("data.bad is not allowed");
    expect(await controlPlane.kubectl(["get", "secrets", "-o", "name"])).toContain(
      "secret/keelson-guard-webhook-certificates",
    );
    await started.kill();
    await deleteWebhooks("keelson-guard");
  });

  it("serves webhooks behind a Service, with certificates and configurations of its own", async (test) => {
    await makeNamespace("behind");
    const port = await freePort();
    // Without a network for pods, this is the Service by which the API server reaches a process beside it.
    await client.create(Service, {
      metadata: { namespace: "behind", name: "guard" },
      spec: { type: "ExternalName", externalName: "localhost" },
    });
    const started = keelsonRun(test, {
      args: [
        ...["./webhook-operator.ts", "--name", "behind", "--webhook-port", String(port)],
        ...["--webhook-service", `behind/guard:${port}`, ...freePorts],
      ],
    });
    await expect.poll(() => createBad("behind"), isReady).toContain("data.bad is not allowed");
    expect(await controlPlane.kubectl(["-n", "behind", "get", "secrets", "-o", "name"])).toContain(
      "secret/behind-webhook-certificates",
    );
    const { webhooks = [] } = await client.get(ValidatingWebhookConfiguration, { name: "behind" });
    expect(webhooks[0]?.clientConfig.service).toMatchObject({ namespace: "behind", name: "guard", port });
    await started.kill();
    await deleteWebhooks("behind");
  });

  it("serves webhooks by the certificate of a folder, and leaves webhook configurations alone", async (test) => {
    await makeNamespace("elsewhere");
    const { folder, ca } = await certificateFolder(test);
    const port = await freePort();
    const started = keelsonRun(test, {
      args: [
        ...["./webhook-operator.ts", "--name", "elsewhere", "--webhook-port", String(port)],
        ...["--webhook-cert-dir", folder, ...freePorts],
      ],
    });
    await becomesReady(started);
    expect(await createBad("elsewhere")).toBe("accepted");
    await client.create(ValidatingWebhookConfiguration, {
      metadata: { name: "elsewhere" },
      webhooks: [
        {
          name: "guard.example.com",
          clientConfig: {
            url: `https://127.0.0.1:${port}/validate--v1-configmap`,
            caBundle: Buffer.from(ca).toString("base64"),
          },
          rules: [
            { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] },
          ],
          objectSelector: { matchLabels: { guarded: "true" } },
          failurePolicy: "Fail",
          sideEffects: "None",
          admissionReviewVersions: ["v1"],
        },
      ],
    });
    await expect.poll(() => createBad("elsewhere"), isReady).toContain("data.bad is not allowed");
    await deleteWebhooks("elsewhere");
  });

  it("shows metrics only to those who may see them, and memory to still fewer", async (test) => {
    const args = ["./gadget-operator.ts", ...freePorts, "--metrics-auth", "--debug"];
    const started = keelsonRun(test, { args });
    await becomesReady(started);
    await controlPlane.kubectl(["create", "serviceaccount", "scraper"]);
    await controlPlane.kubectl([
      "create",
      "clusterrole",
      "scraper",
      "--verb=get",
      "--non-resource-url=/metrics",
    ]);
    await controlPlane.kubectl([
      ...[
        "create",
        "clusterrolebinding",
        "scraper",
        "--clusterrole=scraper",
        "--serviceaccount=default:scraper",
      ],
    ]);
    const token = (await controlPlane.kubectl(["create", "token", "scraper"])).trim();
    const statusOf = async (path: string, headers: Record<string, string>): Promise<number> =>
      (await fetch(`http://127.0.0.1:${started.portOf("metrics")}${path}`, { headers })).status;
    const authorization = `Bearer ${token}`;
    expect(await statusOf("/metrics", {})).toBe(401);
    await expect.poll(() => statusOf("/metrics", { authorization }), { interval: 1_000 }).toBe(200);
    expect(await statusOf("/debug/why", { authorization })).toBe(403);
  });

  it("refuses to show memory without a token, on loopback too", async (test) => {
    const started = keelsonRun(test, { args: ["./gadget-operator.ts", ...freePorts, "--debug"] });
    await becomesReady(started);
    expect(await started.statusOf("metrics", "/metrics")).toBe(200);
    for (const path of ["/debug/heap", "/debug/cpu", "/debug/why"])
      expect([path, await started.statusOf("metrics", path)]).toEqual([path, 401]);
  });

  it("requires the permission to review tokens if it shows memory", async (test) => {
    const as = await controlPlane.createUser({ user: "debugger", rules: [] });
    const started = keelsonRun(test, { args: ["./gadget-operator.ts", ...freePorts, "--debug"], as });
    expect(await started.exited).toBe(1);
    expect(started.stderr).toMatch(/^create +tokenreviews\.authentication\.k8s\.io +\(all\) +debug$/m);
  });

  it("measures requests in detail and leaves out second names if that is set, and measures what becomes of events", async (test) => {
    await makeNamespace("measured");
    await client.create(Gadget, { metadata: { namespace: "measured", name: "web" }, spec: { size: 1 } });
    const flags = ["--metrics-details", "--metrics-alias", "none", "--namespace", "measured"];
    const args = ["./gadget-operator.ts", ...flags, ...freePorts];
    const started = keelsonRun(test, { args });
    await becomesReady(started);
    const scrape = async (): Promise<string> =>
      (await fetch(`http://127.0.0.1:${started.portOf("metrics")}/metrics`)).text();
    await expect.poll(scrape, isReady).toMatch(/^events_sent_total\{how="create"\} [1-9]/m);
    expect(await scrape()).toMatch(/^rest_client_request_duration_seconds_count\{.*\} [1-9]/m);
    expect(await scrape()).not.toMatch(/^reconcile_total/m);
  });

  it("serves metrics by HTTPS with the certificate of a folder, also when it changes, and under second names, too", async (test) => {
    const { folder, ca } = await certificateFolder(test);
    const args = ["./gadget-operator.ts", ...freePorts, "--metrics-cert-dir", folder];
    const started = keelsonRun(test, { args });
    await becomesReady(started);
    const url = `https://127.0.0.1:${started.portOf("metrics")}/metrics`;
    const [response] = await once(get(url, { ca }), "response");
    expect((await text(response)).split("\n")).toContain("# TYPE reconcile_total counter");
    const firstShown = await shownCertificate(url);
    await copyFile(join(controlPlane.folder, "pki/front-proxy-client.crt"), join(folder, "tls.crt"));
    await copyFile(join(controlPlane.folder, "pki/front-proxy-client.key"), join(folder, "tls.key"));
    await expect.poll(() => shownCertificate(url), isReady).not.toBe(firstShown);
  });

  it("makes spans of reconciles and their calls for the tracer that an operator registers", async (test) => {
    await makeNamespace("traced");
    const started = keelsonRun(test, {
      args: ["./traced-operator.ts", "--namespace", "traced", ...freePorts],
    });
    await client.create(Gadget, { metadata: { namespace: "traced", name: "web" }, spec: { size: 1 } });
    await expect
      .poll(() => started.stderr, isReady)
      .toMatch(/^span reconcile gadget\nspan .*patch.*configmaps/im);
  });

  it("[MG9] ends in order when its log is no longer read", async (test) => {
    const started = keelsonRun(test, { args: ["./gadget-operator.ts", ...freePorts] });
    await becomesReady(started);
    started.closeStdout();
    started.signal("SIGTERM");
    expect(await started.exited).toBe(0);
    expect(started.stderr).toBe("");
  });

  it("ends with code 0 when it is stopped while an operator is set up", async (test) => {
    const started = keelsonRun(test, { args: ["./hanging-operator.ts", ...freePorts] });
    await expect.poll(() => started.stderr, isReady).toBe("hangs in its setup\n");
    started.signal("SIGTERM");
    expect(await started.exited).toBe(0);
    expect(started.stderr).toBe("hangs in its setup\n");
  });

  it("ends with code 0 when it is stopped while it starts", async (test) => {
    const silent = createServer(() => undefined);
    const port = await listen(silent);
    test.onTestFinished(() => void silent.close());
    const cluster = { name: "c", cluster: { server: `http://127.0.0.1:${port}` } };
    const kubeconfig = {
      clusters: [cluster],
      contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
      users: [{ name: "u", user: {} }],
      "current-context": "c",
    };
    const folder = await mkdtemp(join(tmpdir(), "keelson-run-"));
    test.onTestFinished(() => rm(folder, { recursive: true }));
    await writeFile(join(folder, "kubeconfig"), JSON.stringify(kubeconfig));
    const requested = once(silent, "request");
    const started = keelsonRun(test, {
      args: ["./gadget-operator.ts", "--kubeconfig", join(folder, "kubeconfig"), ...freePorts],
    });
    await requested;
    started.signal("SIGTERM");
    expect(await started.exited).toBe(0);
    expect(started.stderr).toBe("");
  });
});
