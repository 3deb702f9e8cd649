import type { Selection } from "@keelson/client";
import type { ApiUse } from "@keelson/core";
import { ConfigMap, Node, Secret } from "@keelson/core/kinds/core/v1";
import { describe, expect, it } from "vitest";
import { type CacheSettings, cacheKind } from "../../cache/cache-settings.ts";
import { enqueueSelf } from "../../source/handlers.ts";
import { kindSource } from "../../source/kind-source.ts";
import { mergeNeeded, toAccessReview } from "./check-permissions.ts";
import { formatMissing } from "./missing-permissions.ts";
import { narrowUses } from "./narrow-uses.ts";
import { eventUses, neededUses, usesOfSources } from "./needed-uses.ts";
import type { ScopeOf } from "./resource-scopes.ts";
import { textTable } from "./text-table.ts";

const use = (verb: string, resource: string, more: Partial<ApiUse> = {}): ApiUse => ({
  verb,
  group: "",
  resource,
  ...more,
});

const unknownScope: ScopeOf = () => undefined;

describe("the uses of an event recorder", () => {
  const namespacesOf = (...subjects: Parameters<typeof eventUses>) => {
    const uses = eventUses(...subjects);
    const namespaces = [...new Set(uses.map((each) => ("namespace" in each ? each.namespace : "all")))];
    expect(uses.map(({ verb }) => verb)).toEqual(namespaces.flatMap(() => ["create", "patch"]));
    return namespaces;
  };

  it("are in the watched namespaces, and in all if all are watched", () => {
    expect(namespacesOf({ settings: { defaults: { namespaces: { shop: {}, bank: {} } } } })).toEqual([
      "shop",
      "bank",
    ]);
    expect(namespacesOf({ settings: { defaults: { namespaces: { shop: {}, "*": {} } } } })).toEqual(["all"]);
    expect(namespacesOf()).toEqual(["all"]);
  });

  it("are also in the namespace of the Lease, in those of single kinds, and in the one for cluster-scoped objects", () => {
    const settings = { defaults: { namespaces: { shop: {} } } };
    expect(namespacesOf({ settings, lease: { namespace: "ops", name: "lock" } })).toEqual(["shop", "ops"]);
    expect(
      namespacesOf({ settings: { ...settings, kinds: [cacheKind(Secret, { namespaces: { vault: {} } })] } }),
    ).toEqual(["shop", "vault"]);
    expect(namespacesOf({ settings, watched: [{ resource: Node }, { resource: ConfigMap }] })).toEqual([
      "shop",
      "default",
    ]);
    const selected = (selection: Selection) =>
      namespacesOf({ settings, watched: [{ resource: ConfigMap, selection }] });
    expect(selected({ namespace: "bank" })).toEqual(["shop", "bank"]);
    expect(selected({ labelSelector: "a=b" })).toEqual(["shop"]);
  });
});

describe("the access reviews of a check", () => {
  it("are made once for each use, with all parts that need it", () => {
    const needed = [
      ...neededUses("one", [use("get", "pods"), use("list", "pods")]),
      ...neededUses("two", [use("list", "pods")]),
      ...neededUses("one", [use("list", "pods")]),
    ];
    expect(mergeNeeded(needed)).toEqual([
      { use: use("get", "pods"), neededBy: ["one"] },
      { use: use("list", "pods"), neededBy: ["one", "two"] },
    ]);
  });

  it("have the attributes that the authorizer sees: with names, except for creates and collections", () => {
    const lease = { group: "coordination.k8s.io", namespace: "shop", name: "lock" };
    const uses: readonly ApiUse[] = [
      use("get", "leases", lease),
      use("create", "leases", lease),
      use("create", "pods", { subresource: "eviction", name: "web" }),
      { verb: "get", nonResourceUrl: "/metrics" },
    ];
    expect(
      uses.map(toAccessReview).map(({ resourceAttributes: at, nonResourceAttributes: url }) => at ?? url),
    ).toEqual([
      { verb: "get", resource: "leases", ...lease },
      { verb: "create", resource: "leases", group: "coordination.k8s.io", namespace: "shop" },
      { verb: "create", group: "", resource: "pods", subresource: "eviction", name: "web" },
      { verb: "get", path: "/metrics" },
    ]);
  });
});

describe("missing permissions", () => {
  it("are reported as a table and as the roles and bindings that would allow them, in 80 columns", () => {
    const missing = [
      { use: use("list", "deployments", { group: "apps" }), neededBy: ["controller webapp"] },
      { use: use("watch", "deployments", { group: "apps" }), neededBy: ["controller webapp"] },
      {
        use: use("update", "leases", { group: "coordination.k8s.io", namespace: "shop", name: "lock" }),
        neededBy: ["leader election"],
      },
      {
        use: use("patch", "sharedsecrets", { group: "vault.keelson.dev", subresource: "status" }),
        neededBy: ["controller shared-secret", "operator shared-secret", "operator vault"],
      },
      { use: { verb: "get", nonResourceUrl: "/healthz" }, neededBy: ["operator webapp"] },
    ];
    const uses = missing.map((permission) => permission.use);
    const user = "system:serviceaccount:shop:operator";
    const text = formatMissing(missing, { roleName: "keelson", user, uses, scopeOf: unknownScope });
    expect(Math.max(...text.split("\n").map(({ length }) => length))).toBeLessThanOrEqual(80);
    expect(text).toMatchInlineSnapshot(`
      "VERBS       RESOURCE                     NAMESPACE  NEEDED BY
      list,watch  deployments.apps             (all)      controller webapp
      update      leases.coordination.k8s.io   shop       leader election
                  lock
      patch       sharedsecrets.vault.keelson  (all)      controller shared-secret,
                  .dev/status                             operator shared-secret,
                                                          operator vault
      get         /healthz                                operator webapp

      This allows all that is needed to system:serviceaccount:shop:operator;
      apply it with \`kubectl apply -f -\`:

      apiVersion: rbac.authorization.k8s.io/v1
      kind: ClusterRole
      metadata:
        name: "keelson"
      rules:
        - apiGroups: ["apps"]
          resources: ["deployments"]
          verbs: ["list", "watch"]
        - apiGroups: ["vault.keelson.dev"]
          resources: ["sharedsecrets/status"]
          verbs: ["patch"]
        - nonResourceURLs: ["/healthz"]
          verbs: ["get"]
      ---
      apiVersion: rbac.authorization.k8s.io/v1
      kind: ClusterRoleBinding
      metadata:
        name: "keelson"
      roleRef:
        apiGroup: rbac.authorization.k8s.io
        kind: ClusterRole
        name: "keelson"
      subjects:
        - kind: ServiceAccount
          namespace: "shop"
          name: "operator"
      ---
      apiVersion: rbac.authorization.k8s.io/v1
      kind: Role
      metadata:
        namespace: "shop"
        name: "keelson"
      rules:
        - apiGroups: ["coordination.k8s.io"]
          resources: ["leases"]
          resourceNames: ["lock"]
          verbs: ["update"]
      ---
      apiVersion: rbac.authorization.k8s.io/v1
      kind: RoleBinding
      metadata:
        namespace: "shop"
        name: "keelson"
      roleRef:
        apiGroup: rbac.authorization.k8s.io
        kind: Role
        name: "keelson"
      subjects:
        - kind: ServiceAccount
          namespace: "shop"
          name: "operator"
      "
    `);
  });

  it("are granted by roles with all that is needed, including what is allowed already", () => {
    const missing = [{ use: use("list", "pods"), neededBy: ["controller web"] }];
    const uses = [use("get", "pods"), use("list", "pods")];
    const text = formatMissing(missing, {
      roleName: "web",
      user: "ann@example.com",
      uses,
      scopeOf: unknownScope,
    });
    expect(text).toContain('verbs: ["get", "list"]');
    expect(text).toContain(
      '  - kind: User\n    apiGroup: rbac.authorization.k8s.io\n    name: "ann@example.com"',
    );
  });

  it("are granted by roles without bindings if the user is unknown", () => {
    const missing = [{ use: use("list", "pods"), neededBy: ["controller web"] }];
    const uses = [use("list", "pods")];
    const text = formatMissing(missing, { roleName: "web", user: undefined, uses, scopeOf: unknownScope });
    expect(text).toContain("once they are bound to the user of this\nprogram:\n\napiVersion");
    expect(text).not.toContain("Binding");
  });
});

describe("the uses of a manager that is limited to namespaces", () => {
  const scopeOf: ScopeOf = ({ resource }) =>
    resource === "nodes" ? "Cluster" : resource === "secrets" ? "Namespaced" : undefined;
  const narrowed = (settings: CacheSettings, uses: readonly ApiUse[]) =>
    narrowUses(neededUses("me", uses), settings, scopeOf).map((each) => each.use);
  const limited = { defaults: { namespaces: { shop: {}, blog: {} } } };

  it("are in each of them, unless the resource is cluster-scoped or the use names a namespace", () => {
    const url: ApiUse = { verb: "get", nonResourceUrl: "/healthz" };
    const elsewhere = use("get", "secrets", { namespace: "vault", name: "key" });
    const uses = [use("patch", "secrets", { subresource: "status" }), use("get", "nodes"), elsewhere, url];
    expect(narrowed(limited, uses)).toEqual([
      use("patch", "secrets", { subresource: "status", namespace: "shop" }),
      use("patch", "secrets", { subresource: "status", namespace: "blog" }),
      use("get", "nodes"),
      elsewhere,
      url,
    ]);
  });

  it("are everywhere if the namespaces are not limited, or the scope of the resource is unknown", () => {
    const uses = [use("get", "secrets"), use("get", "gadgets"), use("get", "*")];
    expect(narrowed({}, uses)).toEqual(uses);
    expect(narrowed({ defaults: { namespaces: { shop: {}, "*": {} } } }, uses)).toEqual(uses);
    expect(narrowed(limited, uses.slice(1))).toEqual(uses.slice(1));
  });

  it("are also in the namespaces in which their kind alone is cached", () => {
    const settings = { ...limited, kinds: [cacheKind(Secret, { namespaces: { vault: {} } })] };
    const namespaces = narrowed(settings, [use("get", "secrets")]).map(
      (each) => "namespace" in each && each.namespace,
    );
    expect(namespaces).toEqual(["shop", "blog", "vault"]);
  });

  it("are reported with the cluster-scoped ones named", () => {
    const uses = [use("get", "secrets", { namespace: "shop" }), use("get", "nodes")];
    const missing = uses.map((each) => ({ use: each, neededBy: ["operator web"] }));
    const text = formatMissing(missing, { roleName: "web", user: "ann", uses, scopeOf });
    expect(text.slice(0, text.indexOf("apiVersion"))).toMatchInlineSnapshot(`
      "VERBS  RESOURCE  NAMESPACE  NEEDED BY
      get    secrets   shop       operator web
      get    nodes     (cluster)  operator web

      Cluster-scoped, so that only a ClusterRole can allow it: nodes.

      This allows all that is needed to ann;
      apply it with \`kubectl apply -f -\`:

      "
    `);
    expect(text.match(/^kind: .*/gm)).toEqual([
      "kind: ClusterRole",
      "kind: ClusterRoleBinding",
      "kind: Role",
      "kind: RoleBinding",
    ]);
  });
});

describe("a table", () => {
  it("wraps long cells at commas and spaces, and inside of a word only if necessary", () => {
    const table = textTable(
      ["A", "B"],
      [["get,list,watch,create,update,patch", "a-word-that-has-no-end"]],
      30,
    );
    expect(table).toMatchInlineSnapshot(`
      "A               B
      get,list,       a-word-that-ha
      watch,create,   s-no-end
      update,patch"
    `);
  });
});

describe("the uses of a controller's sources", () => {
  const sourceOfKind = kindSource({ resource: ConfigMap, handler: enqueueSelf() });

  it("are list and watch of each kind in all namespaces", () => {
    expect(usesOfSources([sourceOfKind])).toEqual([use("list", "configmaps"), use("watch", "configmaps")]);
  });

  it("are in the namespaces that the cache is limited to, except for cluster-scoped kinds", () => {
    const nodes = kindSource({ resource: Node, handler: enqueueSelf() });
    const settings = { defaults: { namespaces: { shop: {}, blog: {} } } };
    expect(usesOfSources([sourceOfKind, nodes], settings)).toEqual([
      use("list", "configmaps", { namespace: "shop" }),
      use("watch", "configmaps", { namespace: "shop" }),
      use("list", "configmaps", { namespace: "blog" }),
      use("watch", "configmaps", { namespace: "blog" }),
      use("list", "nodes"),
      use("watch", "nodes"),
    ]);
  });

  it("are in the namespace that the source itself is limited to", () => {
    const source = kindSource({ resource: Secret, handler: enqueueSelf(), selection: { namespace: "shop" } });
    expect(usesOfSources([source]).map(({ namespace }) => namespace)).toEqual(["shop", "shop"]);
  });
});
