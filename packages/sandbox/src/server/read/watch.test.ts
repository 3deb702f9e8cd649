import { describe, expect, test } from "vitest";
import { type Json, serverWorld } from "../../../test/support/server-world.ts";
import { gadget, note } from "../../../test/support/writer-world.ts";

const notes = "/api/v1/namespaces/shop/notes";
const merge = { "content-type": "application/merge-patch+json" };

async function next(events: AsyncIterator<Json>): Promise<Json> {
  const { value, done } = await events.next();
  return done === true ? undefined : value;
}

/** `ADDED a`, `DELETED b`, … */
async function seen(events: AsyncIterator<Json>, count: number): Promise<readonly string[]> {
  const found: string[] = [];
  for (let index = 0; index < count; index++) {
    const { type, object } = await next(events);
    found.push(`${type} ${object.metadata.name ?? ""}`.trim());
  }
  return found;
}

describe("a watch", () => {
  test("begins with the existing objects, and ends them with a bookmark on request", async () => {
    const { call, watch, store } = serverWorld();
    await call("POST", notes, { body: { metadata: { name: "a" } } });
    const events = await watch(`${notes}?watch=1&allowWatchBookmarks=true`);
    expect(await seen(events, 1)).toEqual(["ADDED a"]);
    expect(await next(events)).toEqual({
      type: "BOOKMARK",
      object: {
        kind: "Note",
        apiVersion: "v1",
        metadata: {
          resourceVersion: String(store.revision),
          annotations: { "k8s.io/initial-events-end": "true" },
        },
      },
    });
    await call("POST", notes, { body: { metadata: { name: "b" } } });
    await call("DELETE", `${notes}/a`);
    expect(await seen(events, 2)).toEqual(["ADDED b", "DELETED a"]);
  });

  test("continues from a revision, also from a future one", async () => {
    const { call, watch, store } = serverWorld();
    const from = store.revision;
    for (const name of ["a", "b", "c"]) await call("POST", notes, { body: { metadata: { name } } });
    expect(await seen(await watch(`${notes}?watch=true&resourceVersion=${from}`), 3)).toEqual([
      "ADDED a",
      "ADDED b",
      "ADDED c",
    ]);
    const later = await watch(`${notes}?watch=true&resourceVersion=${store.revision + 1}`);
    for (const name of ["d", "e"]) await call("POST", notes, { body: { metadata: { name } } });
    expect(await seen(later, 1)).toEqual(["ADDED e"]);
  });

  test("delivers objects that enter and leave a selection as ADDED and DELETED", async () => {
    const { call, watch, store } = serverWorld();
    await call("POST", notes, { body: { metadata: { name: "a" } } });
    const events = await watch(`${notes}?watch=1&resourceVersion=${store.revision}&labelSelector=x`);
    await call("PATCH", `${notes}/a`, { headers: merge, body: { metadata: { labels: { x: "1" } } } });
    await call("PATCH", `${notes}/a`, { headers: merge, body: { metadata: { labels: { x: "2" } } } });
    await call("PATCH", `${notes}/a`, { headers: merge, body: { metadata: { labels: { x: null } } } });
    expect(await seen(events, 2)).toEqual(["ADDED a", "MODIFIED a"]);
    const { type, object } = await next(events);
    expect(type).toBe("DELETED");
    expect(object.metadata).toMatchObject({ labels: { x: "2" }, resourceVersion: String(store.revision) });
  });

  test("from a compacted revision is refused within the stream", async () => {
    const { call, watch, store } = serverWorld();
    for (const name of ["a", "b"]) await call("POST", notes, { body: { metadata: { name } } });
    store.compact(store.revision);
    const events = await watch(`${notes}?watch=1&resourceVersion=1`);
    expect(await next(events)).toMatchObject({
      type: "ERROR",
      object: { code: 410, reason: "Expired", message: `too old resource version: 1 (${store.revision})` },
    });
    expect(await next(events)).toBeUndefined();
  });

  test("sends bookmarks periodically, and ends with its timeout", async () => {
    const { watch, clock, store } = serverWorld();
    const query = `watch=1&resourceVersion=${store.revision}&allowWatchBookmarks=1&timeoutSeconds=90`;
    const events = await watch(`${notes}?${query}`);
    await clock.advance(90_000);
    const metadata = { resourceVersion: String(store.revision) };
    const bookmark = { type: "BOOKMARK", object: { kind: "Note", apiVersion: "v1", metadata } };
    expect([await next(events), await next(events), await next(events)]).toEqual([
      bookmark,
      bookmark,
      undefined,
    ]);
  });

  test("ends when the client disconnects, and when it is too slow", async () => {
    const { watch, call } = serverWorld(undefined, { watchBufferLimit: 2 });
    const gone = new AbortController();
    const events = await watch(`${notes}?watch=1`, { signal: gone.signal });
    const slow = await watch(`${notes}?watch=1`);
    gone.abort();
    expect(await next(events)).toBeUndefined();
    for (const name of ["a", "b", "c"]) await call("POST", notes, { body: { metadata: { name } } });
    expect(await seen(slow, 2)).toEqual(["ADDED a", "ADDED b"]);
    expect(await next(slow)).toBeUndefined();
  });

  test("delivers Tables, with column definitions once, and metadata", async () => {
    const { call, watch } = serverWorld();
    for (const name of ["a", "b"]) await call("POST", notes, { body: { metadata: { name } } });
    const table = { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" };
    const tables = await watch(`${notes}?watch=1`, { headers: table });
    expect((await next(tables)).object).toMatchObject({ kind: "Table", columnDefinitions: [] });
    expect((await next(tables)).object).toMatchObject({ kind: "Table", columnDefinitions: null });
    const partial = { accept: "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io" };
    const objects = await watch(`${notes}?watch=1`, { headers: partial });
    expect((await next(objects)).object).toMatchObject({
      kind: "PartialObjectMetadata",
      metadata: { name: "a" },
    });
  });

  test("reaches many watchers with many events, none lost", async () => {
    const { call, watch, store } = serverWorld();
    const path = `${notes}?watch=1&resourceVersion=${store.revision}`;
    const watchers = await Promise.all(Array.from({ length: 100 }, () => watch(path)));
    for (let index = 0; index < 100; index++) {
      await call("POST", notes, { body: { metadata: { name: `n${index}` } } });
    }
    const counts = await Promise.all(watchers.map(async (events) => (await seen(events, 100)).length));
    expect(counts.every((count) => count === 100)).toBe(true);
  });

  test("of a custom kind ends a moment after its definition changed or went, and not before", async () => {
    const defined = { ...gadget, definedBy: "1" };
    const { call, watch, registry, clock } = serverWorld([note]);
    const body = { apiVersion: "example.com/v1", kind: "Gadget", metadata: { name: "a" } };
    const gadgets = "/apis/example.com/v1/namespaces/shop/gadgets";
    for (const next of [[{ ...gadget, definedBy: "2" }], []]) {
      registry.replace("gadgets", [defined]);
      const events = await watch(`${gadgets}?watch=1&resourceVersion=1000000`);
      const gone = await watch(`${gadgets}?watch=1`);
      registry.replace("gadgets", [{ ...defined }]);
      await clock.advance(5_000);
      await call("POST", gadgets, { body });
      expect(await seen(gone, 1)).toEqual(["ADDED a"]);
      registry.replace("gadgets", next);
      await clock.advance(999);
      const end = Promise.all([gone.next(), events.next()]);
      await clock.advance(1);
      expect((await end).map(({ done }) => done)).toEqual([true, true]);
      expect((await call("GET", `${gadgets}/a`)).status).toBe(next.length === 0 ? 404 : 200);
      await call("DELETE", `${gadgets}/a`);
    }
  });
});
