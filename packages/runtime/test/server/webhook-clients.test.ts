import {
  accessFromKubeconfig,
  type Client,
  createClient,
  describeCall,
  httpTransport,
} from "@keelson/client";
import { type Clock, systemClock } from "@keelson/core";
import { CustomResourceDefinition } from "@keelson/core/kinds/apiextensions/v1";
import { Lease } from "@keelson/core/kinds/coordination/v1";
import { ConfigMap, Namespace } from "@keelson/core/kinds/core/v1";
import { type Cluster, RecordingLogger, startCluster } from "@keelson/testkit";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { cachedClient } from "../../src/cache/cached-client.ts";
import { CacheStoppedError } from "../../src/cache/errors.ts";
import { InformerCache } from "../../src/cache/informer-cache.ts";
import { NotLeaderError } from "../../src/leader/errors.ts";
import { silentLogger } from "../../src/logger.ts";
import { Manager } from "../../src/manager/manager.ts";
import { admission } from "../../src/webhook/admission.ts";
import { conversion } from "../../src/webhook/conversion.ts";
import { makeWebhookCall, type WebhookCall } from "../../src/webhook/webhook-call.ts";
import { Gadget, gadgetDefinition, OldGadget } from "../support/gadgets.ts";

const limits = { namespace: "default", name: "limits" };

/** Reads the limit, once in each way. */
async function readLimit({
  client,
  liveClient,
}: WebhookCall): Promise<readonly [cached: number, live: number]> {
  const [cached, live] = await Promise.all([
    client.get(ConfigMap, limits),
    liveClient.get(ConfigMap, limits),
  ]);
  return [Number(cached.data?.max), Number(live.data?.max)];
}

const calls: WebhookCall[] = [];
const checked = admission(ConfigMap, {
  namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "checked" } },
  sideEffects: "NoneOnDryRun",
})
  .mutate(async (call) => {
    calls.push(call);
    const [cached] = await readLimit(call);
    call.object.data = { ...call.object.data, max: String(cached) };
  })
  .validate(async (call) => {
    const { object, request, client, log, deny } = call;
    calls.push(call);
    const [, live] = await readLimit(call);
    if (Number(object.data?.size ?? 0) > live) deny(`data.size is more than ${live}`);
    if (request.dryRun === true) return;
    log.info("admitted", { name: object.metadata.name });
    await client.create(ConfigMap, {
      metadata: { namespace: "default", name: `admitted-${object.metadata.name}` },
    });
  });
const gadgets = conversion(Gadget).spoke(OldGadget, {
  toHub: async ({ spec }, call) => {
    calls.push(call);
    const [cached] = await readLimit(call);
    return { spec: { size: Math.min(Number(spec.width), cached) } };
  },
  fromHub: ({ spec }) => ({ spec: { width: String(spec.size) } }),
});

let controlPlane: Cluster;
let client: Client;
let manager: Manager;
const clock: Clock = { ...systemClock };
const log = new RecordingLogger();
/** The calls of the manager that reached the API server. */
const sent: string[] = [];
const stops: (() => Promise<void>)[] = [];

beforeAll(async () => {
  controlPlane = await startCluster(process.env.KEELSON_LEVEL);
  stops.push(() => controlPlane.stop());
  const transport = httpTransport(
    accessFromKubeconfig(controlPlane.kubeconfig, { clock: systemClock, env: {} }),
  );
  stops.push(() => transport.close());
  client = createClient({ transport });
  await client.create(Namespace, { metadata: { name: "checked" } });
  await client.create(ConfigMap, { metadata: limits, data: { max: "3" } });
  await client.create(CustomResourceDefinition, gadgetDefinition);
  await holdLease();
  manager = startManager();
  await vi.waitUntil(() => isInForce(), { timeout: 40_000, interval: 100 });
});
afterAll(async () => {
  for (const stop of stops.reverse()) await stop();
});

/** Another replica leads as long as these tests run. */
async function holdLease(): Promise<void> {
  const now = new Date(systemClock.now()).toISOString().replace("Z", "000Z");
  await client.create(Lease, {
    metadata: { namespace: "default", name: "webhooks" },
    spec: { holderIdentity: "another", leaseDurationSeconds: 3600, acquireTime: now, renewTime: now },
  });
}

function startManager(): Manager {
  const recorded = client.with((next) => ({
    ...next,
    json: (call) => {
      sent.push(describeCall(call));
      return next.json(call);
    },
  }));
  const started = new Manager({
    client: recorded,
    clock,
    log,
    permissionCheck: "off",
    metrics: { port: -1 },
    health: { port: -1 },
    leaderElection: {
      lease: { namespace: "default", name: "webhooks" },
      identity: "this",
      renewIn: "thread",
    },
    webhooks: {
      host: "127.0.0.1",
      port: 0,
      certificates: {
        secret: { namespace: "default", name: "webhooks" },
        name: "keelson-test",
        endpoint: (port) => ({ url: `https://127.0.0.1:${port}` }),
      },
    },
  });
  started.addWebhooks({ admissions: [checked], conversions: [gadgets], converted: [Gadget] });
  const controller = new AbortController();
  const running = started.run(controller.signal);
  running.catch(() => undefined);
  stops.push(async () => {
    controller.abort(new Error("the tests are over"));
    await running;
  });
  return started;
}

/** The API server calls a webhook some time after its configuration was stored. */
async function isInForce(): Promise<boolean> {
  const probe = { metadata: { namespace: "checked", name: "probe" } };
  const refused = { ...probe, data: { size: "4" } };
  const { data } = await client.create(ConfigMap, probe, { dryRun: true });
  const isValidated = await client.create(ConfigMap, refused, { dryRun: true }).then(
    () => false,
    () => true,
  );
  const old = { metadata: { namespace: "default", name: "probe" }, spec: { width: "9" } };
  const isConverted = await client.create(OldGadget, old, { dryRun: true }).then(
    () => true,
    () => false,
  );
  return data?.max === "3" && isValidated && isConverted;
}

describe("the handlers of a manager's webhooks", () => {
  it("read from the cache with client, and from the server with liveClient", async () => {
    const readsOf = () => sent.filter((call) => call.startsWith("get configmaps")).length;
    const before = readsOf();
    const { data } = await client.create(
      ConfigMap,
      { metadata: { namespace: "checked", name: "cached" } },
      { dryRun: true },
    );
    expect(data).toEqual({ max: "3" });
    // One live read of each handler, and no other.
    expect(readsOf() - before).toBe(2);
  });

  it("deny by what they read", async () => {
    const large = { metadata: { namespace: "checked", name: "large" }, data: { size: "4" } };
    await expect(client.create(ConfigMap, large)).rejects.toThrow("data.size is more than 3");
  });

  it("write in a replica that does not lead", async () => {
    const key = { namespace: "default", name: "by-leader" };
    await expect(manager.client.create(ConfigMap, { metadata: key })).rejects.toThrow(NotLeaderError);
    await client.create(ConfigMap, { metadata: { namespace: "checked", name: "small" } });
    await client.get(ConfigMap, { namespace: "default", name: "admitted-small" });
  });

  it("have the manager's clock, and its log with the path of the webhook", async () => {
    calls.length = 0;
    await client.create(ConfigMap, { metadata: { namespace: "checked", name: "logged" } });
    expect(calls.map((call) => call.clock === clock)).toEqual([true, true]);
    expect(log.lines.find(({ fields }) => fields.name === "logged")).toMatchObject({
      message: "admitted",
      fields: { webhook: "/validate--v1-configmap", requestUid: expect.any(String) },
    });
  });

  it("of conversions have them as well", async () => {
    calls.length = 0;
    const key = { namespace: "default", name: "wide" };
    await client.create(OldGadget, { metadata: key, spec: { width: "9" } });
    expect((await client.get(Gadget, key)).spec).toEqual({ size: 3 });
    expect(calls[0]?.clock).toBe(clock);
  });
});

describe("the client of a webhook", () => {
  it("reads from the server when the cache has stopped before the webhooks", async () => {
    const cache = new InformerCache({ client });
    const cached = cachedClient(client, cache);
    const controller = new AbortController();
    const running = cache.run(controller.signal);
    controller.abort();
    await running;
    await expect(cached.get(ConfigMap, limits)).rejects.toThrow(CacheStoppedError);
    const call = makeWebhookCall(
      { client: cached, liveClient: client, clock: systemClock, log: silentLogger },
      { path: "/validate--v1-configmap", uid: "u-1", signal: new AbortController().signal },
    );
    expect(await readLimit(call)).toEqual([3, 3]);
  });
});
