import {
  type ControllerDefinition,
  controller,
  controllerFor,
  formatKey,
  type ObjectKey,
  type Source,
  systemClock,
} from "keelson";
import { cachedClient, InformerCache } from "keelson/cache";
import { createClient, type Transport } from "keelson/client";
import { Controller, changedPaths, sourceOf } from "keelson/controller";
import { ConfigMap } from "keelson/kinds/core/v1";
import { systemRandom } from "keelson/low-level";
import type { Trigger } from "keelson/queue";
import type { Benchmark } from "./run.ts";

const keyCount = 100_000;
const objectCount = 10_000;
const keys: readonly ObjectKey[] = Array.from({ length: keyCount }, (_, i) => ({
  namespace: `namespace-${i % 100}`,
  name: `webapp-${i}`,
}));

/** Nothing is to be asked of a server here. */
const nowhere: Transport = {
  send: async () => {
    throw new Error("a no-op reconcile asks for nothing");
  },
  close: async () => {},
};

/** A server that knows one thing: a watch of the first keys as ConfigMaps, which begins with all of them and then rests. */
const memory: Transport = {
  send: async ({ isStream, signal }) => {
    if (!isStream) throw new Error("only watches are answered");
    return { status: 200, headers: { "content-type": "application/json" }, body: watchList(signal) };
  },
  close: async () => {},
};

async function* watchList(signal: AbortSignal | undefined): AsyncGenerator<Uint8Array> {
  const line = (type: string, metadata: object, rest: object = {}): string =>
    `${JSON.stringify({ type, object: { kind: "ConfigMap", apiVersion: "v1", metadata, ...rest } })}\n`;
  const data = { text: "x".repeat(500) };
  for (const [i, key] of keys.slice(0, objectCount).entries())
    yield Buffer.from(line("ADDED", { ...key, uid: `${i}`, resourceVersion: `${i + 1}` }, { data }));
  const annotations = { "k8s.io/initial-events-end": "true" };
  yield Buffer.from(line("BOOKMARK", { resourceVersion: `${objectCount + 1}`, annotations }));
  await new Promise((_, reject) => {
    signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

/** What is reconciled. */
interface Subject {
  readonly transport: Transport;
  /** So many keys are queued at a time. */
  readonly keysPerRound: number;
  /** So many runs there are at the start, before anything is measured. */
  readonly runsBefore: number;
  readonly trigger: Trigger;
  define(
    settings: { concurrency: number },
    source: Source<ObjectKey>,
    count: () => void,
  ): ControllerDefinition;
}

/** Keys alone. */
const keySubject: Subject = {
  transport: nowhere,
  keysPerRound: keyCount,
  runsBefore: 0,
  trigger: { source: "all keys", type: "generic" },
  define: (settings, source, count) =>
    controllerFor<ObjectKey>({ name: "noop", formatKey }, settings).source(source).reconcileKey(count),
};

const withLists = (ready: number): object => ({
  metadata: { name: "web", labels: { app: "web" } },
  spec: {
    containers: Array.from({ length: 12 }, (_, i) => ({
      name: `container-${i}`,
      image: `registry.example.com/shop/image-${i}`,
      env: [{ name: "MODE", value: "auto" }],
    })),
  },
  status: { ready },
});
const [before, after] = [withLists(1), withLists(2)];

/** Keys, each of them because an object with some lists has changed: the causal log finds out in what. */
const updateSubject: Subject = {
  ...keySubject,
  trigger: {
    source: "all keys",
    type: "update",
    object: { kind: "WebApp", name: "web" },
    changedPaths: () => changedPaths(before, after),
  },
};

/** Objects, which are read from the cache. */
const objectSubject: Subject = {
  transport: memory,
  keysPerRound: objectCount,
  runsBefore: objectCount,
  trigger: { source: "all keys", type: "generic" },
  define: (settings, source, count) => controller(ConfigMap, settings).source(source).reconcile(count),
};

interface Sample {
  readonly perSecond: number;
  readonly perCpuSecond: number;
}

/** Queues keys and reconciles them, with all that a controller does around a reconcile that does nothing. */
async function reconcileAll(subject: Subject, concurrency: number): Promise<Sample> {
  const { transport, keysPerRound, runsBefore, trigger } = subject;
  const client = createClient({ transport });
  const cache = new InformerCache({ client });
  const stop = new AbortController();
  const cacheRunning = cache.run(stop.signal);
  let runs = 0;
  let wanted = runsBefore;
  let { promise: reached, resolve: reach } = Promise.withResolvers<void>();
  const count = (): void => {
    runs += 1;
    if (runs === wanted) reach();
  };
  const queueing = Promise.withResolvers<() => void>();
  const source = sourceOf<ObjectKey>("all keys", async ({ enqueue, signal }) => {
    queueing.resolve(() => {
      for (const key of keys.slice(0, keysPerRound)) enqueue(key, { trigger });
    });
    await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
  });
  const noop = new Controller(
    subject.define({ concurrency }, source, count),
    {
      client,
      cache,
      cachedClient: cachedClient(client, cache),
      clock: systemClock,
      random: systemRandom,
    },
    undefined,
  );
  const running = noop.run(stop.signal);
  const queueAll = await queueing.promise;
  if (runsBefore > 0) await reached;
  const begin = performance.now();
  const cpuBegin = process.cpuUsage();
  for (let queued = 0; queued < keyCount; queued += keysPerRound) {
    wanted = runs + keysPerRound;
    ({ promise: reached, resolve: reach } = Promise.withResolvers<void>());
    queueAll();
    await reached;
  }
  const seconds = (performance.now() - begin) / 1000;
  const { user, system } = process.cpuUsage(cpuBegin);
  stop.abort(new Error("all keys are reconciled"));
  await Promise.all([running, cacheRunning]);
  return { perSecond: keyCount / seconds, perCpuSecond: keyCount / ((user + system) / 1e6) };
}

/** The names of the figures begin with these. */
const subjects: Readonly<Record<string, Subject>> = {
  reconciles: keySubject,
  updateReconciles: updateSubject,
  objectReconciles: objectSubject,
};

/** How many reconciles that do nothing a controller gets through, queueing, context and causal log included. */
export const noopBenchmark: Benchmark = async ({ quick }) => {
  const figures: Record<string, number> = { keys: keyCount, objects: objectCount };
  for (const [name, subject] of Object.entries(subjects)) {
    for (const concurrency of [1, 10]) {
      const samples: Sample[] = [];
      for (let round = 0; round < (quick ? 3 : 9); round++)
        samples.push(await reconcileAll(subject, concurrency));
      const median = (of: (sample: Sample) => number): number =>
        Math.round(samples.map(of).sort((a, b) => a - b)[samples.length >> 1] ?? 0);
      const perSecond = median((sample) => sample.perSecond);
      figures[`${name}PerSecond${concurrency}`] = perSecond;
      figures[`${name}PerCpuSecond${concurrency}`] = median((sample) => sample.perCpuSecond);
      console.log(`${name}, ${concurrency} at once: ${perSecond} per second`);
    }
  }
  return figures;
};
