import type { KubeObject } from "@keelson/core";
import { describe, expect, it } from "vitest";
import { stored } from "../../test/support/stored.ts";
import { keyTextOf, parsedSnapshot, type Snapshot, unparsedSnapshot } from "./snapshot.ts";

const object = stored({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { namespace: "shop", name: "web", resourceVersion: "7", labels: { tier: "é" } },
});
const line = {
  type: "ADDED",
  namespace: "shop",
  name: "web",
  keyText: "shop/web",
  resourceVersion: "7",
  bytes: Buffer.from(JSON.stringify(object)).toString("latin1"),
  isAscii: false,
} as const;

const kinds: readonly (readonly [string, () => Snapshot<KubeObject>])[] = [
  ["parsed", () => parsedSnapshot<KubeObject>(structuredClone(object))],
  ["unparsed", () => unparsedSnapshot<KubeObject>(line)],
];

describe.each(kinds)("a snapshot that was %s", (_, make) => {
  it("[IN18] returns the same object every time, frozen all the way down", () => {
    const snapshot = make();
    expect(snapshot.object).toEqual(object);
    expect(snapshot.object).toBe(snapshot.object);
    expect(Object.isFrozen(snapshot.object)).toBe(true);
    expect(Object.isFrozen(snapshot.object.metadata.labels)).toBe(true);
  });

  it("names the key and the version", () => {
    const { namespace, name, keyText, resourceVersion } = make();
    expect({ namespace, name, keyText, resourceVersion }).toEqual({
      namespace: "shop",
      name: "web",
      keyText: "shop/web",
      resourceVersion: "7",
    });
  });

  it("[IN12] may be transformed, also in place, and stays under its key and version", () => {
    const snapshot = make().transformed((given) => Object.assign(given, { metadata: { name: "other" } }));
    expect(snapshot.object).toEqual({ ...object, metadata: { name: "other" } });
    expect(Object.isFrozen(snapshot.object.metadata)).toBe(true);
    expect(snapshot).toMatchObject({
      namespace: "shop",
      name: "web",
      keyText: "shop/web",
      resourceVersion: "7",
    });
  });
});

describe("the text of a key", () => {
  it("is the same for a key and for a snapshot, with and without a namespace", () => {
    expect(keyTextOf({ namespace: "shop", name: "web" })).toBe("shop/web");
    expect(keyTextOf({ name: "node-1" })).toBe("/node-1");
    const node = parsedSnapshot(stored({ apiVersion: "v1", kind: "Node", metadata: { name: "node-1" } }));
    expect(node).toMatchObject({ keyText: "/node-1", resourceVersion: "1" });
    expect("namespace" in node).toBe(false);
  });
});
