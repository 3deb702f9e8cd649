import { accessFromKubeconfig, type Client, createClient, httpTransport, jsonPatch } from "@keelson/client";
import type { Access } from "@keelson/controlplane";
import {
  formatKey,
  genericResource,
  type ObjectKey,
  type Stored,
  setControllerReference,
  systemClock,
} from "@keelson/core";
import { CustomResourceDefinition } from "@keelson/core/kinds/apiextensions/v1";
import { Deployment } from "@keelson/core/kinds/apps/v1";
import { ConfigMap, Namespace, Secret } from "@keelson/core/kinds/core/v1";
import { ClusterRole, ClusterRoleBinding } from "@keelson/core/kinds/rbac/v1";
import { type Cluster, startCluster } from "@keelson/testkit";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { InformerCache } from "../../src/cache/informer-cache.ts";
import { enqueueOwner, enqueueSelf } from "../../src/source/handlers.ts";
import { informerSource, kindSource } from "../../src/source/kind-source.ts";
import { generationChanged } from "../../src/source/predicates.ts";
import type { RunningSource, Source } from "../../src/source/source.ts";
import { SourceHarness } from "../support/source-harness.ts";

let controlPlane: Cluster;
let admin: Client;
let closeAdmin: () => Promise<void>;

beforeAll(async () => {
  controlPlane = await startCluster(process.env.KEELSON_LEVEL);
  const transport = transportFor(controlPlane);
  admin = createClient({ transport });
  closeAdmin = () => transport.close();
});
afterAll(async () => {
  await closeAdmin?.();
  await controlPlane?.stop();
});

const transportFor = ({ kubeconfig }: Access) =>
  httpTransport(accessFromKubeconfig(kubeconfig, { clock: systemClock, env: {} }));

interface World {
  readonly harness: SourceHarness;
  readonly cache: InformerCache;
  run(source: Source<ObjectKey>): RunningSource;
}

/** A running cache, and what a controller gives to its sources. Only the sources' clock stands still. */
function world(access: Access = controlPlane): World {
  const transport = transportFor(access);
  const cache = new InformerCache({ client: createClient({ transport }) });
  const harness = new SourceHarness({ formatKey, cache });
  const stopCache = new AbortController();
  const running = cache.run(stopCache.signal);
  const sources: RunningSource[] = [];
  onTestFinished(async () => {
    harness.abort();
    await Promise.all(sources.map(({ ended }) => ended));
    expect(cache.statuses).toEqual([]);
    expect(harness.clock.pendingTimers).toEqual([]);
    stopCache.abort();
    await running;
    await transport.close();
  });
  return {
    harness,
    cache,
    run: (source) => {
      const run = harness.run(source);
      sources.push(run);
      return run;
    },
  };
}

let namespaces = 0;

async function makeNamespace(): Promise<string> {
  namespaces += 1;
  const name = `sources-${namespaces}`;
  await admin.create(Namespace, { metadata: { name } });
  return name;
}

const deployment = (namespace: string, name: string) => ({
  metadata: { namespace, name },
  spec: {
    replicas: 0,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { containers: [{ name: "web", image: "web:1" }] },
    },
  },
});

/** `update shop/web spec.replicas`, for each key that was queued, with its priority if it has one. */
const enqueued = ({ queued }: SourceHarness): readonly string[] =>
  queued.map(({ key, trigger, priority }) =>
    [trigger.type, formatKey(key), ...(trigger.changedPaths?.() ?? []), priority].filter(Boolean).join(" "),
  );

describe("a kind source of Deployments", () => {
  it("[EV10] enqueues existing objects at low priority, and then each create, update and delete", async () => {
    const namespace = await makeNamespace();
    const { harness, run } = world();
    await admin.create(Deployment, deployment(namespace, "old"));
    const source = kindSource({ resource: Deployment, handler: enqueueSelf(), selection: { namespace } });
    await run(source).synced;
    expect(enqueued(harness)).toEqual([`create ${namespace}/old -100`]);
    const created = await admin.create(Deployment, deployment(namespace, "web"));
    await expect.poll(() => enqueued(harness).slice(1)).toEqual([`create ${namespace}/web`]);
    const key = { namespace, name: "web" };
    const scaled = await admin.patch(
      Deployment,
      key,
      jsonPatch([
        { op: "replace", path: "/spec/replicas", value: 3 },
        { op: "replace", path: "/spec/template/spec/containers/0/image", value: "web:2" },
      ]),
    );
    await expect
      .poll(() => enqueued(harness).slice(2))
      .toEqual([
        `update ${namespace}/web metadata.generation spec.replicas spec.template.spec.containers[name=web].image`,
      ]);
    await admin.delete(Deployment, key);
    await expect.poll(() => enqueued(harness).slice(3)).toEqual([`delete ${namespace}/web`]);
    const versions = harness.queued.slice(1, 3).map(({ trigger }) => trigger.object?.resourceVersion);
    expect(versions).toEqual([created.metadata.resourceVersion, scaled.metadata.resourceVersion]);
    expect(harness.queued.map(({ trigger }) => trigger.object?.kind)).toEqual(Array(4).fill("Deployment"));
  });

  it("[EV6] passes a new generation and a deletion that a finalizer holds, and not the status", async () => {
    const namespace = await makeNamespace();
    const { harness, run } = world();
    const handler = enqueueSelf();
    const predicates = [generationChanged];
    await run(kindSource({ resource: Deployment, handler, predicates, selection: { namespace } })).synced;
    const { metadata, spec } = deployment(namespace, "web");
    await admin.create(Deployment, { metadata: { ...metadata, finalizers: ["example.com/hold"] }, spec });
    await admin
      .status(Deployment)
      .patch(metadata, jsonPatch([{ op: "add", path: "/status/replicas", value: 1 }]));
    await admin.delete(Deployment, metadata);
    await admin.patch(Deployment, metadata, jsonPatch([{ op: "remove", path: "/metadata/finalizers" }]));
    await expect.poll(() => harness.queued.at(-1)?.trigger.type).toBe("delete");
    const updates = harness.queued.filter(({ trigger }) => trigger.type === "update");
    expect(updates).toHaveLength(1);
    expect(updates[0]?.trigger.changedPaths?.().toSorted()).toEqual([
      "metadata.deletionGracePeriodSeconds",
      "metadata.deletionTimestamp",
      "metadata.generation",
    ]);
  });
});

describe("a kind source of owned objects", () => {
  it("[EV4] queues the owner that an object loses and the one that it gets", async () => {
    const namespace = await makeNamespace();
    const { harness, run } = world();
    const make = (name: string) => admin.create(ConfigMap, { metadata: { namespace, name } });
    const owners = [await make("first"), await make("second")] as const;
    const child: Secret = { apiVersion: "v1", kind: "Secret", metadata: { namespace, name: "child" } };
    const ownedBy = (owner: Stored<ConfigMap>): Secret =>
      setControllerReference({ object: owner, resource: ConfigMap }, { object: child, resource: Secret });
    const handler = enqueueOwner(ConfigMap);
    await run(kindSource({ resource: Secret, handler, selection: { namespace } })).synced;
    await admin.create(Secret, ownedBy(owners[0]));
    await admin.update(Secret, ownedBy(owners[1]));
    await admin.delete(Secret, { namespace, name: "child" });
    await expect
      .poll(() => harness.queued.map(({ key, trigger }) => `${trigger.type} ${key.name}`))
      .toEqual(["create first", "update first", "update second", "delete second"]);
  });
});

describe("an informer source", () => {
  it("enqueues the events of an informer that the caller has acquired", async () => {
    const namespace = await makeNamespace();
    const { harness, cache, run } = world();
    const informer = cache.acquire(ConfigMap, { selection: { namespace } });
    const name = `watches configmaps in ${namespace}`;
    const { synced, ended } = run(informerSource({ name, informer, handler: enqueueSelf() }));
    await synced;
    await admin.create(ConfigMap, { metadata: { namespace, name: "a" } });
    await expect
      .poll(() => enqueued(harness).filter((line) => line.includes("/a")))
      .toEqual([`create ${namespace}/a`]);
    harness.abort();
    await ended;
    expect(cache.statuses.map(({ objects }) => objects)).toEqual([harness.queued.length]);
    await informer.release();
  });
});

describe("a kind source that cannot read", () => {
  const Widget = genericResource({
    group: "sources.example.com",
    version: "v1",
    kind: "Widget",
    plural: "widgets",
    scope: "Namespaced",
  });
  const definition = {
    metadata: { name: "widgets.sources.example.com" },
    spec: {
      group: Widget.group,
      names: { plural: Widget.plural, singular: "widget", kind: Widget.kind, listKind: "WidgetList" },
      scope: "Namespaced",
      versions: [
        { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } },
      ],
    },
  };

  /** Lets 10 s pass for the source as soon as the informer has failed. */
  const reportOf = async ({ harness, cache }: World): Promise<readonly string[]> => {
    await expect.poll(() => cache.statuses[0]?.lastError, { timeout: 20_000 }).toBeDefined();
    await harness.clock.advance(10_000);
    return harness.messages("error");
  };

  it("[EV8] logs that the CRD is missing, and continues when it exists", async () => {
    const made = world();
    const { harness, run } = made;
    const { synced } = run(kindSource({ resource: Widget, handler: enqueueSelf() }));
    expect(await reportOf(made)).toEqual([
      "sync watches widgets.sources.example.com: the API server serves no widgets of sources.example.com/v1; " +
        "install the CRD of widgets.sources.example.com, in that version",
    ]);
    await admin.create(CustomResourceDefinition, definition);
    await synced;
    const metadata = { namespace: "default", name: "a" };
    await admin.create(Widget, { metadata });
    await expect.poll(() => harness.keys).toEqual(["default/a"]);
    await harness.clock.advance(60_000);
    expect(harness.messages("error")).toHaveLength(1);
  });

  it("[EV8] logs which permission is missing, and continues when it is granted", async () => {
    const namespace = await makeNamespace();
    await admin.create(Secret, { metadata: { namespace, name: "a" } });
    const made = world(await controlPlane.createUser({ user: "ann" }));
    const { harness, run } = made;
    const { synced } = run(
      kindSource({ resource: Secret, handler: enqueueSelf(), selection: { namespace } }),
    );
    expect(await reportOf(made)).toEqual([
      expect.stringMatching(
        /^sync watches secrets: reading secrets in sources-\d+ is not allowed; grant the verbs list and watch on secrets \(.*User "ann" cannot (list|watch) resource "secrets"/,
      ),
    ]);
    const metadata = { name: "sources-ann" };
    await admin.create(ClusterRole, {
      metadata,
      rules: [{ apiGroups: [""], resources: ["secrets"], verbs: ["list", "watch"] }],
    });
    await admin.create(ClusterRoleBinding, {
      metadata,
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: metadata.name },
      subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "ann" }],
    });
    await synced;
    expect(harness.keys).toEqual([`${namespace}/a`]);
  });
});
