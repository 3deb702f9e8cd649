import { createClient } from "@keelson/client";
import type { Transport } from "@keelson/core";
import { Deployment } from "@keelson/core/kinds/apps/v1";
import { VirtualClock } from "@keelson/testkit";
import { describe, expect, it } from "vitest";
import { type ParsedMetric, parseExposition } from "../../../test/support/exposition.ts";
import type { InformerStatus } from "../../cache/informer/informer.ts";
import { noWatches } from "../../watch/reflector-options.ts";
import { createMetrics, type Metrics, type MetricsOptions } from "./metrics.ts";

const seconds =
  ".005 .01 .025 .05 .1 .15 .2 .25 .3 .35 .4 .45 .5 .6 .7 .8 .9 1 1.25 1.5 1.75 2 2.5 3 3.5 4 4.5 5 6 7 8 9 10 15 20 25 30 40 50 60";
const decades = "1e-8 1e-7 1e-6 1e-5 1e-4 1e-3 1e-2 1e-1 1 10 100 1000";
const requests = ".005 .025 .1 .25 .5 1 2 4 8 15 30 60";
const sizes = "64 256 512 1024 4096 16384 65536 262144 1048576 4194304 16777216";

/** The metrics of docs/semantics.md: id, name, type, labels, buckets. */
const table: readonly (readonly [
  id: string,
  name: string,
  type: string,
  labels: string,
  buckets?: string,
])[] = [
  ["MX1", "controller_runtime_reconcile_total", "counter", "controller result"],
  ["MX1", "controller_runtime_reconcile_errors_total", "counter", "controller"],
  ["MX1", "controller_runtime_terminal_reconcile_errors_total", "counter", "controller"],
  ["MX1", "controller_runtime_reconcile_panics_total", "counter", "controller"],
  ["MX1", "controller_runtime_reconcile_timeouts_total", "counter", "controller"],
  ["MX1", "controller_runtime_reconcile_time_seconds", "histogram", "controller", seconds],
  ["MX1", "controller_runtime_max_concurrent_reconciles", "gauge", "controller"],
  ["MX1", "controller_runtime_active_workers", "gauge", "controller"],
  ["MX2", "workqueue_depth", "gauge", "controller name priority"],
  ["MX2", "workqueue_adds_total", "counter", "controller name"],
  ["MX2", "workqueue_queue_duration_seconds", "histogram", "controller name", decades],
  ["MX2", "workqueue_work_duration_seconds", "histogram", "controller name", decades],
  ["MX2", "workqueue_unfinished_work_seconds", "gauge", "controller name"],
  ["MX2", "workqueue_longest_running_processor_seconds", "gauge", "controller name"],
  ["MX2", "workqueue_retries_total", "counter", "controller name"],
  ["MX3", "controller_runtime_webhook_latency_seconds", "histogram", "webhook", decades],
  ["MX3", "controller_runtime_webhook_requests_total", "counter", "code webhook"],
  ["MX3", "controller_runtime_webhook_requests_in_flight", "gauge", "webhook"],
  ["MX3", "controller_runtime_webhook_panics_total", "counter", ""],
  ["MX3", "controller_runtime_conversion_webhook_panics_total", "counter", ""],
  ["MX3", "rest_client_requests_total", "counter", "code host method"],
  ["MX3", "rest_client_request_duration_seconds", "histogram", "host verb", requests],
  ["MX3", "rest_client_rate_limiter_duration_seconds", "histogram", "host verb", requests],
  ["MX3", "rest_client_request_size_bytes", "histogram", "host verb", sizes],
  ["MX3", "rest_client_response_size_bytes", "histogram", "host verb", sizes],
  ["MX3", "rest_client_dns_resolution_duration_seconds", "histogram", "host", requests.replace(" 60", "")],
  ["MX3", "rest_client_request_retries_total", "counter", "code host verb"],
  ["MX3", "leader_election_master_status", "gauge", "name"],
  ["MX3", "leader_election_slowpath_total", "counter", "name"],
  ["MX3", "certwatcher_read_certificate_total", "counter", ""],
  ["MX3", "certwatcher_read_certificate_errors_total", "counter", ""],
  ["MX4", "reconcile_total", "counter", "controller result"],
  ["MX4", "reconcile_errors_total", "counter", "controller"],
  ["MX4", "reconcile_duration_seconds", "histogram", "controller", seconds],
  ["MX5", "informer_objects", "gauge", "informer"],
  ["MX5", "informer_unreadable_objects", "gauge", "informer"],
  ["MX5", "informer_unindexed_objects", "gauge", "index informer"],
  ["MX5", "informer_store_resource_version", "gauge", "informer"],
  ["MX5", "informer_last_event_age_seconds", "gauge", "informer"],
  ["MX5", "informer_lists_total", "counter", "informer"],
  ["MX5", "informer_watches_total", "counter", "informer outcome"],
  ["MX5", "informer_bytes_total", "counter", "informer"],
  ["MX5", "informer_event_lag_seconds", "gauge", "informer"],
  ["MX5", "stale_sync_skips_total", "counter", "informer"],
  ["EVR1", "events_sent_total", "counter", "how"],
  ["EVR1", "events_dropped_total", "counter", "reason"],
  ["RW1", "cache_stale_reads_total", "counter", "resource"],
  ["CT19", "event_loop_block_seconds", "histogram", "controller", ".05 .1 .25 .5 1 2.5 5 10"],
  ["hot loops", "hot_loop_noop_writes_total", "counter", "controller"],
  ["hot loops", "hot_loop_ping_pongs_total", "counter", "controller"],
  ["hot loops", "hot_loop_self_woken_total", "counter", "controller"],
  ["EV12", "event_handler_failures_total", "counter", "controller reason source"],
  ["hot loops", "hot_loop_replacements_total", "counter", "controller"],
  ["hot loops", "hot_loop_slowed_total", "counter", "controller"],
];

const ofProcess = /^(process|nodejs)_/;

const clock = new VirtualClock({ startAt: 1_000_000 });

function metricsOf(options: MetricsOptions = {}): Metrics {
  return createMetrics({ clock, processMetrics: false, ...options });
}

async function scrape(metrics: Metrics): Promise<ReadonlyMap<string, ParsedMetric>> {
  return parseExposition(await metrics.render());
}

/** The value of the only sample that has these labels. */
async function sampleValue(
  metrics: Metrics,
  name: string,
  labels: Record<string, string> = {},
): Promise<number> {
  const samples = [...(await scrape(metrics)).values()].flatMap((metric) => metric.samples);
  const found = samples.filter(
    (sample) =>
      sample.name === name &&
      Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
  );
  expect(found.map((sample) => sample.name)).toEqual([name]);
  return found[0]?.value ?? Number.NaN;
}

const transport: Transport = {
  send: async ({ path }) => {
    if (path === "/lost") throw new Error("the connection broke");
    return {
      status: 200,
      headers: {},
      body: (async function* () {
        yield new Uint8Array(300);
      })(),
    };
  },
  close: async () => undefined,
};

const status: InformerStatus = {
  name: "pods in shop",
  phase: "watching",
  hasSynced: true,
  objects: 7,
  unreadableObjects: 2,
  unindexedObjects: { owner: 1 },
  resourceVersion: "4711",
  lastEventAtMs: 990_000,
  lastBookmarkAtMs: 997_000,
  lastEventLagMs: 2_000,
  bytesReceived: 1234,
  lists: 1,
  watches: { ...noWatches(), closed: 3, expired: 1 },
  delayedReads: 5,
};

async function read(measured: Transport, path: string, body?: string): Promise<void> {
  const head = { method: "GET", path, headers: {}, isStream: false } as const;
  const response = await measured.send(body === undefined ? head : { ...head, body });
  for await (const _ of response.body);
}

/** Calls every observer once, so that each metric has a sample. */
async function observeEverything(metrics: Metrics): Promise<void> {
  const { controllers, webhooks, requests } = metrics;
  const queue = controllers.queueObserver("webapp");
  controllers.started("webapp", 2);
  controllers.handlerFailed?.("webapp", "watches secrets", "timeout");
  queue?.unfinishedWork(() => ({ totalMs: 3_000, longestMs: 2_000, oldestReadyMs: 0 }));
  queue?.depthChanged(0, 1);
  webhooks.announce(["/validate"]);
  metrics.leader("lease").leaderChanged(false);
  metrics.observeInformers(() => [status]);
  metrics.onStaleRead({ resource: Deployment, operation: "get deployments.apps shop/web" });
  requests.rateLimited("GET", "server:443", 5);
  requests.resolved("server:443", 5);
  metrics.events.sent("create");
  metrics.events.dropped("spam");
  const measured = metrics.measureTransport(transport, "server:443");
  await read(measured, "/", "hello");
  const repeated = { method: "GET", path: "/", headers: {}, isStream: false } as const;
  for (let attempt = 0; attempt < 2; attempt++) await measured.send(repeated);
}

describe("what is exposed", () => {
  it.for(table)(
    "[%s] %s is a %s with the labels and buckets of the specification",
    async ([, name, type, labels, buckets]) => {
      const metrics = metricsOf({ requestDetails: true });
      await observeEverything(metrics);
      const metric = (await scrape(metrics)).get(name);
      expect(metric?.type).toBe(type);
      const sets = metric?.samples.map((sample) =>
        Object.keys(sample.labels).filter((label) => label !== "le"),
      );
      expect(new Set(sets?.map((set) => set.sort().join(" ")))).toEqual(new Set([labels]));
      const bounds = metric?.samples.flatMap((sample) => sample.labels.le ?? []).slice(0, -1);
      expect([...new Set(bounds)].map(Number)).toEqual(
        (buckets ?? "").split(" ").filter(Boolean).map(Number),
      );
    },
  );

  it("[MX3] counts the requests that a client retries, by the previous status code, and only those", async () => {
    const metrics = metricsOf({ requestDetails: true });
    const statuses = [429, 503, 200, 200];
    const busy: Transport = {
      ...transport,
      send: async () => ({
        status: statuses.shift() ?? 200,
        headers: { "content-type": "application/json", "retry-after": "1" },
        body: (async function* () {
          yield Buffer.from("{}");
        })(),
      }),
    };
    const own = new VirtualClock();
    const client = createClient({ transport: metrics.measureTransport(busy, "server:443"), clock: own });
    await own.runUntil(client.raw("/version"));
    await own.runUntil(client.raw("/version"));
    const samples = (await scrape(metrics)).get("rest_client_request_retries_total")?.samples;
    expect(samples?.map(({ labels, value }) => [labels.code, labels.verb, value])).toEqual([
      ["429", "GET", 1],
      ["503", "GET", 1],
    ]);
  });

  it("[MX1] [MX2] [MX3] [MX4] [MX5] is in the tables, and all of the tables is exposed", async () => {
    using metrics = createMetrics({ requestDetails: true });
    await observeEverything(metrics);
    const names = [...(await scrape(metrics)).keys()].filter((name) => !ofProcess.test(name));
    expect(names.sort()).toEqual(table.map(([, name]) => name).sort());
  });

  it("[MX4] [MX3] has aliases, and no details of requests, by default", async () => {
    const namesOf = async (options?: MetricsOptions): Promise<readonly string[]> => {
      const metrics = metricsOf(options);
      await observeEverything(metrics);
      const optional = /^(reconcile_|rest_client_)/;
      return [...(await scrape(metrics)).keys()].filter((name) => optional.test(name)).sort();
    };
    expect(await namesOf()).toEqual([
      "reconcile_duration_seconds",
      "reconcile_errors_total",
      "reconcile_total",
      "rest_client_requests_total",
    ]);
    expect(await namesOf({ aliases: [] })).toEqual(["rest_client_requests_total"]);
  });

  it("[MX3] has metrics of the process and of Node under their usual names", async () => {
    using metrics = createMetrics();
    const found = await scrape(metrics);
    expect(found.get("nodejs_version_info")?.samples[0]?.labels.version).toBe(process.version);
    const one = (name: string): number => found.get(name)?.samples[0]?.value ?? Number.NaN;
    expect(one("process_resident_memory_bytes")).toBeGreaterThan(1e7);
    expect(one("process_cpu_seconds_total")).toBeGreaterThan(0);
    expect(one("nodejs_heap_size_used_bytes")).toBeGreaterThan(1e6);
    expect(Math.abs(one("process_start_time_seconds") - (Date.now() / 1000 - process.uptime()))).toBeLessThan(
      5,
    );
    expect(found.get("nodejs_gc_duration_seconds")?.type).toBe("histogram");
  });

  it.runIf(process.platform === "linux")(
    "[MX3] has file descriptors and virtual memory where there is /proc",
    async () => {
      using metrics = createMetrics();
      expect(await sampleValue(metrics, "process_open_fds")).toBeGreaterThan(2);
      expect(await sampleValue(metrics, "process_max_fds")).toBeGreaterThan(2);
      expect(await sampleValue(metrics, "process_virtual_memory_bytes")).toBeGreaterThan(1e8);
    },
  );
});

describe("controllers and queues", () => {
  it("[MX1] have all values with 0 from the start", async () => {
    const metrics = metricsOf();
    metrics.controllers.started("webapp", 3);
    const found = await scrape(metrics);
    const names = table.filter(([id]) => id === "MX1").map(([, name]) => name);
    for (const name of names) {
      const values = found.get(name)?.samples.map(({ value }) => value) ?? [];
      const isLimit = name === "controller_runtime_max_concurrent_reconciles";
      expect([name, [...new Set(values)]]).toEqual([name, [isLimit ? 3 : 0]]);
    }
    const results = found
      .get("controller_runtime_reconcile_total")
      ?.samples.map(({ labels }) => labels.result);
    expect(results?.sort()).toEqual(["error", "requeue", "requeue_after", "success"]);
  });

  it("[MX1] [MX4] count under both names", async () => {
    const metrics = metricsOf();
    const { controllers } = metrics;
    controllers.reconciled("webapp", "success", 120);
    controllers.reconciled("webapp", "error", 60_001);
    controllers.reconciled("backup", "success", 1);
    controllers.failed("webapp");
    controllers.activeChanged("webapp", 1);
    const webapp = { controller: "webapp" };
    for (const prefix of ["controller_runtime_", ""]) {
      expect(await sampleValue(metrics, `${prefix}reconcile_total`, { ...webapp, result: "success" })).toBe(
        1,
      );
      expect(await sampleValue(metrics, `${prefix}reconcile_total`, { ...webapp, result: "requeue" })).toBe(
        0,
      );
      expect(await sampleValue(metrics, `${prefix}reconcile_errors_total`, webapp)).toBe(1);
    }
    for (const name of ["controller_runtime_reconcile_time_seconds", "reconcile_duration_seconds"]) {
      expect(await sampleValue(metrics, `${name}_count`, webapp)).toBe(2);
      expect(await sampleValue(metrics, `${name}_sum`, webapp)).toBeCloseTo(60.121);
      expect(await sampleValue(metrics, `${name}_bucket`, { ...webapp, le: "0.1" })).toBe(0);
      expect(await sampleValue(metrics, `${name}_bucket`, { ...webapp, le: "0.15" })).toBe(1);
      expect(await sampleValue(metrics, `${name}_bucket`, { ...webapp, le: "60" })).toBe(1);
      expect(await sampleValue(metrics, `${name}_bucket`, { ...webapp, le: "+Inf" })).toBe(2);
    }
    expect(await sampleValue(metrics, "controller_runtime_active_workers", webapp)).toBe(1);
  });

  it("[MX2] carry the name twice, and write bounds as Go does", async () => {
    const metrics = metricsOf();
    metrics.controllers.queueObserver("webapp")?.waited(0);
    const [first] = (await scrape(metrics)).get("workqueue_queue_duration_seconds")?.samples ?? [];
    expect(first).toMatchObject({ labels: { name: "webapp", controller: "webapp", le: "1e-08" }, value: 1 });
  });

  it("[MX2] [MX4] show the depth of each priority, and of no more than 25 of them", async () => {
    const metrics = metricsOf();
    const queue = metrics.controllers.queueObserver("webapp");
    for (let priority = 0; priority < 40; priority++) queue?.depthChanged(priority, 2);
    for (let priority = 0; priority < 40; priority++) queue?.depthChanged(priority, -1);
    const samples = (await scrape(metrics)).get("workqueue_depth")?.samples ?? [];
    expect(samples).toHaveLength(26);
    expect(samples.find(({ labels }) => labels.priority === "24")?.value).toBe(1);
    const shared = samples.find(({ labels }) => labels.priority === "exceeded_cardinality_limit");
    expect(shared?.value).toBe(15);
  });

  it("[MX2] read the unfinished work at a scrape", async () => {
    const metrics = metricsOf();
    let work = { totalMs: 0, longestMs: 0, oldestReadyMs: 0 };
    metrics.controllers.queueObserver("webapp")?.unfinishedWork(() => work);
    expect(await sampleValue(metrics, "workqueue_unfinished_work_seconds")).toBe(0);
    work = { totalMs: 5_500, longestMs: 3_000, oldestReadyMs: 0 };
    expect(await sampleValue(metrics, "workqueue_unfinished_work_seconds")).toBe(5.5);
    expect(await sampleValue(metrics, "workqueue_longest_running_processor_seconds")).toBe(3);
  });

  it("[CT19] count blocks of the event loop and hot loops", async () => {
    const metrics = metricsOf();
    metrics.controllers.eventLoopBlocked("webapp", 300);
    metrics.controllers.hotLoopObserver("webapp")?.noopWrite("deployments.apps shop/web");
    metrics.controllers.hotLoopObserver("webapp")?.slowed("shop/web", 1000);
    expect(await sampleValue(metrics, "event_loop_block_seconds_sum")).toBe(0.3);
    expect(await sampleValue(metrics, "hot_loop_noop_writes_total")).toBe(1);
    expect(await sampleValue(metrics, "hot_loop_slowed_total")).toBe(1);
    expect(await sampleValue(metrics, "hot_loop_ping_pongs_total")).toBe(0);
  });
});

describe("webhooks, certificates and leaders", () => {
  it("[MX3] have the usual codes before the first request", async () => {
    const metrics = metricsOf();
    metrics.webhooks.announce(["/validate"]);
    for (const code of ["200", "500"])
      expect(await sampleValue(metrics, "controller_runtime_webhook_requests_total", { code })).toBe(0);
    metrics.webhooks.inFlightChanged("/validate", 1);
    metrics.webhooks.responded("/validate", 400, 20);
    expect(await sampleValue(metrics, "controller_runtime_webhook_requests_total", { code: "400" })).toBe(1);
    expect(await sampleValue(metrics, "controller_runtime_webhook_requests_in_flight")).toBe(1);
    expect(await sampleValue(metrics, "controller_runtime_webhook_latency_seconds_sum")).toBe(0.02);
  });

  it("[MX3] count conversions that threw apart from admissions", async () => {
    const metrics = metricsOf();
    metrics.webhooks.panicked("/validate");
    metrics.webhooks.panicked("/convert");
    metrics.webhooks.panicked("/mutate");
    expect(await sampleValue(metrics, "controller_runtime_webhook_panics_total")).toBe(2);
    expect(await sampleValue(metrics, "controller_runtime_conversion_webhook_panics_total")).toBe(1);
  });

  it("[MX3] count reads of certificates, failed ones also apart", async () => {
    const metrics = metricsOf();
    metrics.certificates.read();
    metrics.certificates.read();
    metrics.certificates.readFailed();
    expect(await sampleValue(metrics, "certwatcher_read_certificate_total")).toBe(2);
    expect(await sampleValue(metrics, "certwatcher_read_certificate_errors_total")).toBe(1);
  });

  it("[MX3] [LE11] show whether this replica leads, and count slow renewals", async () => {
    const metrics = metricsOf();
    const leader = metrics.leader("webapp-leader");
    leader.leaderChanged(true);
    leader.slowPathTaken();
    expect(await sampleValue(metrics, "leader_election_master_status", { name: "webapp-leader" })).toBe(1);
    expect(await sampleValue(metrics, "leader_election_slowpath_total", { name: "webapp-leader" })).toBe(1);
    leader.leaderChanged(false);
    expect(await sampleValue(metrics, "leader_election_master_status")).toBe(0);
  });
});

describe("requests to the API server", () => {
  it("[MX3] are counted by status code, also without a response", async () => {
    const metrics = metricsOf({ requestDetails: true });
    const measured = metrics.measureTransport(transport, "server:443");
    await read(measured, "/", "hello");
    await read(measured, "/");
    await expect(read(measured, "/lost")).rejects.toThrow("the connection broke");
    expect(await sampleValue(metrics, "rest_client_requests_total", { code: "200", method: "GET" })).toBe(2);
    expect(await sampleValue(metrics, "rest_client_requests_total", { code: "<error>" })).toBe(1);
    expect(await sampleValue(metrics, "rest_client_request_duration_seconds_count")).toBe(3);
    expect(await sampleValue(metrics, "rest_client_request_size_bytes_sum")).toBe(5);
    expect(await sampleValue(metrics, "rest_client_response_size_bytes_sum", { host: "server:443" })).toBe(
      600,
    );
  });
});

it("[MX3] a response that is not read is closed all the same, so that its connection becomes free", async () => {
  const metrics = metricsOf({ requestDetails: true });
  let isLeft = false;
  const body: AsyncIterable<Uint8Array> = {
    [Symbol.asyncIterator]: () => ({
      next: async () => ({ done: false, value: new Uint8Array(10) }),
      return: async () => {
        isLeft = true;
        return { done: true, value: undefined };
      },
    }),
  };
  const endless: Transport = { ...transport, send: async () => ({ status: 200, headers: {}, body }) };
  const measured = metrics.measureTransport(endless, "server:443");
  const response = await measured.send({ method: "GET", path: "/", headers: {}, isStream: true });
  await response.body[Symbol.asyncIterator]().return?.();
  expect(isLeft).toBe(true);
  expect(await sampleValue(metrics, "rest_client_response_size_bytes_count")).toBe(1);
});

describe("informers", () => {
  it("[MX5] are read at a scrape", async () => {
    const metrics = metricsOf();
    metrics.observeInformers(() => [status]);
    const informer = "pods in shop";
    const facts = {
      informer_objects: 7,
      informer_unreadable_objects: 2,
      informer_store_resource_version: 4711,
      informer_last_event_age_seconds: 3,
      informer_lists_total: 1,
      informer_bytes_total: 1234,
      informer_event_lag_seconds: 2,
      stale_sync_skips_total: 5,
    };
    for (const [name, value] of Object.entries(facts))
      expect([name, await sampleValue(metrics, name, { informer })]).toEqual([name, value]);
    expect(await sampleValue(metrics, "informer_unindexed_objects", { informer, index: "owner" })).toBe(1);
    expect(await sampleValue(metrics, "informer_watches_total", { informer, outcome: "closed" })).toBe(3);
    expect(await sampleValue(metrics, "informer_watches_total", { informer, outcome: "expired" })).toBe(1);
    expect(await sampleValue(metrics, "informer_watches_total", { informer, outcome: "unreachable" })).toBe(
      0,
    );
  });

  it("[MX5] that have not synced show what they know, and those that have stopped nothing", async () => {
    const metrics = metricsOf();
    const unsynced: InformerStatus = {
      ...status,
      resourceVersion: undefined,
      lastEventAtMs: undefined,
      lastBookmarkAtMs: undefined,
      lastEventLagMs: undefined,
    };
    let statuses = [unsynced];
    metrics.observeInformers(() => statuses);
    const names = [...(await scrape(metrics)).keys()].filter((name) => name.startsWith("informer_"));
    expect(names).toEqual([
      "informer_objects",
      "informer_unreadable_objects",
      "informer_unindexed_objects",
      "informer_lists_total",
      "informer_watches_total",
      "informer_bytes_total",
    ]);
    statuses = [];
    expect((await scrape(metrics)).get("informer_objects")).toBeUndefined();
  });

  it("[MX5] of one name have different labels, also in several caches", async () => {
    const metrics = metricsOf();
    metrics.observeInformers(() => [status, { ...status, objects: 1 }]);
    metrics.observeInformers(() => [{ ...status, objects: 2 }]);
    expect(await sampleValue(metrics, "informer_objects", { informer: "pods in shop" })).toBe(7);
    expect(await sampleValue(metrics, "informer_objects", { informer: "pods in shop #2" })).toBe(1);
    expect(await sampleValue(metrics, "informer_objects", { informer: "pods in shop #3" })).toBe(2);
  });

  it("[RW1] count stale reads by kind", async () => {
    const metrics = metricsOf();
    metrics.onStaleRead({ resource: Deployment, operation: "get deployments.apps shop/web" });
    expect(await sampleValue(metrics, "cache_stale_reads_total", { resource: "deployments.apps" })).toBe(1);
  });
});
