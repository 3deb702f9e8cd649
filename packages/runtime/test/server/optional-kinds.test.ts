import {
  accessFromKubeconfig,
  type Client,
  createClient,
  httpTransport,
  NotFoundError,
} from "@keelson/client";
import { formatKey, ifServed, metadataOnly, type ObjectKey, systemClock } from "@keelson/core";
import { CustomResourceDefinition } from "@keelson/core/kinds/apiextensions/v1";
import { ConfigMap, Namespace } from "@keelson/core/kinds/core/v1";
import { type Cluster, RecordingLogger, startCluster } from "@keelson/testkit";
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { CacheSettings } from "../../src/cache/cache-settings.ts";
import { controller } from "../../src/controller/builder.ts";
import type { ControllerDefinition } from "../../src/controller/controller-definition.ts";
import { controllerFor } from "../../src/controller/key-builder.ts";
import { Manager } from "../../src/manager/manager.ts";
import { Gadget, gadgetDefinition } from "../support/gadgets.ts";

let cluster: Cluster;
let admin: Client;
const namespace = "shop";

const eventually = expect.poll.bind(expect);

beforeAll(async () => {
  cluster = await startCluster(process.env.KEELSON_LEVEL);
  const transport = httpTransport(accessFromKubeconfig(cluster.kubeconfig, { clock: systemClock, env: {} }));
  admin = createClient({ transport });
  await admin.create(Namespace, { metadata: { name: namespace } });
});
afterEach(() => uninstall());
afterAll(async () => {
  await cluster?.stop();
});

const patience = { timeout: 30_000, interval: 50 };

async function install(): Promise<void> {
  await admin.create(CustomResourceDefinition, gadgetDefinition);
}

async function uninstall(): Promise<void> {
  const key = { name: gadgetDefinition.metadata.name ?? "" };
  await admin.delete(CustomResourceDefinition, key).catch(ignoreNotFound);
  const isInstalled = () => admin.get(CustomResourceDefinition, key).then(Boolean, ignoreNotFound);
  await eventually(isInstalled, patience).toBe(false);
}

function ignoreNotFound(error: unknown): false {
  if (error instanceof NotFoundError) return false;
  throw error;
}

async function createGadget(name: string): Promise<void> {
  const create = () => admin.create(Gadget, { ...gadget(name) }).then(() => true, ignoreNotFound);
  await eventually(create, patience).toBe(true);
}

const gadget = (name: string) => ({
  apiVersion: "example.com/v1",
  kind: "Gadget",
  metadata: { namespace, name },
  spec: { size: 1 },
});

interface Running {
  readonly manager: Manager;
  readonly log: RecordingLogger;
}

async function run(definition: ControllerDefinition<never>, settings: CacheSettings = {}): Promise<Running> {
  const transport = httpTransport(accessFromKubeconfig(cluster.kubeconfig, { clock: systemClock, env: {} }));
  const log = new RecordingLogger();
  const manager = new Manager({
    client: createClient({ transport }),
    log,
    cache: { servedCheckMs: 100, ...settings },
    metrics: { port: -1 },
    health: { port: -1 },
  });
  manager.add(definition, undefined);
  const stop = new AbortController();
  const running = manager.run(stop.signal);
  onTestFinished(async () => {
    stop.abort();
    await running;
    await transport.close();
  });
  return { manager, log };
}

const gadgets = ifServed(Gadget);

/** Counts the reconciles of each gadget. */
function counting(seen: string[]): ControllerDefinition<ObjectKey> {
  return controllerFor<ObjectKey>({ name: "gadgets", formatKey })
    .watches(ConfigMap, ({ metadata: { name } }) => (name === "started" ? [{ name }] : []))
    .watches(gadgets, ({ metadata: { name } }) => [{ name }])
    .reconcileKey(async ({ key, client }) => {
      const { items } = await client.list(gadgets, { namespace });
      seen.push(`${key.name} ${items.map(({ metadata }) => metadata.name).join()}`);
    });
}

describe("an optional kind", () => {
  it("[RF25] is absent, is watched when it is installed, is emptied when it is removed, and comes again", async () => {
    const seen: string[] = [];
    await admin.create(ConfigMap, { metadata: { namespace, name: "started" } });
    const { manager, log } = await run(counting(seen));
    await eventually(() => seen).toEqual(["started "]);
    await expect(manager.client.get(gadgets, { namespace, name: "a" })).rejects.toThrow(NotFoundError);
    expect((await manager.client.list(metadataOnly(gadgets))).items).toEqual([]);

    await install();
    await createGadget("a");
    await eventually(() => seen.at(-1), patience).toBe("a a");
    await admin.delete(Gadget, { namespace, name: "a" });
    await eventually(() => seen.at(-1), patience).toBe("a ");

    await createGadget("b");
    await eventually(() => seen.at(-1), patience).toBe("b b");
    await uninstall();
    await eventually(() => seen.at(-1), patience).toBe("b ");
    const absent = () => manager.cache.statuses.filter(({ phase }) => phase === "notServed").length;
    await eventually(absent, patience).toBe(2);

    await install();
    await createGadget("c");
    await eventually(() => seen.at(-1), patience).toBe("c c");
    const { items } = await manager.client.list(gadgets);
    expect(items.map(({ metadata }) => metadata.name)).toEqual(["c"]);
    expect(log.messages("error")).toEqual([]);
    expect(log.messages("warn").length).toBeLessThanOrEqual(4);
    const served = log.lines.filter(({ fields }) => fields.informer === "gadgets.example.com");
    expect(served.filter(({ level }) => level === "info").map(({ message }) => message)).toEqual([
      "the API server does not serve an optional kind; it is watched as soon as it is served",
      "the API server serves an optional kind; it is watched",
      "the API server does not serve an optional kind; it is watched as soon as it is served",
      "the API server serves an optional kind; it is watched",
    ]);
  });

  it("[RF25] that is served is synced before the controller starts", async () => {
    await install();
    await createGadget("a");
    const seen: string[] = [];
    await run(counting(seen), { defaults: { namespaces: { [namespace]: {} } } });
    await eventually(() => seen.length, patience).toBeGreaterThanOrEqual(2);
    expect(new Set(seen)).toEqual(new Set(["started a", "a a"]));
  });

  it("[EV8] [RF25] does not hold up a controller, as a kind does that is not optional", async () => {
    const seen: string[] = [];
    const watching = (kind: typeof Gadget, name: string) =>
      controller(ConfigMap)
        .named(name)
        .watches(kind, () => [])
        .reconcile(() => void seen.push(name));
    const { manager } = await run(watching(Gadget, "required"));
    manager.add(watching(gadgets, "optional"), undefined);
    await eventually(() => seen, patience).toContain("optional");
    expect(seen).not.toContain("required");
  });
});
