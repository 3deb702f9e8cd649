import { type ApiCall, InvalidCallError } from "@keelson/client";
import { ConfigMap, Namespace } from "@keelson/core/kinds/core/v1";
import { describe, expect, it } from "vitest";
import { FieldNotIndexedError } from "../errors.ts";
import { isCacheRead, isWellFormed, toListRequest } from "./read-request.ts";

const call = (change: Partial<ApiCall> = {}): ApiCall => ({
  verb: "list",
  resource: ConfigMap,
  query: {},
  isStream: false,
  ...change,
});

const parse = (query: ApiCall["query"], change: Partial<ApiCall> = {}) =>
  toListRequest(call({ ...change, query }), (name) => name === "spec.node" || name === "spec.zone");

describe("a list call", () => {
  it("[IN15] becomes a query of the store", () => {
    const fieldSelector = "spec.node=n1,spec.zone==z,metadata.name=web";
    expect(
      parse({ labelSelector: "app=web", fieldSelector, limit: "5" }, { namespace: "shop" }),
    ).toMatchObject({
      query: {
        namespace: "shop",
        indexed: [
          { index: "spec.node", value: "n1" },
          { index: "spec.zone", value: "z" },
        ],
      },
      name: "web",
      limit: 5,
      isEmpty: false,
    });
    expect(parse({})).toEqual({ query: {}, isEmpty: false });
    expect(parse({ limit: "0", continue: "" })).toEqual({ query: {}, isEmpty: false });
  });

  it("[IN15] that contradicts itself selects nothing", () => {
    expect(parse({ fieldSelector: "metadata.namespace=other" }, { namespace: "shop" }).isEmpty).toBe(true);
    expect(parse({ fieldSelector: "metadata.namespace=shop" }, { namespace: "shop" }).isEmpty).toBe(false);
    expect(parse({ fieldSelector: "metadata.name=a,metadata.name=b" }).isEmpty).toBe(true);
  });

  it("[IN15] is refused for pages, unequal fields, fields without an index, and a limit that is none", () => {
    expect(() => parse({ continue: "x" })).toThrow(InvalidCallError);
    expect(() => parse({ fieldSelector: "spec.node!=n1" })).toThrow(InvalidCallError);
    expect(() => parse({ fieldSelector: "spec.other=1" })).toThrow(FieldNotIndexedError);
    expect(() => parse({ limit: "-1" })).toThrow(InvalidCallError);
  });
});

it("[IN15] a cache serves reads of whole objects without a resource version", () => {
  expect(isCacheRead(call())).toBe(true);
  expect(isCacheRead(call({ verb: "get", name: "web" }))).toBe(true);
  expect(isCacheRead(call({ query: { resourceVersion: "" } }))).toBe(false);
  expect(isCacheRead(call({ verb: "get", name: "web", subresource: "status" }))).toBe(false);
  expect(isCacheRead(call({ verb: "watch", isStream: true }))).toBe(false);
  expect(isCacheRead(call({ verb: "delete", name: "web" }))).toBe(false);
});

it.each([
  [{ verb: "get", namespace: "shop", name: "web" }, true],
  [{ verb: "get", name: "web" }, false],
  [{ verb: "get", namespace: "shop" }, false],
  [{ verb: "get", namespace: "", name: "web" }, false],
  [{ verb: "get", resource: Namespace, name: "shop" }, true],
  [{ verb: "get", resource: Namespace, namespace: "shop", name: "shop" }, false],
  [{ verb: "list" }, true],
  [{ verb: "list", namespace: "shop" }, true],
  [{ verb: "list", resource: Namespace, namespace: "shop" }, false],
] as const)("whether a call is well formed: %j", (change, expected) => {
  expect(isWellFormed(call(change))).toBe(expected);
});
