import { setImmediate } from "node:timers/promises";
import { type Client, createClient } from "@keelson/client";
import { type KubeObject, systemClock, type Transport } from "@keelson/core";
import { ConfigMap } from "@keelson/core/kinds/core/v1";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Snapshot, unparsedSnapshot } from "../../watch/snapshot.ts";
import { cachedClient } from "../cached-client.ts";
import { InformerCache } from "../informer-cache.ts";
import { readAhead } from "./read-ahead.ts";

const identity = { apiVersion: "v1", kind: "ConfigMap" } as const;
const filling = "x".repeat(10_000);

function mapOf(name: string, version: number, data: Record<string, string> = { filling }): KubeObject {
  const metadata = { namespace: "shop", name, uid: `uid-of-${name}`, resourceVersion: String(version) };
  return Object.assign({ ...identity, metadata }, { data });
}

function unread(count: number): readonly Snapshot<KubeObject>[] {
  return Array.from({ length: count }, (_, index) =>
    unparsedSnapshot({
      type: "ADDED",
      namespace: "shop",
      name: `web-${index}`,
      keyText: `shop/web-${index}`,
      resourceVersion: String(index + 1),
      bytes: JSON.stringify(mapOf(`web-${index}`, index + 1)),
      isAscii: true,
    }),
  );
}

/** Counts the turns of the event loop until the work is done. */
async function turnsDuring(work: Promise<unknown>): Promise<number> {
  let turns = 0;
  let isDone = false;
  void work.finally(() => {
    isDone = true;
  });
  for (; !isDone; turns += 1) await setImmediate();
  return turns;
}

describe("[IN25] reading ahead", () => {
  it("is done at once, and nothing has to be awaited, where there is little to read", () => {
    const snapshots = unread(10);
    expect(readAhead(snapshots, systemClock)).toBeUndefined();
    expect(snapshots.map(({ unreadBytes }) => unreadBytes)).toEqual(snapshots.map(() => 0));
    expect(readAhead([], systemClock)).toBeUndefined();
  });

  it("lets other work be done between slices of half a megabyte", async () => {
    const snapshots = unread(300);
    const turns = await turnsDuring(readAhead(snapshots, systemClock) ?? Promise.resolve());
    expect(turns).toBeGreaterThanOrEqual(5);
    expect(snapshots.map(({ unreadBytes }) => unreadBytes)).toEqual(snapshots.map(() => 0));
  });
});

interface LargeKind {
  readonly cache: InformerCache;
  readonly client: Client;
  /** Delivers an event of the watch. */
  send(type: string, object: KubeObject): void;
}

/** A cache that has synced this many objects of 10 KB and has read none. */
async function largeKind(count: number): Promise<LargeKind> {
  const lines: string[] = [];
  let wake = (): void => undefined;
  const send = (type: string, object: KubeObject): void => {
    lines.push(`${JSON.stringify({ type, object })}\n`);
    wake();
  };
  const body = async function* (signal: AbortSignal | undefined): AsyncIterable<Uint8Array> {
    signal?.addEventListener("abort", () => wake());
    while (signal?.aborted !== true) {
      yield Buffer.from(lines.splice(0).join(""));
      if (lines.length === 0) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
  };
  const transport: Transport = {
    close: async () => undefined,
    send: async ({ signal }) => ({ status: 200, headers: {}, body: body(signal) }),
  };
  for (let index = 0; index < count; index += 1) send("ADDED", mapOf(`web-${index}`, index + 1));
  const annotations = { "k8s.io/initial-events-end": "true" };
  send("BOOKMARK", { ...identity, metadata: { resourceVersion: String(count), annotations } });
  const live = createClient({ transport });
  const cache = new InformerCache({ client: live });
  const stop = new AbortController();
  const run = cache.run(stop.signal);
  onTestFinished(async () => {
    stop.abort();
    await run;
  });
  const client = cachedClient(live, cache);
  await client.get(ConfigMap, { namespace: "shop", name: "web-0" });
  return { cache, client, send };
}

const dataOf = ({ items }: { readonly items: readonly ConfigMap[] }, name: string): unknown =>
  items.find(({ metadata }) => metadata.name === name)?.data;

describe("[IN25] a cached list of objects that have not been read", () => {
  it("lets other work be done, and the second one is made at once", async () => {
    const { client } = await largeKind(400);
    const first = client.list(ConfigMap);
    expect(await turnsDuring(first)).toBeGreaterThanOrEqual(5);
    expect((await first).items).toHaveLength(400);
    expect(await turnsDuring(client.list(ConfigMap))).toBeLessThanOrEqual(2);
  });

  it("is the state at its end, version included, if objects change meanwhile", async () => {
    const { client, send } = await largeKind(400);
    const listing = client.list(ConfigMap);
    await setImmediate();
    send("MODIFIED", mapOf("web-0", 501, { changed: "yes" }));
    send("DELETED", mapOf("web-399", 502));
    send("ADDED", mapOf("web-new", 503));
    const list = await listing;
    expect(list.metadata.resourceVersion).toBe("503");
    expect(list.items).toHaveLength(400);
    expect(dataOf(list, "web-0")).toEqual({ changed: "yes" });
    expect(dataOf(list, "web-399")).toBeUndefined();
    expect(dataOf(list, "web-new")).toEqual({ filling });
  });

  it("[RW3] waits for a write that is made meanwhile and whose result only the watch delivers", async () => {
    const { cache, client, send } = await largeKind(400);
    const listing = client.list(ConfigMap);
    await setImmediate();
    const key = { namespace: "shop", name: "web-7" };
    cache.recordWrite(ConfigMap, { type: "version", key, version: "600", uid: "uid-of-web-7" });
    const isEarly = await Promise.race([listing.then(() => true), turns(50).then(() => false)]);
    expect(isEarly).toBe(false);
    send("MODIFIED", mapOf("web-7", 600, { written: "yes" }));
    expect(dataOf(await listing, "web-7")).toEqual({ written: "yes" });
  });

  it("shares the reading with other lists of the kind", async () => {
    const { client } = await largeKind(400);
    const lists = await Promise.all([
      client.list(ConfigMap),
      client.list(ConfigMap, { namespace: "shop" }),
      client.list(ConfigMap, { namespace: "elsewhere" }),
    ]);
    expect(lists.map(({ items }) => items.length)).toEqual([400, 400, 0]);
  });

  it("ends with the reason of its signal, and later lists are complete", async () => {
    const { client } = await largeKind(400);
    const controller = new AbortController();
    const listing = client.list(ConfigMap, { signal: controller.signal });
    await setImmediate();
    controller.abort(new Error("enough"));
    await expect(listing).rejects.toThrow("enough");
    expect((await client.list(ConfigMap)).items).toHaveLength(400);
  });
});

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await setImmediate();
}
