import {
  accessFromKubeconfig,
  type Client,
  createClient,
  describeCall,
  ForbiddenError,
  httpTransport,
  jsonPatch,
  listenHttp,
  mergePatch,
  NotFoundError,
} from "@keelson/client";
import { KubectlError } from "@keelson/controlplane";
import { systemClock } from "@keelson/core";
import {
  MutatingWebhookConfiguration,
  ValidatingWebhookConfiguration,
} from "@keelson/core/kinds/admissionregistration/v1";
import { CustomResourceDefinition } from "@keelson/core/kinds/apiextensions/v1";
import { ConfigMap, Namespace } from "@keelson/core/kinds/core/v1";
import { type Cluster, startCluster } from "@keelson/testkit";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { type Admission, admission } from "../../src/webhook/admission.ts";
import { conversion } from "../../src/webhook/conversion.ts";
import { ManagedCertificates } from "../../src/webhook/managed-certificates.ts";
import { type ConfigurationPass, keepConfigurations } from "../../src/webhook/webhook-configurations.ts";
import { serveWebhooks, WebhookServer } from "../../src/webhook/webhook-server.ts";
import { Gadget, gadgetDefinition, OldGadget } from "../support/gadgets.ts";

const inNamespaceOnly = (namespace: string) => ({
  namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": namespace } },
});
const order: string[] = [];

const checked = admission(ConfigMap, inNamespaceOnly("checked"))
  .mutate(({ object, operation }) => {
    order.push(`mutate ${operation}`);
    object.data = { ...object.data, stamped: "yes" };
  })
  .validate(({ object, old, operation, deny, warn }) => {
    order.push(`validate ${operation} ${object.data?.stamped}`);
    if (object.data?.bad !== undefined) deny("data.bad is not allowed", { field: "data.bad" });
    if (object.data?.odd !== undefined) warn("data.odd is odd");
    if (operation === "UPDATE" && old.data?.fixed !== object.data?.fixed) deny("data.fixed cannot change");
  })
  .validate(
    ({ object, deny }) => {
      if (object.data?.keep !== undefined) deny("it is to be kept");
    },
    { operations: ["DELETE"] },
  );

const throwing = (namespace: string, failurePolicy: "Fail" | "Ignore"): Admission<ConfigMap> =>
  admission(ConfigMap, {
    ...inNamespaceOnly(namespace),
    failurePolicy,
    name: `${namespace}.configmap.v1.core`,
    paths: { validate: `/${namespace}` },
  }).validate(() => {
    throw new TypeError("x is undefined");
  });
const silent: Admission<ConfigMap> = admission(ConfigMap, {
  ...inNamespaceOnly("silent"),
  // The handler gives up a tenth of it before the API server does, which must do for a busy machine.
  timeoutSeconds: 5,
  name: "silent.configmap.v1.core",
  paths: { validate: "/silent" },
}).validate(() => new Promise(() => undefined));

const admissions = [checked, throwing("strict", "Fail"), throwing("lenient", "Ignore"), silent];
const gadgets = conversion(Gadget).spoke(OldGadget, {
  toHub: ({ spec }) => {
    if (spec.width === "odd") throw new TypeError("no number");
    return { spec: { size: Number(spec.width) } };
  },
  fromHub: ({ spec }) => ({ spec: { width: String(spec.size) } }),
});

let controlPlane: Cluster;
let client: Client;
let keep: ConfigurationPass;
let certificates: ManagedCertificates;
const panics: string[] = [];
const stops: (() => Promise<void>)[] = [];

beforeAll(async () => {
  controlPlane = await startCluster(process.env.KEELSON_LEVEL);
  stops.push(() => controlPlane.stop());
  const transport = httpTransport(
    accessFromKubeconfig(controlPlane.kubeconfig, { clock: systemClock, env: {} }),
  );
  stops.push(() => transport.close());
  client = createClient({ transport });
  for (const name of ["checked", "strict", "lenient", "silent"])
    await client.create(Namespace, { metadata: { name } });
  await client.create(CustomResourceDefinition, gadgetDefinition);
  await startWebhooks();
  await vi.waitUntil(() => isInForce(), { timeout: 40_000, interval: 100 });
});
afterAll(async () => {
  for (const stop of stops.reverse()) await stop();
});

/** All of it, as an operator has it: own certificates, own server, own configurations. */
async function startWebhooks(): Promise<void> {
  const { promise: listening, resolve: onListening } = Promise.withResolvers<number>();
  certificates = new ManagedCertificates({
    client,
    secret: { namespace: "default", name: "webhooks" },
    hosts: ["127.0.0.1"],
    // Once: a later call would correct what a test changes.
    intervalMs: 20 * 60_000,
    inject: async (caBundle, signal) => {
      const port = await listening;
      keep ??= keepConfigurations(client, {
        name: "keelson-test",
        endpoint: { url: `https://127.0.0.1:${port}` },
        admissions,
        converted: [Gadget],
      });
      await keep(caBundle, signal);
    },
  });
  const server = new WebhookServer({
    client,
    admissions,
    conversions: [gadgets],
    observer: {
      inFlightChanged: () => undefined,
      responded: () => undefined,
      panicked: (path) => void panics.push(path),
    },
  });
  const controller = new AbortController();
  const run = serveWebhooks(
    { server, certificates, listen: listenHttp, host: "127.0.0.1", port: 0, onListening },
    controller.signal,
  );
  stops.push(async () => {
    controller.abort();
    await run;
  });
  await listening;
}

/** The API server calls a webhook some time after its configuration was stored. */
async function isInForce(): Promise<boolean> {
  const probe = { metadata: { namespace: "checked", name: "probe" } };
  const created = await client.create(ConfigMap, probe, { dryRun: true });
  const isRefused = await client
    .create(ConfigMap, { metadata: { namespace: "strict", name: "probe" } }, { dryRun: true })
    .then(
      () => false,
      () => true,
    );
  const odd = { metadata: { namespace: "default", name: "probe" }, spec: { width: "odd" } };
  const isConverted = await client.create(OldGadget, odd, { dryRun: true }).then(
    () => false,
    (error: unknown) => String(error).includes("no number"),
  );
  return created.data?.stamped === "yes" && isRefused && isConverted;
}

async function complaintOf(run: Promise<string>): Promise<string> {
  const error = await run.then(
    () => undefined,
    (caught: unknown) => caught,
  );
  return error instanceof KubectlError ? error.stderr : `no complaint: ${String(error)}`;
}

const kubectlCreate = (name: string, ...data: string[]): Promise<string> =>
  controlPlane.kubectl([
    ...["create", "configmap", name, "--namespace=checked"],
    ...data.map((each) => `--from-literal=${each}`),
  ]);

describe("admission", () => {
  it("mutates before it validates", async () => {
    order.length = 0;
    const { data } = await client.create(ConfigMap, { metadata: { namespace: "checked", name: "ordered" } });
    expect(data).toEqual({ stamped: "yes" });
    expect(order).toEqual(["mutate CREATE", "validate CREATE yes"]);
  });

  it("[WH2] denies with the words of the handler, as kubectl prints them", async () => {
    expect(await complaintOf(kubectlCreate("refused", "bad=1"))).toBe(
      "error: failed to create configmap: admission webhook " +
        '"validate.configmap.v1.core" denied the request: data.bad is not allowed\n',
    );
    const denied = client.create(ConfigMap, {
      metadata: { namespace: "checked", name: "x" },
      data: { bad: "1" },
    });
    await expect(denied).rejects.toThrow(ForbiddenError);
    await expect(denied).rejects.toMatchObject({
      status: { code: 403, details: { causes: [{ field: "data.bad", message: "data.bad is not allowed" }] } },
    });
  });

  it("knows the object before an update", async () => {
    const metadata = { namespace: "checked", name: "fixed" };
    await client.create(ConfigMap, { metadata, data: { fixed: "1" } });
    await client.update(ConfigMap, { metadata, data: { fixed: "1", more: "1" } });
    await expect(client.update(ConfigMap, { metadata, data: { fixed: "2" } })).rejects.toThrow(
      "data.fixed cannot change",
    );
  });

  it("[WH4] warns, and the request succeeds", async () => {
    const warnings: string[] = [];
    const access = accessFromKubeconfig(controlPlane.kubeconfig, { clock: systemClock, env: {} });
    const transport = httpTransport(access);
    const warned = createClient({ transport, onWarning: (text) => void warnings.push(text) });
    await warned.create(ConfigMap, { metadata: { namespace: "checked", name: "odd" }, data: { odd: "1" } });
    await transport.close();
    expect(warnings).toEqual(["data.odd is odd"]);
  });

  it("[WH4] decides about a deletion by the stored object", async () => {
    const metadata = { namespace: "checked", name: "kept" };
    await client.create(ConfigMap, { metadata, data: { keep: "1" } });
    await expect(client.delete(ConfigMap, metadata)).rejects.toThrow("it is to be kept");
    await client.update(ConfigMap, { metadata, data: {} });
    await client.delete(ConfigMap, metadata);
  });

  it("[WH5] refuses the request of a handler that throws, and says so, by default", async () => {
    const create = client.create(ConfigMap, { metadata: { namespace: "strict", name: "x" } });
    await expect(create).rejects.toThrow(
      'admission webhook "validate.strict.configmap.v1.core" denied the request: ' +
        "call webhook /strict: its handler failed: TypeError: x is undefined",
    );
    expect(panics).toContain("/strict");
  });

  it("[WH5] allows it where failures are ignored", async () => {
    await client.create(ConfigMap, { metadata: { namespace: "lenient", name: "x" } });
    expect(panics).toContain("/lenient");
  });

  it("responds in time for a handler that never returns", async () => {
    const create = client.create(ConfigMap, { metadata: { namespace: "silent", name: "x" } });
    await expect(create).rejects.toThrow("call webhook /silent: no response within 4.5 s");
    await expect(create).rejects.toMatchObject({ status: { code: 504, reason: "Timeout" } });
  });
});

describe("an object that is being deleted, while the webhook cannot be reached", () => {
  const metadata = { namespace: "unreachable", name: "leaving" };
  const finalizers = ["example.com/first", "example.com/second"];
  /** Applies the configurations of a webhook that nothing serves, and deletes an object that has finalizers. */
  async function startDeletion(duringDeletion?: "SkipUpdates" | "Call"): Promise<void> {
    const settings = { ...inNamespaceOnly(metadata.namespace), ...(duringDeletion && { duringDeletion }) };
    const unreachable = admission(ConfigMap, settings)
      .mutate(() => undefined)
      .validate(() => undefined);
    await client.create(ConfigMap, { metadata: { ...metadata, finalizers }, data: { a: "1" } });
    const endpoint = { url: "https://127.0.0.1:1" };
    await keepConfigurations(client, { name: "unreachable", endpoint, admissions: [unreachable] })("PEM");
    const probe = () => client.patch(ConfigMap, metadata, mergePatch({ data: { a: "2" } }), { dryRun: true });
    await vi.waitUntil(() => probe().then(() => false, isUnreachable), { timeout: 40_000, interval: 100 });
    await client.delete(ConfigMap, metadata);
  }
  const isUnreachable = (error: unknown): boolean => String(error).includes("failed calling webhook");
  const change = (patch: object) => client.patch(ConfigMap, metadata, mergePatch(patch));

  beforeAll(() => client.create(Namespace, { metadata: { name: metadata.namespace } }));
  afterEach(async () => {
    await keepConfigurations(client, { name: "unreachable", endpoint: { url: "https://127.0.0.1:1" } })(
      "PEM",
    );
    const isDeleted = () =>
      change({ metadata: { finalizers: null } }).then(
        () => false,
        (error: unknown) => error instanceof NotFoundError,
      );
    await vi.waitUntil(isDeleted, { timeout: 40_000, interval: 100 });
  });

  it("[WH10] loses its finalizers, and nothing else of it can change", async () => {
    await startDeletion();
    for (const refused of [
      { data: { a: "2" } },
      { data: null },
      { metadata: { finalizers: [finalizers[0]], labels: { a: "b" } } },
      { metadata: { finalizers: [finalizers[0]] }, immutable: true },
    ])
      await expect(change(refused)).rejects.toThrow("failed calling webhook");
    await change({ metadata: { finalizers: [finalizers[1]] } });
    await change({ metadata: { finalizers: null } });
    await expect(client.get(ConfigMap, metadata)).rejects.toThrow(NotFoundError);
  });

  it("[WH10] can change in every field if the settings say so", async () => {
    await startDeletion("SkipUpdates");
    expect((await change({ data: { a: "2" } })).data).toEqual({ a: "2" });
    await change({ metadata: { finalizers: null } });
  });

  it("[WH10] keeps its finalizers if the settings say so", async () => {
    await startDeletion("Call");
    await expect(change({ metadata: { finalizers: null } })).rejects.toThrow("failed calling webhook");
  });
});

describe("conversion", () => {
  it("[WH8] serves an object in each of its versions", async () => {
    const metadata = { namespace: "default", name: "one" };
    await client.create(OldGadget, { metadata: { ...metadata, labels: { a: "b" } }, spec: { width: "7" } });
    const stored = await client.get(Gadget, metadata);
    expect(stored).toMatchObject({
      apiVersion: "example.com/v1",
      spec: { size: 7 },
      metadata: { labels: { a: "b" } },
    });
    await client.create(Gadget, { metadata: { namespace: "default", name: "two" }, spec: { size: 8 } });
    const path = "/apis/example.com/v1alpha1/namespaces/default/gadgets";
    const list = JSON.parse(await controlPlane.kubectl(["get", "--raw", path]));
    expect(list.items.map(({ spec }: OldGadget) => spec)).toEqual([{ width: "7" }, { width: "8" }]);
  });

  it("[WH8] that throws refuses the request", async () => {
    const bad = { metadata: { namespace: "default", name: "bad" }, spec: { width: "odd" } };
    await expect(client.create(OldGadget, bad)).rejects.toThrow("its function failed: TypeError: no number");
  });
});

describe("the configurations", () => {
  it("[WH9] are written once, and again only after another client has changed them", async () => {
    const writes: string[] = [];
    const counted = client.with((next) => ({
      ...next,
      json: (call) => {
        if (call.verb !== "get") writes.push(describeCall(call));
        return next.json(call);
      },
    }));
    const { webhooks: [webhook] = [] } = await client.get(ValidatingWebhookConfiguration, {
      name: "keelson-test",
    });
    const url = new URL(webhook?.clientConfig.url ?? "").origin;
    const pass = keepConfigurations(counted, {
      name: "keelson-test",
      endpoint: { url },
      admissions,
      converted: [Gadget],
    });
    const versions = async () =>
      Promise.all([
        client.get(ValidatingWebhookConfiguration, { name: "keelson-test" }),
        client.get(MutatingWebhookConfiguration, { name: "keelson-test" }),
        client.get(CustomResourceDefinition, { name: "gadgets.example.com" }),
      ]).then((objects) => objects.map(({ metadata }) => metadata.resourceVersion));
    const before = await versions();
    await pass(certificates.caBundle);
    expect(await versions()).toEqual(before);
    expect(writes).toHaveLength(3);
    await pass(certificates.caBundle);
    expect(writes).toHaveLength(3);

    const drift = [{ op: "replace", path: "/webhooks/0/failurePolicy", value: "Ignore" }] as const;
    await client.patch(ValidatingWebhookConfiguration, { name: "keelson-test" }, jsonPatch(drift));
    await client.delete(MutatingWebhookConfiguration, { name: "keelson-test" });
    await pass(certificates.caBundle);
    expect(writes).toHaveLength(5);
    const { webhooks = [] } = await client.get(ValidatingWebhookConfiguration, { name: "keelson-test" });
    expect(webhooks[0]?.failurePolicy).toBe("Fail");
    expect((await client.get(MutatingWebhookConfiguration, { name: "keelson-test" })).webhooks).toHaveLength(
      1,
    );
  });

  it("are deleted when no webhook is left that they are for", async () => {
    const endpoint = { url: "https://127.0.0.1:1" };
    const validating = admission(ConfigMap, inNamespaceOnly("nowhere")).validate(() => undefined);
    await keepConfigurations(client, { name: "leaving", endpoint, admissions: [validating] })("PEM");
    await client.get(ValidatingWebhookConfiguration, { name: "leaving" });
    await keepConfigurations(client, { name: "leaving", endpoint })("PEM");
    await expect(client.get(ValidatingWebhookConfiguration, { name: "leaving" })).rejects.toThrow(
      "not found",
    );
  });

  it("are not deleted if another field manager applied them under the same name", async () => {
    const endpoint = { url: "https://127.0.0.1:1" };
    const metadata = { name: "foreign" };
    await client.apply(MutatingWebhookConfiguration, { metadata }, { fieldOwner: "other" });
    await client.apply(ValidatingWebhookConfiguration, { metadata }, { fieldOwner: "other" });
    await keepConfigurations(client, { name: "foreign", endpoint })("PEM");
    await client.get(MutatingWebhookConfiguration, metadata);
    await client.get(ValidatingWebhookConfiguration, metadata);
  });

  it("[WH9] are deleted again when a replica of an earlier release has applied them", async () => {
    const endpoint = { url: "https://127.0.0.1:1" };
    const validating = admission(ConfigMap, inNamespaceOnly("nowhere")).validate(() => undefined);
    const earlier = () =>
      keepConfigurations(client, { name: "upgraded", endpoint, admissions: [validating] })("PEM");
    const later = keepConfigurations(client, { name: "upgraded", endpoint });
    for (let times = 0; times < 2; times++) {
      await earlier();
      await client.get(ValidatingWebhookConfiguration, { name: "upgraded" });
      await later("PEM");
      await expect(client.get(ValidatingWebhookConfiguration, { name: "upgraded" })).rejects.toThrow(
        "not found",
      );
    }
  });
});
