import type { Selection } from "@keelson/client";
import { metadataOnly, type Stored } from "@keelson/core";
import { ConfigMap, Namespace, Secret } from "@keelson/core/kinds/core/v1";
import { describe, expect, it } from "vitest";
import { scopeIdOf, scopesFor, scopesOf, validateSettings } from "./cache-scopes.ts";
import { allNamespaces, cacheKind } from "./cache-settings.ts";
import { InvalidCacheSettingsError } from "./errors.ts";

const selectionsOf = (...args: Parameters<typeof scopesOf>) =>
  scopesOf(...args).map(({ selection }) => selection);

it("applies no namespace settings to a cluster-scoped kind", () => {
  const transform = <T>(object: T): T => object;
  const settings = { defaults: { namespaces: { [allNamespaces]: { transform } } } };
  expect(scopesFor(Namespace, settings, {})).toEqual(scopesOf(Namespace, settings));
});

it("refuses times that would end or hurry everything", () => {
  expect(() => validateSettings({ idleReadMs: 0 })).toThrow(/idleReadMs: it must be above 0/);
  expect(() => validateSettings({ readTimeoutMs: Number.NaN })).toThrow(/readTimeoutMs/);
});

describe("the scopes of a kind", () => {
  it("[IN17] are one for everything without settings", () => {
    expect(scopesOf(ConfigMap, {})).toEqual([{ selection: {}, keepManagedFields: false, parseOnRead: true }]);
  });

  it("[IN17] take each setting from the innermost level that has it", () => {
    const kind = cacheKind(ConfigMap, {
      fieldSelector: "metadata.name=of-kind",
      namespaces: { shop: { labelSelector: "of=namespace" }, other: {} },
    });
    const settings = {
      defaults: {
        labelSelector: "of=defaults",
        keepManagedFields: true,
        namespaces: { other: { labelSelector: "of=default-namespace", keepManagedFields: false } },
      },
      kinds: [kind],
    };
    expect(scopesOf(ConfigMap, settings)).toMatchObject([
      {
        selection: {
          namespace: "shop",
          labelSelector: "of=namespace",
          fieldSelector: "metadata.name=of-kind",
        },
        keepManagedFields: true,
      },
      {
        selection: {
          namespace: "other",
          labelSelector: "of=default-namespace",
          fieldSelector: "metadata.name=of-kind",
        },
        keepManagedFields: false,
      },
    ]);
  });

  it("[IN17] leave to all namespaces those that have no entry", () => {
    const namespaces = { b: {}, [allNamespaces]: { fieldSelector: "metadata.name!=x" }, a: {} };
    expect(selectionsOf(ConfigMap, { defaults: { namespaces } })).toEqual([
      { namespace: "b" },
      { fieldSelector: "metadata.name!=x,metadata.namespace!=a,metadata.namespace!=b" },
      { namespace: "a" },
    ]);
    expect(selectionsOf(ConfigMap, { defaults: { namespaces: { [allNamespaces]: {} } } })).toEqual([{}]);
  });

  it("[IN17] of a cluster-scoped kind heed no default namespaces", () => {
    const defaults = { labelSelector: "app=web", namespaces: { shop: {} } };
    expect(selectionsOf(Namespace, { defaults })).toEqual([{ labelSelector: "app=web" }]);
  });

  it("of the metadata alone are those of the kind, without its transform", () => {
    const transform = (secret: Stored<Secret>): Stored<Secret> => secret;
    const kind = cacheKind(Secret, { namespaces: { shop: { transform } }, labelSelector: "a=b", transform });
    const [scope, ...more] = scopesOf(metadataOnly(Secret), { kinds: [kind] });
    expect(more).toEqual([]);
    expect(scope?.selection).toEqual({ namespace: "shop", labelSelector: "a=b" });
    expect(scope).not.toHaveProperty("transform");
    expect(scopesOf(Secret, { kinds: [kind] })[0]?.transform).toBe(transform);
  });

  it("for an acquired selection have only the other settings of the kind", () => {
    const kind = cacheKind(ConfigMap, { labelSelector: "a=b", parseOnRead: true, keepManagedFields: true });
    expect(scopesFor(ConfigMap, { kinds: [kind] }, { namespace: "shop" })).toEqual([
      { selection: { namespace: "shop" }, parseOnRead: true, keepManagedFields: true },
    ]);
  });

  it("[IN17] for an acquired selection without a namespace are in the namespaces of the settings", () => {
    const selected = (namespaces: Record<string, object>, selection: Selection): readonly Selection[] =>
      scopesFor(ConfigMap, { defaults: { namespaces } }, selection).map((scope) => scope.selection);
    const labelSelector = "app=web";
    expect(selected({ a: { labelSelector: "other=x" }, b: {} }, { labelSelector })).toEqual([
      { namespace: "a", labelSelector },
      { namespace: "b", labelSelector },
    ]);
    expect(selected({ a: {}, b: {} }, { namespace: "c", labelSelector })).toEqual([
      { namespace: "c", labelSelector },
    ]);
    expect(selected({ a: {}, [allNamespaces]: {} }, { fieldSelector: "metadata.name=x" })).toEqual([
      { namespace: "a", fieldSelector: "metadata.name=x" },
      { fieldSelector: "metadata.name=x,metadata.namespace!=a" },
    ]);
  });

  it("[IN1] that are equal but spelled differently have the same id", () => {
    const id = (selection: Selection) => scopesFor(ConfigMap, {}, selection).map(scopeIdOf).join();
    const labels = { matchExpressions: [{ key: "a", operator: "In", values: ["2", "1"] }] } as const;
    expect(id({ labelSelector: labels })).toBe(id({ labelSelector: "a in (1,2)" }));
    expect(id({ fieldSelector: "b=1,a==2" })).toBe(id({ fieldSelector: "a=2,b=1" }));
    expect(id({ fieldSelector: "a=2" })).not.toBe(id({ labelSelector: "a=2" }));
    expect(id({ namespace: "shop" })).not.toBe(id({}));
  });
});

describe("the check of settings", () => {
  it("[IN17] names everything that is wrong", () => {
    const settings = {
      defaults: { labelSelector: "a=", namespaces: { "": {}, shop: { fieldSelector: "nothing" } } },
      kinds: [
        cacheKind(Namespace, { namespaces: { shop: {} } }),
        cacheKind(ConfigMap, { labelSelector: "=b" }),
        cacheKind(ConfigMap, {}),
      ],
    };
    const check = () => validateSettings(settings);
    expect(check).toThrow(InvalidCacheSettingsError);
    expect(check).toThrow("namespaces: Namespace has no namespaces; leave them out");
    expect(check).toThrow("configmaps: there are two entries");
    expect(check).toThrow('write "*" for all other namespaces');
    expect(check).toThrow("defaults, namespace shop: parse field selector");
    expect(check).toThrow("configmaps: parse label selector");
  });

  it("accepts a kind and its metadata beside each other", () => {
    expect(() =>
      validateSettings({ kinds: [cacheKind(Secret, {}), cacheKind(metadataOnly(Secret), {})] }),
    ).not.toThrow();
  });
});
