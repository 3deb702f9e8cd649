import { expect, test } from "vitest";
import { type JournalEntry, replay } from "./journal.ts";
import { createMemoryStore } from "./memory-store.ts";
import type { StoredObject } from "./store.ts";

const object: StoredObject = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: {
    name: "one",
    namespace: "a",
    uid: "uid-1",
    resourceVersion: "1",
    creationTimestamp: "2030-01-01T00:00:00Z",
  },
};

test("a journal restores the store, with its revision", () => {
  const entries: JournalEntry[] = [];
  const store = createMemoryStore({
    journal: { snapshot: undefined, append: (entry) => entries.push(entry) },
  });
  store.write({ collection: "configmaps", key: "a/one", object, expectedRevision: 0 });
  store.write({ collection: "configmaps", key: "a/two", object, expectedRevision: 0 });
  store.write({ collection: "configmaps", key: "a/one", object: undefined, expectedRevision: 2 });
  const snapshot = replay(undefined, JSON.parse(JSON.stringify(entries)));
  const again = createMemoryStore({ journal: { snapshot, append: () => undefined } });
  expect(again.list("configmaps")).toEqual(store.list("configmaps"));
  expect(again.revision).toBe(4);
});

test("entries that a snapshot holds already are not played again", () => {
  const snapshot = { revision: 5, objects: [{ collection: "configmaps", key: "a/one", object }] };
  const old = { collection: "configmaps", key: "a/one", revision: 5, object: null };
  expect(replay(snapshot, [old])).toEqual(snapshot);
});

test("nothing kept is no snapshot", () => {
  expect(replay(undefined, [])).toBeUndefined();
});

test("a write that the journal cannot persist does not happen", () => {
  const append = (): void => {
    throw new Error("the disk is full");
  };
  const store = createMemoryStore({ journal: { snapshot: undefined, append } });
  const write = { collection: "configmaps", key: "a/one", object, expectedRevision: 0 };
  expect(() => store.write(write)).toThrow("the disk is full");
  expect(store.get("configmaps", "a/one")).toBeUndefined();
  expect(store.revision).toBe(1);
});
