import type { GenericObject } from "@keelson/core";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CompactedError, FutureRevisionError, NestedWriteError, StaleWriteError } from "./errors.ts";
import { createMemoryStore } from "./memory-store.ts";
import { type Store, type StoreChange, type StoredObject, storeKey } from "./store.ts";

function configMap(namespace: string, name: string, value = ""): GenericObject {
  const metadata = { namespace, name, uid: `uid-of-${name}`, creationTimestamp: "2030-01-01T00:00:00Z" };
  return { apiVersion: "v1", kind: "ConfigMap", metadata, data: { value } };
}

function put(store: Store, namespace: string, name: string, value = ""): StoredObject {
  const key = storeKey(namespace, name);
  const expectedRevision = Number(store.get("configmaps", key)?.metadata.resourceVersion ?? 0);
  const object = configMap(namespace, name, value);
  return store.write({ collection: "configmaps", key, object, expectedRevision });
}

function remove(store: Store, namespace: string, name: string): StoredObject {
  const key = storeKey(namespace, name);
  const expectedRevision = Number(store.get("configmaps", key)?.metadata.resourceVersion ?? 0);
  return store.write({ collection: "configmaps", key, object: undefined, expectedRevision });
}

function keys(objects: readonly StoredObject[]): readonly string[] {
  return objects.map(({ metadata }) => storeKey(metadata.namespace, metadata.name));
}

describe("a memory store", () => {
  test("increments the revision with every write, and sets it in the object", () => {
    const store = createMemoryStore();
    const first = put(store, "a", "one");
    const second = put(store, "a", "two");
    expect([first, second].map(({ metadata }) => metadata.resourceVersion)).toEqual(["2", "3"]);
    expect(store.revision).toBe(3);
    expect(store.get("configmaps", "a/one")).toBe(first);
  });

  test("returns a removed object with the revision of its removal", () => {
    const store = createMemoryStore();
    put(store, "a", "one", "last");
    expect(remove(store, "a", "one")).toMatchObject({
      metadata: { resourceVersion: "3" },
      data: { value: "last" },
    });
    expect(store.get("configmaps", "a/one")).toBeUndefined();
    expect(store.count("configmaps")).toBe(0);
  });

  test("refuses a write that expects another revision, and changes nothing", () => {
    const store = createMemoryStore();
    put(store, "a", "one");
    const write = { collection: "configmaps", key: "a/one", object: configMap("a", "one", "late") };
    expect(() => store.write({ ...write, expectedRevision: 0 })).toThrow(StaleWriteError);
    expect(() => store.write({ ...write, expectedRevision: 1 })).toThrow("it is at revision 2, expected 1");
    expect(() => remove(store, "a", "none")).toThrow(StaleWriteError);
    expect(store.revision).toBe(2);
  });

  test("lists in the order of keys, by namespace, and after a key", () => {
    const store = createMemoryStore();
    for (const [namespace, name] of [
      ["b", "x"],
      ["a-b", "x"],
      ["a", "z"],
      ["a", "m"],
    ] as const) {
      put(store, namespace, name);
    }
    expect(keys(store.list("configmaps"))).toEqual(["a-b/x", "a/m", "a/z", "b/x"]);
    expect(keys(store.list("configmaps", { namespace: "a" }))).toEqual(["a/m", "a/z"]);
    expect(keys(store.list("configmaps", { namespace: "a", after: "a/m" }))).toEqual(["a/z"]);
    expect(keys(store.list("configmaps", { after: "a/n" }))).toEqual(["a/z", "b/x"]);
    expect(store.list("configmaps", { namespace: "none" })).toEqual([]);
  });

  test("sends a listener past changes first, then new ones, until it unsubscribes", () => {
    const store = createMemoryStore();
    put(store, "a", "one");
    const seen: string[] = [];
    const unsubscribe = store.subscribe("configmaps", 1, ({ type, key }) => seen.push(`${type} ${key}`));
    put(store, "a", "one", "changed");
    store.write({ collection: "secrets", key: "a/s", object: configMap("a", "s"), expectedRevision: 0 });
    remove(store, "a", "one");
    unsubscribe();
    put(store, "a", "two");
    expect(seen).toEqual(["ADDED a/one", "MODIFIED a/one", "DELETED a/one"]);
  });

  test("sends a listener that subscribes during a write this write once", () => {
    const store = createMemoryStore();
    const seen: number[] = [];
    store.subscribe("configmaps", 1, () => {
      if (seen.length === 0) store.subscribe("configmaps", 1, ({ revision }) => seen.push(revision));
    });
    put(store, "a", "one");
    expect(seen).toEqual([2]);
  });

  test("refuses a write of a listener", () => {
    const store = createMemoryStore();
    store.subscribe("configmaps", 1, () => void put(store, "a", "two"));
    expect(() => put(store, "a", "one")).toThrow(NestedWriteError);
    expect(store.get("configmaps", "a/one")).toBeDefined();
  });

  test("forgets history when compacted, but not the state at that revision", () => {
    const store = createMemoryStore();
    put(store, "a", "one", "1");
    put(store, "a", "one", "2");
    put(store, "a", "one", "3");
    store.compact(3);
    expect(store.list("configmaps", { revision: 3 })).toMatchObject([{ data: { value: "2" } }]);
    expect(() => store.list("configmaps", { revision: 2 })).toThrow(CompactedError);
    expect(() => store.subscribe("configmaps", 2, () => undefined)).toThrow(CompactedError);
    expect(() => store.list("configmaps", { revision: 5 })).toThrow(FutureRevisionError);
  });

  test("compacts by itself when the history grows too long", () => {
    const store = createMemoryStore({ historyLimit: 8 });
    for (let count = 0; count < 100; count++) put(store, "a", "one", String(count));
    expect(store.revision - store.compactedRevision).toBeLessThanOrEqual(10);
    expect(store.revision - store.compactedRevision).toBeGreaterThanOrEqual(8);
  });

  test("continues from a snapshot", () => {
    const former = createMemoryStore();
    const object = put(former, "a", "one");
    const objects = [{ collection: "configmaps", key: "a/one", object }];
    const snapshot = { revision: former.revision, objects };
    const store = createMemoryStore({ journal: { snapshot, append: () => undefined } });
    expect(store.list("configmaps")).toEqual([object]);
    expect(put(store, "a", "one", "more").metadata.resourceVersion).toBe("3");
    expect(() => store.subscribe("configmaps", 1, () => undefined)).toThrow(CompactedError);
  });

  test("lists any past revision, whatever was written since", () => {
    const write = fc.record({
      namespace: fc.constantFrom("a", "a-b", "b"),
      name: fc.constantFrom("x", "y", "z"),
      removes: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(write, { maxLength: 40 }), (writes) => {
        const store = createMemoryStore();
        const states = new Map([[1, store.list("configmaps")]]);
        const received: StoreChange[] = [];
        store.subscribe(undefined, 1, (change) => received.push(change));
        for (const [count, { namespace, name, removes }] of writes.entries()) {
          const exists = store.get("configmaps", storeKey(namespace, name)) !== undefined;
          if (removes && !exists) continue;
          if (removes) remove(store, namespace, name);
          else put(store, namespace, name, String(count));
          states.set(store.revision, store.list("configmaps"));
        }
        for (const [revision, state] of states) {
          expect(store.list("configmaps", { revision })).toEqual(state);
          expectPages(store, revision, state);
        }
        expect(received.map(({ revision }) => revision)).toEqual([...states.keys()].slice(1));
      }),
    );
  });
});

/** Every page of the list at a revision, of the size 2, begins after the last one and counts what is left. */
function expectPages(store: Store, revision: number, state: readonly StoredObject[]): void {
  for (let start = 0; start < state.length; start += 2) {
    const before = state[start - 1]?.metadata;
    const after = before === undefined ? {} : { after: storeKey(before.namespace, before.name) };
    const page = store.page("configmaps", { revision, limit: 2, ...after });
    expect(page.objects).toEqual(state.slice(start, start + 2));
    expect(page.remaining).toBe(Math.max(0, state.length - start - 2));
  }
}
