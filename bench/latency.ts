import { startControlPlane } from "@keelson/controlplane";
import { type Client, controller, systemClock } from "keelson";
import { cachedClient, InformerCache } from "keelson/cache";
import { accessFromKubeconfig, createClient, httpTransport, type Transport } from "keelson/client";
import { Controller } from "keelson/controller";
import { ConfigMap } from "keelson/kinds/core/v1";
import { systemRandom } from "keelson/low-level";
import type { Benchmark } from "./run.ts";

const objectCount = 200;

interface Arrival {
  readonly atMs: number;
  readonly bytes: Uint8Array;
}

/** A transport that notes when the bytes of streams came in; what they say is read when all is over. */
function noting(inner: Transport, arrivals: Arrival[]): Transport {
  return {
    async send(request) {
      const response = await inner.send(request);
      return request.isStream ? { ...response, body: note(response.body) } : response;
    },
    close: () => inner.close(),
  };
  async function* note(body: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
    for await (const bytes of body) {
      arrivals.push({ atMs: performance.now(), bytes: bytes.slice() });
      yield bytes;
    }
  }
}

/** When the last byte of the event about each version came in. */
function arrivalOfVersions(arrivals: readonly Arrival[]): ReadonlyMap<string, number> {
  const times = new Map<string, number>();
  let pending = "";
  for (const { atMs, bytes } of arrivals) {
    const lines = (pending + Buffer.from(bytes).toString("latin1")).split("\n");
    pending = lines.pop() ?? "";
    for (const line of lines) {
      const version = /"resourceVersion":"(\d+)"/.exec(line)?.[1];
      if (version !== undefined) times.set(version, atMs);
    }
  }
  return times;
}

async function updateAll(client: Client, round: number): Promise<void> {
  for (let index = 0; index < objectCount; index++) {
    await client.update(ConfigMap, {
      metadata: { namespace: "default", name: `object-${index}` },
      data: { round: String(round) },
    });
  }
}

/** From the last byte of an event on the watch to the call of the reconciler, with a real API server at work. */
export const latencyBenchmark: Benchmark = async ({ quick }) => {
  const rounds = quick ? 3 : 20;
  await using controlPlane = await startControlPlane();
  const access = accessFromKubeconfig(controlPlane.kubeconfig, { clock: systemClock, env: {} });
  const arrivals: Arrival[] = [];
  const transport = noting(httpTransport(access), arrivals);
  const client = createClient({ transport });
  for (let index = 0; index < objectCount; index++) {
    await client.create(ConfigMap, { metadata: { namespace: "default", name: `object-${index}` }, data: {} });
  }

  const calledAtMs = new Map<string, number>();
  const definition = controller(ConfigMap).reconcile(({ object }) => {
    calledAtMs.set(object.metadata.resourceVersion ?? "", performance.now());
  });
  const cache = new InformerCache({ client });
  const stop = new AbortController();
  const subject = new Controller(
    definition,
    {
      client,
      cache,
      cachedClient: cachedClient(client, cache),
      clock: systemClock,
      random: systemRandom,
    },
    undefined,
  );
  const running = Promise.all([cache.run(stop.signal), subject.run(stop.signal)]);
  const lease = cache.acquire(ConfigMap);
  await lease.synced();
  const initialBytes = arrivals.length;
  for (let round = 0; round < rounds; round++) await updateAll(client, round);
  stop.abort(new Error("all is measured"));
  await running;
  await transport.close();

  const arrived = arrivalOfVersions(arrivals.slice(initialBytes));
  const latencies = [...calledAtMs].flatMap(([version, atMs]) => {
    const cameAtMs = arrived.get(version);
    return cameAtMs === undefined ? [] : [atMs - cameAtMs];
  });
  const sorted = latencies.sort((a, b) => a - b);
  const percentile = (share: number): number =>
    Math.round((sorted[Math.floor(sorted.length * share)] ?? Number.NaN) * 1000) / 1000;
  return {
    events: arrived.size,
    measured: sorted.length,
    p50Ms: percentile(0.5),
    p90Ms: percentile(0.9),
    p99Ms: percentile(0.99),
    maxMs: percentile(0.999999),
  };
};
