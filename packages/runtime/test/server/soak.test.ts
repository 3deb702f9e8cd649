import { type Client, createClient, mergePatch } from "@keelson/client";
import {
  compareResourceVersions,
  formatKey,
  keyOf,
  type ObjectKey,
  type ObjectOf,
  type Random,
  seededRandom,
  sleep,
  systemClock,
} from "@keelson/core";
import { ConfigMap, Namespace } from "@keelson/core/kinds/core/v1";
import { errorEvent, type FaultyTransport, faults, faultyTransport } from "@keelson/testkit";
import { expect, it } from "vitest";
import { cachedClient } from "../../src/cache/cached-client.ts";
import { InformerCache } from "../../src/cache/informer-cache.ts";
import { controller } from "../../src/controller/builder.ts";
import { Controller } from "../../src/controller/controller.ts";
import { LegalHistory } from "../support/legal-history.ts";
import { startTestCluster } from "../support/test-cluster.ts";

type ConfigMapObject = ObjectOf<typeof ConfigMap>;

/** A longer one is for a night: KEELSON_SOAK_SECONDS=36000 npm run test:cluster -- soak */
const soakSeconds = Number(process.env.KEELSON_SOAK_SECONDS ?? 70);
/** In the title, so that the same sequence of operations can be had again. */
const seed = Number(process.env.KEELSON_SOAK_SEED ?? 20_261_116);
const namespaces = ["red", "green", "blue"];
const names = Array.from({ length: 40 }, (_, index) => `object-${index}`);
const writers = 4;
const pauseBetweenFaultsMs = 1_500;
const apiServerRestarts = 2;

const { controlPlane, admin, realTransport } = await startTestCluster();
for (const name of namespaces) await admin.create(Namespace, { metadata: { name } });

const pick = <Value>(random: Random, values: readonly Value[]): Value => {
  const value = values[Math.floor(random.next() * values.length)];
  if (value === undefined) throw new Error("pick: there is nothing to choose from");
  return value;
};

/** One random write. The server may be away or say no: what counts is what it holds in the end. */
async function writeSomething(random: Random, round: number): Promise<void> {
  const metadata = { namespace: pick(random, namespaces), name: pick(random, names) };
  const data = { round: String(round), filler: "x".repeat(Math.floor(random.next() * 200)) };
  const choice = random.next();
  if (choice < 0.35) await admin.create(ConfigMap, { metadata, data });
  else if (choice < 0.8) await admin.update(ConfigMap, { metadata, data });
  else await admin.delete(ConfigMap, metadata);
}

async function keepWriting(random: Random, untilMs: number): Promise<number> {
  let written = 0;
  for (let round = 0; systemClock.monotonicNow() < untilMs; round++) {
    const isDone = await writeSomething(random, round).then(
      () => true,
      () => false,
    );
    if (isDone) written += 1;
    else await sleep(systemClock, 5);
  }
  return written;
}

async function keepBreaking(transport: FaultyTransport, random: Random, untilMs: number): Promise<void> {
  const watches = { watch: true } as const;
  const breakages: readonly (() => unknown)[] = [
    () => transport.cutStreams(),
    () => transport.cutStreams({}, "end"),
    () => transport.fault(watches, faults.refuseConnection(), { times: 2 }),
    () => transport.fault(watches, faults.cutAfter(3), { times: 2 }),
    () => transport.fault(watches, faults.garbleAfter(2)),
    () => transport.fault(watches, faults.injectAfter(1, errorEvent("Expired"))),
    () => transport.fault(watches, faults.refuse("TooManyRequests"), { times: 2 }),
    () => transport.blackholeStreams(),
  ];
  while (systemClock.monotonicNow() < untilMs) {
    transport.releaseAll();
    pick(random, breakages)();
    // A fault waits for the next request; a cut makes one.
    transport.cutStreams();
    await sleep(systemClock, pauseBetweenFaultsMs * (0.5 + random.next()));
  }
  transport.removeFaults();
  transport.releaseAll();
}

async function keepRestarting(untilMs: number): Promise<void> {
  const everyMs = (untilMs - systemClock.monotonicNow()) / (apiServerRestarts + 1);
  for (let restart = 0; restart < apiServerRestarts; restart++) {
    await sleep(systemClock, everyMs);
    await controlPlane.restart("kube-apiserver");
  }
}

/** Writes through the cached client and reads at once what it wrote. Somebody else may have deleted it meanwhile. */
async function writeAndRead(cached: Client, key: ObjectKey, run: number): Promise<string | undefined> {
  const patch = mergePatch({ metadata: { annotations: { run: String(run) } } });
  const { metadata: written } = await cached.patch(ConfigMap, key, patch);
  const { metadata: read } = await cached.get(ConfigMap, key);
  const [wanted = "", got = ""] = [written.resourceVersion, read.resourceVersion];
  return compareResourceVersions(got, wanted) >= 0
    ? undefined
    : `${formatKey(key)} was read as of ${got} after it had been written as of ${wanted}`;
}

async function versionsOnServer(): Promise<ReadonlyMap<string, string>> {
  const { items } = await admin.list(ConfigMap);
  return versionsOf(items);
}

function versionsOf(objects: readonly ConfigMapObject[]): ReadonlyMap<string, string> {
  return new Map(
    objects
      .map((object) => [formatKey(keyOf(object)), object.metadata.resourceVersion ?? ""] as const)
      .sort(),
  );
}

const sorted = (versions: ReadonlyMap<string, string>): ReadonlyMap<string, string> =>
  new Map([...versions].sort());

it(
  `keeps cache, handlers, own writes and reconciles right through random writes, cuts and restarts (seed ${seed})`,
  async () => {
    const random = seededRandom(seed);
    const transport = faultyTransport(realTransport());
    const client = createClient({ transport });
    const stop = new AbortController();
    const cache = new InformerCache({ client });
    const informer = cache.acquire(ConfigMap);

    const quick = new LegalHistory<ConfigMapObject>();
    const slow = new LegalHistory<ConfigMapObject>();
    informer.subscribe((event) => quick.add(event));
    informer.subscribe(async (event) => {
      slow.add(event);
      await sleep(systemClock, 1);
    });

    const untilMs = systemClock.monotonicNow() + soakSeconds * 1000;
    const running = new Set<string>();
    const overlaps: string[] = [];
    /** Reads that were older than the write before them [RW1]. */
    const stale: string[] = [];
    /** What each key's last reconcile saw. */
    const seen = new Map<string, string | undefined>();
    let runs = 0;
    const definition = controller(ConfigMap, { concurrency: 8 })
      .named("soak")
      .reconcileKey(async ({ key, client: cached, signal }) => {
        const text = formatKey(key);
        if (running.has(text)) overlaps.push(text);
        running.add(text);
        try {
          runs += 1;
          const found = await cached.get(ConfigMap, key).catch(() => undefined);
          seen.set(text, found?.metadata.resourceVersion);
          if (runs % 10 === 0 && systemClock.monotonicNow() < untilMs) {
            const problem = await writeAndRead(cached, key, runs).catch(() => undefined);
            if (problem !== undefined) stale.push(problem);
          }
          await sleep(systemClock, 2, signal);
          if (runs % 50 === 0) throw new Error("one in fifty fails");
        } finally {
          running.delete(text);
        }
      });
    const subject = new Controller(
      definition,
      {
        client,
        cache,
        cachedClient: cachedClient(client, cache),
        clock: systemClock,
        random: seededRandom(1),
      },
      undefined,
    );
    const ended = Promise.all([cache.run(stop.signal), subject.run(stop.signal)]);

    const writing = Promise.all(
      Array.from({ length: writers }, (_, writer) => keepWriting(seededRandom(seed + writer), untilMs)),
    );
    const restarting = keepRestarting(untilMs);
    await keepBreaking(transport, random, untilMs);
    await restarting;
    const written = (await writing).reduce((sum, count) => sum + count, 0);

    const late = new LegalHistory<ConfigMapObject>();
    informer.subscribe((event) => late.add(event));
    // A reflector that met a dead server may be up to a minute into its back-off [RF13].
    const patient = { timeout: 70_000, interval: 100 };
    // A run that began in time may still be about to write.
    await expect.poll(() => running.size, patient).toBe(0);
    const fresh = await versionsOnServer();
    await expect.poll(() => versionsOf(informer.list()), patient).toEqual(fresh);
    for (const history of [quick, slow, late]) {
      await expect.poll(() => sorted(history.versions), patient).toEqual(fresh);
      expect(history.violations).toEqual([]);
    }
    await expect
      .poll(
        () => sorted(new Map([...seen].filter((entry): entry is [string, string] => entry[1] !== undefined))),
        patient,
      )
      .toEqual(fresh);
    expect(overlaps).toEqual([]);
    expect(stale).toEqual([]);
    await expect.poll(() => cache.ownWritesHeld, patient).toBe(0);
    expect(written).toBeGreaterThan(soakSeconds);
    expect(quick.events).toBeGreaterThan(soakSeconds);

    stop.abort(new Error("the soak is over"));
    await ended;
    expect(transport.openStreams).toEqual([]);
    expect(running).toEqual(new Set());
    await transport.close();
  },
  (soakSeconds + 180) * 1000,
);
