import {
  AlreadyExistsError,
  ApiError,
  type Client,
  ConnectionError,
  createClient,
  ForbiddenError,
  mergePatch,
  NotFoundError,
  RequestTimeoutError,
} from "@keelson/client";
import {
  compareResourceVersions,
  formatKey,
  keyOf,
  type ObjectKey,
  type ObjectOf,
  type Random,
  type Stored,
  seededRandom,
  sleep,
  systemClock,
  toError,
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

/** For a run of a night: KEELSON_SOAK_SECONDS=36000 npm run test:cluster -- soak */
const soakSeconds = Number(process.env.KEELSON_SOAK_SECONDS ?? 40);
/** In the title, so that the same sequence of operations can be repeated. */
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

/** Whether a restart of the API server has begun; from then on it may be unreachable for a while. */
let hasRestarted = false;

/** Whether an error means that the API server is down, or has not finished its start. */
function isOutage(error: Error): boolean {
  if (error instanceof ConnectionError || error instanceof RequestTimeoutError) return true;
  if (error instanceof ForbiddenError) return error.message.includes("not yet ready to handle request");
  return error instanceof ApiError && (error.status.code === 429 || (error.status.code ?? 0) >= 500);
}

/** What the writers did: successful writes by verb, refusals that follow from the state of an object, other errors. */
class WriteLog {
  readonly successes = { create: 0, update: 0, delete: 0 };
  refusals = 0;
  outages = 0;
  readonly unexpected: string[] = [];

  /** Makes a write and counts it. Resolves to whether it succeeded. */
  async record(verb: "create" | "update" | "delete", write: () => Promise<unknown>): Promise<boolean> {
    try {
      await write();
      this.successes[verb] += 1;
      return true;
    } catch (caught) {
      const error = toError(caught);
      const expected = verb === "create" ? AlreadyExistsError : NotFoundError;
      if (error instanceof expected) this.refusals += 1;
      else if (hasRestarted && isOutage(error)) this.outages += 1;
      else this.unexpected.push(`${verb}: ${error.name}: ${error.message}`);
      return false;
    }
  }
}

/** One random write. An object that is created may exist, and one that is updated or deleted may not. */
function writeSomething(random: Random, round: number, log: WriteLog): Promise<boolean> {
  const metadata = { namespace: pick(random, namespaces), name: pick(random, names) };
  const data = { round: String(round), filler: "x".repeat(Math.floor(random.next() * 200)) };
  const choice = random.next();
  if (choice < 0.35) return log.record("create", () => admin.create(ConfigMap, { metadata, data }));
  if (choice < 0.8) return log.record("update", () => admin.update(ConfigMap, { metadata, data }));
  return log.record("delete", () => admin.delete(ConfigMap, metadata));
}

async function keepWriting(random: Random, untilMs: number, log: WriteLog): Promise<void> {
  for (let round = 0; systemClock.monotonicNow() < untilMs; round++) {
    if (!(await writeSomething(random, round, log))) await sleep(systemClock, 5);
  }
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
    hasRestarted = true;
    await controlPlane.restart("kube-apiserver");
  }
}

/** Writes through the cached client and reads at once what it wrote; the problem with the read, if there is one. */
async function writeAndRead(cached: Client, key: ObjectKey, run: number): Promise<string | undefined> {
  const patch = mergePatch({ metadata: { annotations: { run: String(run) } } });
  const { metadata: written } = await cached.patch(ConfigMap, key, patch);
  const { metadata: read } = await cached.get(ConfigMap, key);
  return compareResourceVersions(read.resourceVersion, written.resourceVersion) >= 0
    ? undefined
    : `${formatKey(key)} was read at ${read.resourceVersion} after a write at ${written.resourceVersion}`;
}

async function versionsOnServer(): Promise<ReadonlyMap<string, string>> {
  const { items } = await admin.list(ConfigMap);
  return versionsOf(items);
}

function versionsOf(objects: readonly Stored<ConfigMapObject>[]): ReadonlyMap<string, string> {
  return new Map(
    objects.map((object) => [formatKey(keyOf(object)), object.metadata.resourceVersion] as const).sort(),
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
    /** Own writes whose read was checked. */
    let checkedWrites = 0;
    /** Errors of reconciles that neither a deleted object nor an outage explains. */
    const unexpected: string[] = [];
    /** Undefined if a writer has deleted the object meanwhile. Other errors fail the reconcile, which is retried. */
    const unlessDeleted = async <Value>(call: Promise<Value>): Promise<Value | undefined> => {
      try {
        return await call;
      } catch (caught) {
        const error = toError(caught);
        if (error instanceof NotFoundError) return undefined;
        if (!(hasRestarted && isOutage(error))) unexpected.push(`${error.name}: ${error.message}`);
        throw error;
      }
    };
    /** The version that each key's last reconcile read. */
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
          const found = await unlessDeleted(cached.get(ConfigMap, key));
          seen.set(text, found?.metadata.resourceVersion);
          if (runs % 10 === 0 && systemClock.monotonicNow() < untilMs) {
            const checked = await unlessDeleted(
              writeAndRead(cached, key, runs).then((problem) => ({ problem })),
            );
            if (checked !== undefined) checkedWrites += 1;
            if (checked?.problem !== undefined) stale.push(checked.problem);
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

    const log = new WriteLog();
    const writing = Promise.all(
      Array.from({ length: writers }, (_, writer) => keepWriting(seededRandom(seed + writer), untilMs, log)),
    );
    const restarting = keepRestarting(untilMs);
    await keepBreaking(transport, random, untilMs);
    await restarting;
    await writing;

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
    expect(log.unexpected).toEqual([]);
    expect(unexpected).toEqual([]);
    for (const count of Object.values(log.successes)) expect(count).toBeGreaterThan(soakSeconds);
    expect(checkedWrites).toBeGreaterThan(soakSeconds / 10);
    expect(quick.events).toBeGreaterThan(soakSeconds);

    stop.abort(new Error("the soak is over"));
    await ended;
    expect(transport.openStreams).toEqual([]);
    expect(running).toEqual(new Set());
    await transport.close();
  },
  (soakSeconds + 180) * 1000,
);
