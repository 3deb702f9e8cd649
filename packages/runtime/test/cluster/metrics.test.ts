import {
  accessFromKubeconfig,
  type Client,
  createClient,
  httpTransport,
  listenHttp,
  mergePatch,
} from "@keelson/client";
import { type ControlPlane, startControlPlane } from "@keelson/controlplane";
import { systemClock, systemRandom, type Transport } from "@keelson/core";
import { TokenRequest } from "@keelson/core/kinds/authentication/v1";
import { ConfigMap, Namespace, ServiceAccount } from "@keelson/core/kinds/core/v1";
import { ClusterRole, ClusterRoleBinding } from "@keelson/core/kinds/rbac/v1";
import { VirtualClock } from "@keelson/testkit";
import { context, trace } from "@opentelemetry/api";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { cachedClient } from "../../src/cache/cached-client.ts";
import { InformerCache } from "../../src/cache/informer-cache.ts";
import { controller } from "../../src/controller/builder.ts";
import { Controller } from "../../src/controller/controller.ts";
import type { ControllerDefinition } from "../../src/controller/controller-definition.ts";
import { TerminalError } from "../../src/controller/reconciler.ts";
import { authorizeByReview } from "../../src/telemetry/metrics/authorize-by-review.ts";
import { createMetrics, type Metrics } from "../../src/telemetry/metrics/metrics.ts";
import { type MetricsServiceOptions, metricsService } from "../../src/telemetry/metrics/metrics-service.ts";
import { createTracing } from "../../src/telemetry/tracing/tracing.ts";
import { type ParsedMetric, parseExposition } from "../support/exposition.ts";
import { RecordingTracer } from "../support/recording-tracer.ts";

let controlPlane: ControlPlane;
let adminTransport: Transport;
let admin: Client;

beforeAll(async () => {
  controlPlane = await startControlPlane();
  adminTransport = transportOf(controlPlane.kubeconfig);
  admin = createClient({ transport: adminTransport });
});
afterAll(async () => {
  await adminTransport?.close();
  await controlPlane?.stop();
});

const transportOf = (kubeconfig: ControlPlane["kubeconfig"]) =>
  httpTransport(accessFromKubeconfig(kubeconfig, { clock: systemClock, env: {} }));

const eventually = <T>(get: () => T) => expect.poll(get, { timeout: 30_000 });

let worlds = 0;

interface World {
  readonly namespace: string;
  readonly metrics: Metrics;
  readonly cache: InformerCache;
  /** Runs it until the test has ended. */
  run(definition: ControllerDefinition): void;
}

/** A cache of a namespace of its own; everything in it is measured. */
async function world(): Promise<World> {
  worlds += 1;
  const namespace = `metrics-${worlds}`;
  await admin.create(Namespace, { metadata: { name: namespace } });
  const metrics = createMetrics({ requestDetails: true });
  const transport = metrics.measureTransport(transportOf(controlPlane.kubeconfig), "api:6443");
  const client = createClient({ transport });
  const settings = { defaults: { namespaces: { [namespace]: {} } } };
  const cache = new InformerCache({ client, settings, onStaleRead: metrics.onStaleRead });
  metrics.observeInformers(() => cache.statuses);
  const tracer = await createTracing();
  const stop = new AbortController();
  const running: Promise<void>[] = [];
  running.push(cache.run(stop.signal));
  onTestFinished(async () => {
    stop.abort();
    await Promise.all(running);
    await transport.close();
    metrics[Symbol.dispose]();
  });
  const environment = {
    client,
    cache,
    cachedClient: cachedClient(client, cache),
    clock: systemClock,
    random: systemRandom,
    observer: metrics.controllers,
    ...(tracer !== undefined && { tracer }),
  };
  const run = (definition: ControllerDefinition): void => {
    running.push(new Controller(definition, environment, undefined).run(stop.signal));
  };
  return { namespace, metrics, cache, run };
}

/** Serves the metrics on a port of its own until the test has ended; returns the function that requests them. */
async function serve(
  metrics: Metrics,
  options: MetricsServiceOptions = {},
): Promise<(init?: RequestInit) => Promise<Response>> {
  const listener = await listenHttp({ host: "127.0.0.1", port: 0 }, metricsService(metrics, options));
  onTestFinished(() => listener.close(0));
  return (init) => fetch(`http://127.0.0.1:${listener.port}/metrics`, init);
}

function sampleOf(
  metrics: ReadonlyMap<string, ParsedMetric>,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number | undefined {
  const samples = [...metrics.values()].flatMap((metric) => metric.samples);
  return samples.find(
    (sample) =>
      sample.name === name &&
      Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
  )?.value;
}

describe("metrics of a controller that runs", () => {
  it("[MX1] [MX2] [MX3] [MX4] [MX5] are served, and show what it did", async () => {
    const { namespace, metrics, run } = await world();
    const request = await serve(metrics);
    const scrape = async () => parseExposition(await (await request()).text());
    run(
      controller(ConfigMap)
        .named("mapper")
        .reconcileKey(async ({ key, client }) => {
          if (key.name === "broken") throw new TerminalError("it cannot be");
          if (key.name !== "good") return undefined;
          await client.patch(ConfigMap, key, mergePatch({ data: { seen: "yes" } }));
          const { data } = await client.get(ConfigMap, key);
          if (data?.seen !== "yes") throw new Error("an own write was not read");
          return { requeueAfterMs: 3_600_000 };
        }),
    );
    const mapper = { controller: "mapper" };
    await eventually(async () =>
      sampleOf(await scrape(), "controller_runtime_max_concurrent_reconciles"),
    ).toBe(1);
    await admin.create(ConfigMap, { metadata: { namespace, name: "good" } });
    await admin.create(ConfigMap, { metadata: { namespace, name: "broken" } });
    await eventually(async () =>
      sampleOf(await scrape(), "controller_runtime_terminal_reconcile_errors_total", mapper),
    ).toBe(1);
    const requeued = { ...mapper, result: "requeue_after" };
    await eventually(async () =>
      sampleOf(await scrape(), "controller_runtime_reconcile_total", requeued),
    ).toBeGreaterThan(0);

    // Its own write comes back as an event; when that is worked off, nothing more happens.
    await eventually(async () => {
      const now = await scrape();
      const work = ["workqueue_depth", "workqueue_unfinished_work_seconds"].map((name) =>
        sampleOf(now, name, { name: "mapper" }),
      );
      const responses = sampleOf(now, "rest_client_requests_total", { method: "PATCH" });
      return [...work, Number(responses) >= 2];
    }).toEqual([0, 0, true]);

    const response = await request();
    expect(response.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
    const head = await request({ method: "HEAD" });
    expect([head.status, await head.text()]).toEqual([200, ""]);
    const found = parseExposition(await response.text());
    const value = (name: string, labels?: Record<string, string>) => sampleOf(found, name, labels);
    expect(value("reconcile_errors_total", mapper)).toBe(1);
    expect(value("controller_runtime_reconcile_panics_total", mapper)).toBe(0);
    expect(value("workqueue_adds_total", { name: "mapper", controller: "mapper" })).toBeGreaterThan(1);
    expect(value("workqueue_retries_total", { name: "mapper" })).toBeGreaterThan(0);
    expect(value("workqueue_depth", { name: "mapper" })).toBe(0);
    expect(value("workqueue_unfinished_work_seconds", { name: "mapper" })).toBe(0);
    expect(value("rest_client_requests_total", { code: "200", method: "PATCH", host: "api:6443" })).toBe(
      value("rest_client_request_size_bytes_count", { verb: "PATCH" }),
    );
    const informer = `configmaps in ${namespace}`;
    expect(value("informer_objects", { informer })).toBeGreaterThanOrEqual(2);
    expect(value("informer_store_resource_version", { informer })).toBeGreaterThan(0);
    expect(value("informer_last_event_age_seconds", { informer })).toBeLessThan(30);
    expect(value("informer_event_lag_seconds", { informer })).toBeLessThan(30);
    expect(value("informer_bytes_total", { informer })).toBeGreaterThan(500);
    expect(value("informer_lists_total", { informer })).toBe(0);
    expect(value("informer_watches_total", { informer, outcome: "closed" })).toBe(0);
  });

  it("[MX5] count a watch that is opened again after the API server was away", async () => {
    const { namespace, metrics, cache } = await world();
    const lease = cache.acquire(ConfigMap);
    onTestFinished(() => lease.release());
    await lease.synced();
    await controlPlane.restart("kube-apiserver");
    // A reflector that met a dead server may be up to a minute into its back-off [RF13].
    await expect.poll(() => cache.statuses[0]?.phase, { timeout: 70_000 }).toBe("watching");
    await eventually(async () => {
      const samples = parseExposition(await metrics.render()).get("informer_watches_total")?.samples ?? [];
      return samples
        .filter(({ labels }) => labels.informer === `configmaps in ${namespace}`)
        .reduce((sum, { value }) => sum + value, 0);
    }).toBeGreaterThan(0);
  }, 150_000);
});

describe("who may see metrics", () => {
  /** A service account with a token, and with these rights. */
  async function tokenOf(name: string, mayScrape: boolean): Promise<string> {
    const key = { namespace: "default", name };
    await admin.create(ServiceAccount, { metadata: key });
    if (mayScrape) {
      await admin.create(ClusterRole, {
        metadata: { name },
        rules: [{ nonResourceURLs: ["/metrics"], verbs: ["get"] }],
      });
      await admin.create(ClusterRoleBinding, {
        metadata: { name },
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name },
        subjects: [{ kind: "ServiceAccount", ...key }],
      });
    }
    const created = await admin
      .subresource(ServiceAccount, "token", TokenRequest)
      .create(key, { metadata: {}, spec: {} });
    return created.status?.token ?? "";
  }

  const reviewer = {
    user: "metrics-reviewer",
    rules: [
      { apiGroups: ["authentication.k8s.io"], resources: ["tokenreviews"], verbs: ["create"] },
      { apiGroups: ["authorization.k8s.io"], resources: ["subjectaccessreviews"], verbs: ["create"] },
    ],
  };

  it("[MX3] is decided by the API server, once per short time", async () => {
    const { kubeconfig } = await controlPlane.createUser(reviewer);
    const real = transportOf(kubeconfig);
    onTestFinished(() => real.close());
    const reviews: string[] = [];
    const transport: Transport = {
      send: (request) => {
        reviews.push(request.path.split("/").at(-1)?.split("?")[0] ?? "");
        return real.send(request);
      },
      close: () => real.close(),
    };
    const clock = new VirtualClock();
    const { metrics } = await world();
    const request = await serve(metrics, {
      authorize: authorizeByReview(createClient({ transport }), { clock }),
    });
    const requestWith = (token: string) => request({ headers: { authorization: `Bearer ${token}` } });
    const allowed = await tokenOf("scraper", true);
    const denied = await tokenOf("stranger", false);

    await eventually(async () => {
      await clock.advance(10_000);
      return (await requestWith(allowed)).status;
    }).toBe(200);
    reviews.length = 0;
    await clock.advance(60_000);
    expect(parseExposition(await (await requestWith(allowed)).text()).size).toBeGreaterThan(5);
    await clock.advance(59_999);
    expect((await requestWith(allowed)).status).toBe(200);
    expect(reviews).toEqual(["tokenreviews", "subjectaccessreviews"]);
    await clock.advance(1);
    expect((await requestWith(allowed)).status).toBe(200);
    expect(reviews).toHaveLength(4);

    const refused = await requestWith(denied);
    expect(refused.status).toBe(403);
    expect(await refused.text()).toContain("system:serviceaccount:default:stranger");
    expect((await requestWith("nonsense")).status).toBe(401);
    const anonymous = await request();
    expect(anonymous.status).toBe(401);
    expect(anonymous.headers.get("www-authenticate")).toBe("Bearer");
  });

  it("[MX3] is refused if the operator may not create reviews", async () => {
    const { kubeconfig } = await controlPlane.createUser({ user: "no-reviewer" });
    const transport = transportOf(kubeconfig);
    onTestFinished(() => transport.close());
    const { metrics } = await world();
    const request = await serve(metrics, { authorize: authorizeByReview(createClient({ transport })) });
    expect((await request({ headers: { authorization: "Bearer abc" } })).status).toBe(500);
  });
});

describe("traces of a controller that runs", () => {
  it("have a span for each reconcile and one for each of its calls to the API server", async () => {
    const tracer = new RecordingTracer();
    trace.setGlobalTracerProvider(tracer);
    onTestFinished(() => {
      trace.disable();
      context.disable();
    });
    const { namespace, run } = await world();
    await admin.create(ConfigMap, { metadata: { namespace, name: "traced" } });
    run(
      controller(ConfigMap)
        .named("tracer")
        .reconcileKey(async ({ key, client, liveClient }) => {
          if (key.name !== "traced") return;
          await client.get(ConfigMap, key);
          await liveClient.get(ConfigMap, key);
          await client.get(ConfigMap, { ...key, name: "absent" }).catch(() => undefined);
          await client.patch(ConfigMap, key, mergePatch({ data: { seen: "yes" } }));
        }),
    );
    const spanOfRun = () =>
      tracer.spans.find(
        ({ attributes, isEnded }) =>
          attributes.controller === "tracer" && attributes.name === "traced" && isEnded,
      );
    await eventually(spanOfRun).toBeDefined();
    const span = spanOfRun();
    expect(span).toMatchObject({
      name: "reconcile tracer",
      attributes: { kind: "ConfigMap", namespace, name: "traced", result: "success" },
    });
    const calls = tracer.spans.filter(({ parentSpanId }) => parentSpanId === span?.spanContext().spanId);
    expect(calls.every(({ isEnded }) => isEnded)).toBe(true);
    expect(calls.map(({ name, attributes }) => `${name} ${attributes.name} ${attributes.status}`)).toEqual([
      "get configmaps traced ok",
      "get configmaps absent 404",
      "patch configmaps traced ok",
    ]);
  });
});
