// Prints what 50 clients get of an API server over HTTPS: node load.ts KUBECONFIG OBJECTS PATCHES
import { connect, httpTransport } from "keelson/client";
import { installCrds } from "keelson/object";
import { makeWebApp, WebApp } from "../sync/webapps.ts";

/** What one API server did. */
export interface LoadFigures {
  readonly createsPerSecond: number;
  readonly patchesPerSecond: number;
  readonly patchP50Ms: number;
  readonly patchP99Ms: number;
  readonly listSeconds: number;
  readonly pagesSeconds: number;
}

const clients = 50;
const pageSize = 500;
const collection = "/apis/example.com/v1/namespaces/default/webapps";

const [kubeconfigPath = "", objectCount = "", patchCount = ""] = process.argv.slice(2);
const objects = Number(objectCount);
const patches = Number(patchCount);
await using connection = await connect({ kubeconfigPath });
await installCrds(connection.client, [WebApp]);
const transport = httpTransport(connection.access);

/** Sends a request and reads the whole response. Returns the last part of it. */
async function send(
  method: "GET" | "POST" | "PATCH",
  path: string,
  type = "",
  body?: string,
): Promise<Uint8Array> {
  const headers = body === undefined ? {} : { "content-type": type };
  const response = await transport.send({
    ...{ method, path, headers, isStream: false },
    ...(body !== undefined && { body }),
  });
  let last: Uint8Array = new Uint8Array();
  for await (const chunk of response.body) if (chunk.length > 0) last = chunk;
  if (response.status >= 300) throw new Error(`${method} ${path}: the server answered ${response.status}`);
  return last;
}

/** Every client takes the next number as soon as its last request is done. Returns the seconds that all took. */
async function inParallel(count: number, work: (index: number) => Promise<unknown>): Promise<number> {
  let next = 0;
  const begin = performance.now();
  await Promise.all(
    Array.from({ length: clients }, async () => {
      while (next < count) await work(next++);
    }),
  );
  return (performance.now() - begin) / 1000;
}

const { group, version, kind } = WebApp;
const createSeconds = await inParallel(objects, (index) => {
  const body = JSON.stringify({ apiVersion: `${group}/${version}`, kind, ...makeWebApp(index) });
  return send("POST", collection, "application/json", body);
});

const latencies: number[] = [];
const patchSeconds = await inParallel(patches, async (index) => {
  const { name } = makeWebApp((index * 7919) % objects).metadata;
  const body = JSON.stringify({ spec: { replicas: index % 9 } });
  const begin = performance.now();
  await send("PATCH", `${collection}/${name}`, "application/merge-patch+json", body);
  latencies.push(performance.now() - begin);
});
latencies.sort((one, other) => one - other);
const quantile = (share: number): number => latencies[Math.floor(latencies.length * share)] ?? Number.NaN;

let begin = performance.now();
await send("GET", collection);
const listSeconds = (performance.now() - begin) / 1000;

begin = performance.now();
let token: string | undefined = "";
while (token !== undefined) {
  const end = await send("GET", `${collection}?limit=${pageSize}&continue=${token}`);
  // The metadata of a list of custom objects comes last.
  token = /"continue":"([^"]+)"/.exec(Buffer.from(end).toString())?.[1];
}
const pagesSeconds = (performance.now() - begin) / 1000;

const figures: LoadFigures = {
  createsPerSecond: Math.round(objects / createSeconds),
  patchesPerSecond: Math.round(patches / patchSeconds),
  patchP50Ms: quantile(0.5),
  patchP99Ms: quantile(0.99),
  listSeconds,
  pagesSeconds,
};
console.log(JSON.stringify(figures));
await transport.close();
