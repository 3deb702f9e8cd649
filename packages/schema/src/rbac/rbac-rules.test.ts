import type { ApiUse } from "@keelson/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { allows, makeClusterRole, makeRole, rbacRules } from "./rbac-rules.ts";

const use = (verb: string, resource: string, more: Partial<ApiUse> = {}): ApiUse => ({
  verb,
  group: "",
  resource,
  ...more,
});

describe("rules from uses", () => {
  it("list the verbs of a resource once, reading first", () => {
    const uses = [
      use("patch", "pods"),
      use("watch", "pods"),
      use("get", "pods"),
      use("get", "pods"),
      use("approve", "pods"),
    ];
    expect(rbacRules(uses)).toEqual([
      { apiGroups: [""], resources: ["pods"], verbs: ["get", "watch", "patch", "approve"] },
    ]);
  });

  it("join resources of one group that are used alike", () => {
    const uses = [
      ...["services", "configmaps"].flatMap((resource) => [use("get", resource), use("list", resource)]),
      use("get", "pods"),
      { verb: "get", group: "apps", resource: "deployments" },
    ];
    expect(rbacRules(uses)).toEqual([
      { apiGroups: [""], resources: ["configmaps", "services"], verbs: ["get", "list"] },
      { apiGroups: [""], resources: ["pods"], verbs: ["get"] },
      { apiGroups: ["apps"], resources: ["deployments"], verbs: ["get"] },
    ]);
  });

  it("do not mix up a resource and its subresources", () => {
    const uses = [use("get", "pods"), use("patch", "pods", { subresource: "status" })];
    expect(rbacRules(uses)).toEqual([
      { apiGroups: [""], resources: ["pods"], verbs: ["get"] },
      { apiGroups: [""], resources: ["pods/status"], verbs: ["patch"] },
    ]);
  });

  it("hold for the names that were used", () => {
    const uses = ["b", "a"].flatMap((name) => [
      use("get", "secrets", { name }),
      use("patch", "secrets", { name }),
    ]);
    expect(rbacRules([...uses, use("get", "configmaps", { name: "a" })])).toEqual([
      { apiGroups: [""], resources: ["configmaps"], resourceNames: ["a"], verbs: ["get"] },
      { apiGroups: [""], resources: ["secrets"], resourceNames: ["a", "b"], verbs: ["get", "patch"] },
    ]);
  });

  it("forget the name where the authorizer does not see it", () => {
    const uses = [
      use("create", "pods", { name: "a" }),
      use("deletecollection", "pods", { name: "a" }),
      use("create", "pods", { subresource: "eviction", name: "a" }),
    ];
    expect(rbacRules(uses)).toEqual([
      { apiGroups: [""], resources: ["pods"], verbs: ["create", "deletecollection"] },
      { apiGroups: [""], resources: ["pods/eviction"], resourceNames: ["a"], verbs: ["create"] },
    ]);
  });

  it.each<[string, ApiUse, ApiUse]>([
    ["any name", use("get", "pods"), use("get", "pods", { name: "a" })],
    ["every verb", use("*", "pods"), use("get", "pods", { name: "a" })],
    ["every resource", use("get", "*"), use("get", "pods", { subresource: "log" })],
    ["every group", use("get", "pods", { group: "*" }), use("get", "pods", { group: "metrics.k8s.io" })],
    [
      "a subresource of all",
      use("get", "*", { subresource: "scale" }),
      use("get", "a", { subresource: "scale" }),
    ],
    ["every path below", { verb: "get", nonResourceUrl: "/a/*" }, { verb: "get", nonResourceUrl: "/a/b" }],
  ])("leave out what is covered by %s", (_, wide, narrow) => {
    expect(rbacRules([wide, narrow])).toEqual(rbacRules([wide]));
    expect(rbacRules([narrow, wide])).toEqual(rbacRules([wide]));
    expect(rbacRules([narrow])).not.toEqual(rbacRules([wide]));
  });

  it("have paths that are no resources in rules of their own", () => {
    const uses = [
      { verb: "get", nonResourceUrl: "/version" },
      { verb: "get", nonResourceUrl: "/healthz" },
      use("get", "pods"),
    ];
    expect(rbacRules(uses)).toEqual([
      { apiGroups: [""], resources: ["pods"], verbs: ["get"] },
      { nonResourceURLs: ["/healthz", "/version"], verbs: ["get"] },
    ]);
  });

  it("join groups whose resources are used alike", () => {
    const uses = ["events.k8s.io", ""].flatMap((group) => [
      use("create", "events", { group }),
      use("patch", "events", { group }),
    ]);
    expect(rbacRules(uses)).toEqual([
      { apiGroups: ["", "events.k8s.io"], resources: ["events"], verbs: ["create", "patch"] },
    ]);
    expect(rbacRules([...uses, use("create", "pods"), use("patch", "pods")])).toHaveLength(2);
  });

  it("can be parted into those for a Role in each namespace and those for a ClusterRole", () => {
    const uses = [
      use("get", "pods"),
      use("get", "pods", { namespace: "shop" }),
      use("patch", "pods", { namespace: "shop" }),
      use("get", "secrets", { namespace: "vault", name: "root" }),
      { verb: "get", nonResourceUrl: "/version" },
    ];
    expect(rbacRules(uses, { for: { namespace: "shop" } })).toEqual([
      { apiGroups: [""], resources: ["pods"], verbs: ["patch"] },
    ]);
    expect(rbacRules(uses, { for: { namespace: "vault" } })).toEqual([
      { apiGroups: [""], resources: ["secrets"], resourceNames: ["root"], verbs: ["get"] },
    ]);
    expect(rbacRules(uses, { for: { namespace: "other" } })).toEqual([]);
    expect(rbacRules(uses, { for: "cluster" })).toEqual([
      { apiGroups: [""], resources: ["pods"], verbs: ["get"] },
      { nonResourceURLs: ["/version"], verbs: ["get"] },
    ]);
  });
});

describe("any uses", () => {
  const verbs = ["get", "list", "create", "deletecollection"];
  const groups = ["", "apps"];
  const resources = ["pods", "services", "jobs"];
  const subresources = [undefined, "status", "scale"];
  const names = [undefined, "a", "b"];
  const urls = ["/a", "/a/b", "/c"];
  const makeUse = (
    verb: string,
    group: string,
    resource: string,
    subresource?: string,
    name?: string,
  ): ApiUse => ({
    verb,
    group,
    resource,
    ...(subresource !== undefined && { subresource }),
    ...(name !== undefined && { name }),
  });

  /** Every request that could be made with these words. */
  const grid: readonly ApiUse[] = [
    ...verbs.flatMap((verb) =>
      groups.flatMap((group) =>
        resources.flatMap((resource) =>
          subresources.flatMap((subresource) =>
            names.map((name) => makeUse(verb, group, resource, subresource, name)),
          ),
        ),
      ),
    ),
    ...verbs.flatMap((verb) => urls.map((nonResourceUrl) => ({ verb, nonResourceUrl }))),
  ];

  const anyUses = fc.array(
    fc.oneof(
      { weight: 9, arbitrary: fc.constantFrom(...grid) },
      {
        weight: 1,
        arbitrary: fc
          .record({
            verb: fc.constantFrom(...verbs, "*"),
            group: fc.constantFrom(...groups, "*"),
            resource: fc.constantFrom(...resources, "*"),
          })
          .map(({ verb, group, resource }) => makeUse(verb, group, resource)),
      },
      {
        weight: 1,
        arbitrary: fc.constantFrom(
          { verb: "get", nonResourceUrl: "/a/*" },
          { verb: "*", nonResourceUrl: "*" },
        ),
      },
    ),
    { maxLength: 30 },
  );

  /** One rule per use: the widest way to write what the uses allow, and obviously right. */
  const oneByOne = (uses: readonly ApiUse[]): ReturnType<typeof rbacRules> =>
    uses.flatMap((one) => rbacRules([one]));

  it("are allowed by their rules, and nothing else is", () => {
    fc.assert(
      fc.property(anyUses, (uses) => {
        const rules = rbacRules(uses);
        for (const one of uses) expect(allows(rules, one)).toBe(true);
        const naive = oneByOne(uses);
        for (const request of grid) expect(allows(rules, request)).toBe(allows(naive, request));
      }),
      { numRuns: 200 },
    );
  });

  it("give the same rules in any order, and no rule too many", () => {
    fc.assert(
      fc.property(anyUses, (uses) => {
        const rules = rbacRules(uses);
        expect(rbacRules([...uses, ...uses].toReversed())).toEqual(rules);
        for (const [index] of rules.entries()) {
          const fewer = rules.toSpliced(index, 1);
          expect(uses.every((one) => allows(fewer, one))).toBe(false);
        }
      }),
      { numRuns: 200 },
    );
  });

  it("are allowed one by one as the API server would", () => {
    for (const one of grid) {
      const allowed = grid.filter((request) => allows(rbacRules([one]), request));
      expect(allowed).toContain(one);
      const same = (request: ApiUse): unknown =>
        "nonResourceUrl" in request
          ? request
          : [request.verb, request.group, request.resource, request.subresource];
      for (const request of allowed) expect(same(request)).toEqual(same(one));
    }
  });
});

describe("an evaluation of rules", () => {
  it.each<[string, ApiUse, boolean]>([
    ["another verb", use("list", "secrets"), false],
    ["another group", use("get", "secrets", { group: "apps" }), false],
    ["a subresource", use("get", "secrets", { subresource: "status" }), false],
    ["the name", use("get", "secrets", { name: "a" }), true],
    ["another name", use("get", "secrets", { name: "b" }), false],
    ["any name", use("get", "secrets"), false],
  ])("of one name decides on %s", (_, request, expected) => {
    const rules = [{ apiGroups: [""], resources: ["secrets"], resourceNames: ["a"], verbs: ["get"] }];
    expect(allows(rules, request)).toBe(expected);
  });
});

const rules = [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }];

it("makes the objects that hold rules", () => {
  expect(makeClusterRole("operator", rules)).toEqual({
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRole",
    metadata: { name: "operator" },
    rules,
  });
  expect(makeRole("shop", "operator", rules)).toEqual({
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "Role",
    metadata: { namespace: "shop", name: "operator" },
    rules,
  });
});
