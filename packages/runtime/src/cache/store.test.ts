import type { KubeObject } from "@keelson/core";
import { describe, expect, it } from "vitest";
import { stored } from "../../test/support/stored.ts";
import { parsedSnapshot, type Snapshot, unparsedSnapshot } from "../watch/snapshot.ts";
import { FieldNotIndexedError, IndexConflictError, IndexFunctionError } from "./errors.ts";
import { Store } from "./store.ts";

interface Thing extends KubeObject {
  readonly colours?: readonly string[];
}

const things = (...snapshots: readonly Snapshot<Thing>[]) =>
  new Map(snapshots.map((snapshot) => [snapshot.keyText, snapshot]));

function thing(namespace: string, name: string, colours?: readonly string[], labels = {}): Snapshot<Thing> {
  const metadata = { namespace, name, labels };
  return parsedSnapshot<Thing>(
    stored({ apiVersion: "v1", kind: "Thing", metadata, ...(colours && { colours }) }),
  );
}

const coloursOf = ({ colours }: Thing): readonly string[] => colours ?? [];
const byColour = (value: string) => ({ indexed: [{ index: "colour", value }] });
const names = (objects: readonly KubeObject[]) => objects.map(({ metadata }) => metadata.name);

function coloured(): Store<Thing> {
  const store = new Store<Thing>("things");
  store.addIndex("colour", coloursOf);
  return store;
}

describe("a store", () => {
  it("[IN18] returns the same frozen object to every reader", () => {
    const store = new Store<Thing>("things");
    store.set(thing("shop", "a", ["red"]));
    const [listed] = store.list();
    expect(listed).toBe(store.get("shop/a")?.object);
    expect(Object.isFrozen(listed?.colours)).toBe(true);
  });

  it("finds objects by namespace and labels, up to the limit", () => {
    const store = new Store<Thing>("things");
    store.replace(things(thing("shop", "a", [], { app: "x" }), thing("shop", "b"), thing("farm", "a")));
    expect(names(store.list({ namespace: "shop" }))).toEqual(["a", "b"]);
    expect(names(store.list({ namespace: "sea" }))).toEqual([]);
    expect(names(store.list({ namespace: "shop", labels: { matchLabels: { app: "x" } } }))).toEqual(["a"]);
    expect(store.list({ limit: 2 })).toHaveLength(2);
    expect(store.list({ namespace: "shop", limit: 1 })).toHaveLength(1);
    store.delete("shop/a");
    expect(names(store.list({ namespace: "shop" }))).toEqual(["b"]);
  });

  it("parses nothing to store an object and to find objects by namespace", () => {
    const store = new Store<Thing>("things");
    const broken = unparsedSnapshot<Thing>({
      type: "ADDED",
      namespace: "shop",
      name: "a",
      keyText: "shop/a",
      resourceVersion: "1",
      bytes: "not JSON",
      isAscii: true,
    });
    store.set(broken);
    store.replace(things(broken));
    expect(store.list({ namespace: "farm" })).toEqual([]);
    expect(store.size).toBe(1);
    expect(() => store.list({ namespace: "shop" })).toThrow(SyntaxError);
  });
});

describe("an index of a store", () => {
  it("[IN14] files an object under several values, one or none", () => {
    const store = coloured();
    store.set(thing("shop", "a", ["red", "blue"]));
    store.set(thing("shop", "b", ["blue"]));
    store.set(thing("shop", "c"));
    expect(names(store.list(byColour("blue")))).toEqual(["a", "b"]);
    expect(names(store.list(byColour("red")))).toEqual(["a"]);
    expect(names(store.list(byColour("green")))).toEqual([]);
  });

  it("[IN14] follows an object from value to value", () => {
    const store = coloured();
    store.set(thing("shop", "a", ["red", "blue"]));
    store.set(thing("shop", "a", ["blue", "green"]));
    expect(["red", "blue", "green"].map((colour) => store.list(byColour(colour)).length)).toEqual([0, 1, 1]);
  });

  it("[IN14] keeps no value that no object has", () => {
    const store = coloured();
    store.set(thing("shop", "a", ["red", "red", "blue"]));
    store.set(thing("shop", "b", ["red"]));
    expect(store.indexSize("colour")).toBe(2);
    store.set(thing("shop", "a", ["red"]));
    expect(store.indexSize("colour")).toBe(1);
    store.delete("shop/a");
    store.delete("shop/b");
    store.delete("shop/b");
    expect(store.indexSize("colour")).toBe(0);
    store.replace(things(thing("shop", "c", ["green"])));
    store.replace(things());
    expect(store.indexSize("colour")).toBe(0);
  });

  it("[IN14] indexes the stored objects when it is added", () => {
    const store = new Store<Thing>("things");
    store.set(thing("shop", "a", ["red"]));
    store.addIndex("colour", coloursOf);
    expect(names(store.list(byColour("red")))).toEqual(["a"]);
  });

  it("[IN14] may be added again, but not another one under its name", () => {
    const store = coloured();
    store.addIndex("colour", coloursOf);
    expect(() => store.addIndex("colour", () => [])).toThrow(IndexConflictError);
  });

  it("[IN5] is replaced together with the objects", () => {
    const store = coloured();
    store.set(thing("shop", "a", ["red"]));
    const before = store.replace(things(thing("shop", "b", ["blue"])));
    expect([...before.keys()]).toEqual(["shop/a"]);
    expect(names(store.list(byColour("red")))).toEqual([]);
    expect(names(store.list(byColour("blue")))).toEqual(["b"]);
  });

  it("narrows a search together with other indexes and the namespace", () => {
    const store = coloured();
    store.addIndex("name", ({ metadata }) => [metadata.name ?? ""]);
    store.replace(
      things(thing("shop", "a", ["red"]), thing("farm", "a", ["red"]), thing("shop", "b", ["red"])),
    );
    const indexed = [...byColour("red").indexed, { index: "name", value: "a" }];
    expect(store.list({ indexed })).toHaveLength(2);
    expect(store.list({ indexed, namespace: "farm" }).map(({ metadata }) => metadata.namespace)).toEqual([
      "farm",
    ]);
  });

  it("that does not exist is an error for those who search by it", () => {
    expect(() => new Store<Thing>("things").list(byColour("red"))).toThrow(FieldNotIndexedError);
  });

  it("[IN22] is without an object that its function cannot handle, which is reported once and is elsewhere", () => {
    const failures: Error[] = [];
    const store = new Store<Thing>("things", (error) => failures.push(error));
    store.addIndex("colour", coloursOf);
    store.set(thing("shop", "a", ["red"]));
    let isPicky = true;
    store.addIndex("picky", ({ metadata }) => {
      if (isPicky && metadata.name === "bad") throw new Error("I do not like it");
      return ["good"];
    });
    const good = { indexed: [{ index: "picky", value: "good" }] };
    const bad = (): Snapshot<Thing> => thing("shop", "bad", ["red"]);
    store.set(bad());
    store.set(bad());
    store.replace(things(thing("shop", "a", ["red"]), bad()));
    expect(failures).toEqual([expect.any(IndexFunctionError)]);
    expect(failures[0]?.message).toBe(
      "file shop/bad under index picky: I do not like it; the index does not contain it",
    );
    expect(names(store.list(good))).toEqual(["a"]);
    expect(store.unindexed).toEqual({ colour: 0, picky: 1 });
    for (const query of [{}, byColour("red"), { namespace: "shop" }])
      expect(names(store.list(query))).toEqual(["a", "bad"]);
    isPicky = false;
    store.set(bad());
    expect(names(store.list(good))).toEqual(["a", "bad"]);
    isPicky = true;
    store.set(bad());
    store.delete("shop/bad");
    expect([failures.length, store.unindexed]).toEqual([2, { colour: 0, picky: 0 }]);
  });

  it("[IN22] can be added with a function that cannot handle objects which are stored", () => {
    const failures: Error[] = [];
    const store = new Store<Thing>("things", (error) => failures.push(error));
    store.set(thing("shop", "a"));
    store.addIndex("useless", () => {
      throw new Error("always");
    });
    expect([store.indexSize("useless"), store.unindexed, failures.length]).toEqual([0, { useless: 1 }, 1]);
  });
});
