import { createClient } from "@keelson/client";
import type { ApiUse, Transport } from "@keelson/core";
import type { SelfSubjectAccessReview } from "@keelson/core/kinds/authorization/v1";
import { ConfigMap, Node, Secret } from "@keelson/core/kinds/core/v1";
import { describe, expect, it } from "vitest";
import { RecordingLogger } from "../../../test/support/leader/recording-logger.ts";
import { enqueueSelf } from "../../source/handlers.ts";
import { kindSource } from "../../source/kind-source.ts";
import { checkPermissions } from "./check-permissions.ts";
import { MissingPermissionsError } from "./errors.ts";
import { formatMissing } from "./format-missing.ts";
import { eventUses } from "./manager-uses.ts";
import { NeededPermissions } from "./needed-permissions.ts";
import { neededUses } from "./needed-use.ts";
import { textTable } from "./text-table.ts";
import { usesOfSources } from "./watch-uses.ts";

const use = (verb: string, resource: string, more: Partial<ApiUse> = {}): ApiUse => ({
  verb,
  group: "",
  resource,
  ...more,
});

describe("what events need", () => {
  const namespacesOf = (...settings: Parameters<typeof eventUses>) =>
    eventUses(...settings).map((use) => ("namespace" in use ? use.namespace : "all"));

  it("is to write them in the namespaces that are watched, and everywhere if all are", () => {
    expect(namespacesOf({ defaults: { namespaces: { shop: {}, bank: {} } } })).toEqual([
      "shop",
      "shop",
      "bank",
      "bank",
    ]);
    expect(namespacesOf({ defaults: { namespaces: { shop: {}, "*": {} } } })).toEqual(["all", "all"]);
    expect(namespacesOf()).toEqual(["all", "all"]);
  });
});

/** Says of each review that it gets what the function says; whether it is an API server is not the question here. */
function reviewing(decide: (spec: SelfSubjectAccessReview["spec"]) => boolean | "broken") {
  const asked: SelfSubjectAccessReview["spec"][] = [];
  let underWay = 0;
  const seen = { most: 0 };
  const transport: Transport = {
    send: async ({ body = "" }) => {
      underWay += 1;
      seen.most = Math.max(seen.most, underWay);
      const review = JSON.parse(body);
      asked.push(review.spec);
      for (let round = 0; round < 5; round++) await Promise.resolve();
      underWay -= 1;
      const allowed = decide(review.spec);
      const answer =
        allowed === "broken" ? { kind: "Status", code: 403 } : { ...review, status: { allowed } };
      return {
        status: allowed === "broken" ? 403 : 201,
        headers: { "content-type": "application/json" },
        body: (async function* () {
          yield Buffer.from(JSON.stringify(answer));
        })(),
      };
    },
    close: async () => undefined,
  };
  return { client: createClient({ transport }), asked, seen };
}

describe("the check of permissions", () => {
  it("asks once for each use, however many need it, and names all of them", async () => {
    const { client, asked } = reviewing(({ resourceAttributes }) => resourceAttributes?.verb === "get");
    const needed = [
      ...neededUses("one", [use("get", "pods"), use("list", "pods")]),
      ...neededUses("two", [use("list", "pods")]),
    ];
    const { missing } = await checkPermissions(client, needed);
    expect(asked).toHaveLength(2);
    expect(missing).toEqual([{ use: use("list", "pods"), neededBy: ["one", "two"] }]);
  });

  it("asks as the authorizer will be asked: with names, except where it does not see them", async () => {
    const { client, asked } = reviewing(() => true);
    const lease = { group: "coordination.k8s.io", namespace: "shop", name: "lock" };
    await checkPermissions(
      client,
      neededUses("me", [
        use("get", "leases", lease),
        use("create", "leases", lease),
        use("create", "pods", { subresource: "eviction", name: "web" }),
        { verb: "get", nonResourceUrl: "/metrics" },
      ]),
    );
    expect(asked.map(({ resourceAttributes: at, nonResourceAttributes: url }) => at ?? url)).toEqual([
      { verb: "get", resource: "leases", ...lease },
      { verb: "create", resource: "leases", group: "coordination.k8s.io", namespace: "shop" },
      { verb: "create", group: "", resource: "pods", subresource: "eviction", name: "web" },
      { verb: "get", path: "/metrics" },
    ]);
  });

  it("has no more than ten questions under way", async () => {
    const { client, asked, seen } = reviewing(() => true);
    const uses = Array.from({ length: 50 }, (_, index) => use("get", `kind${index}`));
    await checkPermissions(client, neededUses("me", uses));
    expect([asked.length, seen.most]).toEqual([50, 10]);
  });

  it("tells what the server would not answer apart from what it refuses", async () => {
    const { client } = reviewing(() => "broken");
    const { missing, unknown } = await checkPermissions(client, neededUses("me", [use("get", "pods")]));
    expect(missing).toEqual([]);
    expect(unknown).toMatchObject([{ use: use("get", "pods"), error: { status: { code: 403 } } }]);
  });

  it("ends with the reason of its signal", async () => {
    const { client } = reviewing(() => true);
    const reason = new Error("over");
    const check = checkPermissions(client, neededUses("me", [use("get", "pods")]), {
      signal: AbortSignal.abort(reason),
    });
    await expect(check).rejects.toBe(reason);
  });
});

describe("missing permissions", () => {
  const needed = neededUses("me", [use("list", "pods"), use("watch", "pods")]);
  const options = { roleName: "shop", log: new RecordingLogger() };

  it("are an error that lists them, or a line in the log, or not asked for", async () => {
    const { client, asked } = reviewing(() => false);
    const check = async (mode: "fail" | "warn" | "off"): Promise<void> => {
      const permissions = new NeededPermissions({ ...options, client, mode });
      for (const { use: one, neededBy } of needed) permissions.add(neededBy, [one]);
      await permissions.check(new AbortController().signal);
    };
    await expect(check("fail")).rejects.toThrow(MissingPermissionsError);
    await expect(check("fail")).rejects.toThrow(
      "start: 2 permissions are missing; grant what is listed here",
    );
    await check("warn");
    expect(options.log.messages("warn")[0]).toContain("list,watch  pods");
    asked.length = 0;
    await check("off");
    expect(asked).toEqual([]);
  });

  it("are shown as a table and as the roles that would allow them, in 80 columns", () => {
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
    const text = formatMissing(missing, "keelson");
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

      These roles allow it, once they are bound to the user of this program:

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
      kind: Role
      metadata:
        namespace: "shop"
        name: "keelson"
      rules:
        - apiGroups: ["coordination.k8s.io"]
          resources: ["leases"]
          resourceNames: ["lock"]
          verbs: ["update"]
      "
    `);
  });
});

describe("a table", () => {
  it("breaks what is too long at commas and spaces, and in a word only if it must", () => {
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

  it("are to list and to watch each kind everywhere", () => {
    expect(usesOfSources([sourceOfKind])).toEqual([use("list", "configmaps"), use("watch", "configmaps")]);
  });

  it("are for the namespaces that the cache is limited to, except for kinds that have none", () => {
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

  it("are for the namespace that the source itself is limited to", () => {
    const source = kindSource({ resource: Secret, handler: enqueueSelf(), selection: { namespace: "shop" } });
    expect(usesOfSources([source]).map(({ namespace }) => namespace)).toEqual(["shop", "shop"]);
  });
});
