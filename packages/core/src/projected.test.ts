import { describe, expect, expectTypeOf, it } from "vitest";
import { Secret } from "./kinds/core/v1.ts";
import type { Stored } from "./meta.ts";
import { hasIdentityOf, identityOf, projected, reduceTo, wholeOf } from "./projected.ts";
import { metadataOnly, type ObjectOf } from "./resource.ts";

const SecretKeys = projected(Secret, {
  name: "keys",
  project: ({ data = {} }) => ({ keys: Object.keys(data) }),
});

const secret: Stored<Secret> = {
  apiVersion: "v1",
  kind: "Secret",
  metadata: {
    name: "db",
    namespace: "shop",
    uid: "u1",
    resourceVersion: "7",
    creationTimestamp: "2026-01-01T00:00:00Z",
    labels: { app: "web" },
    annotations: { "kubectl.kubernetes.io/last-applied-configuration": "…" },
  },
  data: { password: "c2VjcmV0" },
};

describe("a projection of a kind", () => {
  it("has the names of the kind and the type of what is kept", () => {
    expect(SecretKeys).toMatchObject({ kind: "Secret", plural: "secrets", scope: "Namespaced" });
    expectTypeOf<ObjectOf<typeof SecretKeys>["keys"]>().toEqualTypeOf<string[]>();
    expectTypeOf<Stored<ObjectOf<typeof SecretKeys>>["metadata"]["namespace"]>().toEqualTypeOf<string>();
    expect(wholeOf(SecretKeys)).toEqual({
      group: "",
      version: "v1",
      kind: "Secret",
      plural: "secrets",
      scope: "Namespaced",
    });
    expect(wholeOf(Secret)).toBe(Secret);
  });

  it("keeps the fields that it returns, key, version, times and labels, and drops the rest", () => {
    expect(reduceTo(SecretKeys, secret)).toEqual({
      apiVersion: "projected.keelson.dev/keys",
      kind: "Secret",
      metadata: {
        name: "db",
        namespace: "shop",
        uid: "u1",
        resourceVersion: "7",
        creationTimestamp: "2026-01-01T00:00:00Z",
        labels: { app: "web" },
      },
      keys: ["password"],
    });
  });

  it("chooses annotations and labels, but neither key nor version", () => {
    const Chosen = projected(Secret, {
      name: "chosen",
      project: () => ({ metadata: { labels: {}, annotations: { a: "1" }, name: "other" }, kind: "Other" }),
    });
    expect(reduceTo(Chosen, secret)).toEqual({
      ...identityOf(Chosen),
      metadata: {
        name: "db",
        namespace: "shop",
        uid: "u1",
        resourceVersion: "7",
        creationTimestamp: "2026-01-01T00:00:00Z",
        labels: {},
        annotations: { a: "1" },
      },
    });
  });

  it("reduces an object of the server once, and no object of another kind", () => {
    const reduced = reduceTo(SecretKeys, secret);
    expect(hasIdentityOf(SecretKeys, reduced)).toBe(true);
    expect(hasIdentityOf(Secret, reduced)).toBe(false);
    expect(hasIdentityOf(SecretKeys, secret)).toBe(false);
    expect(reduceTo(SecretKeys, reduced)).toBe(reduced);
    expect(reduceTo(Secret, secret)).toBe(secret);
    const partial = { ...secret, ...identityOf(metadataOnly(Secret)) };
    expect(reduceTo(SecretKeys, partial)).toBe(partial);
  });
});
