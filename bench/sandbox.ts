import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { createSandbox, type Sandbox } from "@keelson/sandbox";
import { createClient, type Transport } from "keelson/client";
import { installCrds } from "keelson/object";
import type { Benchmark } from "./run.ts";
import { makeWebApp, WebApp } from "./sync/webapps.ts";

type Figures = Readonly<Record<string, number>>;

/** In new processes: how long the code takes to load, the first control plane to be ready, and the second. */
function measureStart(rounds: number): Figures {
  const program = fileURLToPath(new URL("./sandbox/start.ts", import.meta.url));
  const samples = Array.from(
    { length: rounds },
    (): { importMs: number; firstMs: number; secondMs: number } =>
      JSON.parse(
        execFileSync(process.execPath, ["--conditions=@keelson/source", program], { encoding: "utf8" }),
      ),
  );
  return {
    importMs: median(samples.map(({ importMs }) => importMs)),
    readyMs: median(samples.map(({ firstMs }) => firstMs)),
    readyAgainMs: median(samples.map(({ secondMs }) => secondMs)),
  };
}

async function measureWrites(sandbox: Sandbox, count: number): Promise<Figures> {
  const transport = sandbox.transport();
  await installCrds(createClient({ transport }), [WebApp]);
  const { group, version, kind } = WebApp;
  const bodies = Array.from({ length: count }, (_, index) =>
    JSON.stringify({ apiVersion: `${group}/${version}`, kind, ...makeWebApp(index) }),
  );
  const begin = performance.now();
  for (const body of bodies) await create(transport, "/apis/example.com/v1/namespaces/default/webapps", body);
  return { createsPerSecond: perSecond(count, begin) };
}

async function create(transport: Transport, path: string, body: string): Promise<void> {
  const headers = { "content-type": "application/json" };
  const { status } = await transport.send({ method: "POST", path, headers, body, isStream: false });
  if (status !== 201) throw new Error(`create at ${path}: the server answered ${status}`);
}

async function measureGets(transport: Transport, count: number): Promise<Figures> {
  const begin = performance.now();
  for (let done = 0; done < count; done++) {
    await readAll(transport, "/apis/example.com/v1/namespaces/default/webapps/webapp-00000");
  }
  return { getsPerSecond: perSecond(count, begin) };
}

/** How much more memory there is at most while a list streams, in multiples of the size of the list. */
async function measureList(transport: Transport): Promise<Figures> {
  const before = heldBytes();
  let most = 0;
  let bytes = 0;
  let chunks = 0;
  const { body } = await get(transport, "/apis/example.com/v1/webapps", false);
  const begin = performance.now();
  for await (const chunk of body) {
    bytes += chunk.length;
    if (chunks++ % 50 === 0) most = Math.max(most, heldBytes() - before);
  }
  return {
    listMb: Math.round(bytes / 1e6),
    listSeconds: Number(((performance.now() - begin) / 1000).toFixed(2)),
    listPeakRatio: Number((most / bytes).toFixed(2)),
  };
}

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

function heldBytes(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

async function measureWatches(sandbox: Sandbox, watchers: number, events: number): Promise<Figures> {
  const transport = sandbox.transport();
  const path = "/api/v1/namespaces/default/configmaps?watch=true";
  const bodies = await Promise.all(
    Array.from({ length: watchers }, async () => (await get(transport, path, true)).body),
  );
  const begin = performance.now();
  const seen = bodies.map((body) => countLines(body, events));
  for (let made = 0; made < events; made++) {
    const metadata = { name: `watched-${made}` };
    const body = JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata });
    await create(transport, "/api/v1/namespaces/default/configmaps", body);
  }
  const counts = await Promise.all(seen);
  const delivered = counts.reduce((sum, count) => sum + count, 0);
  return {
    watchers,
    eventsDelivered: delivered,
    eventsLost: watchers * events - delivered,
    watchSeconds: Number(((performance.now() - begin) / 1000).toFixed(2)),
  };
}

async function countLines(body: AsyncIterable<Uint8Array>, enough: number): Promise<number> {
  let lines = 0;
  for await (const chunk of body) {
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) lines++;
    if (lines >= enough) break;
  }
  return lines;
}

async function readAll(transport: Transport, path: string): Promise<void> {
  const { body } = await get(transport, path, false);
  for await (const _ of body);
}

function get(transport: Transport, path: string, isStream: boolean): ReturnType<Transport["send"]> {
  return transport.send({ method: "GET", path, headers: {}, isStream });
}

function perSecond(count: number, beginMs: number): number {
  return Math.round(count / ((performance.now() - beginMs) / 1000));
}

function median(values: readonly number[]): number {
  return Math.round(values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0);
}

/** The embedded control plane in process, as tests use it. */
export const sandboxBenchmark: Benchmark = async ({ quick }) => {
  const start = measureStart(quick ? 3 : 9);
  await using sandbox = await createSandbox();
  const transport = sandbox.transport();
  const objects = quick ? 5_000 : 20_000;
  return {
    ...start,
    objects,
    ...(await measureWrites(sandbox, objects)),
    ...(await measureGets(transport, quick ? 20_000 : 100_000)),
    ...(await measureList(transport)),
    ...(await measureWatches(sandbox, quick ? 100 : 1_000, quick ? 100 : 1_000)),
  };
};
