import { describe, expect, it } from "vitest";
import { admin, admissionWorld } from "../../test/support/admission-world.ts";
import type { AccessRequest } from "./access.ts";
import type { UserInfo } from "./user.ts";

const bob: UserInfo = { username: "bob", groups: ["dev", "system:authenticated"] };
const builder: UserInfo = {
  username: "system:serviceaccount:shop:builder",
  groups: ["system:serviceaccounts"],
};
const apiGroup = "rbac.authorization.k8s.io";

function world(rules: readonly object[] = [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }]) {
  const { put, rbac, store } = admissionWorld();
  put("clusterroles", { metadata: { name: "reader" }, rules });
  put("roles", { metadata: { name: "local", namespace: "shop" }, rules });
  const bindCluster = (name: string, subjects: readonly object[]): object =>
    put("clusterrolebindings", {
      metadata: { name },
      roleRef: { apiGroup, kind: "ClusterRole", name: "reader" },
      subjects,
    });
  const bind = (
    name: string,
    subjects: readonly object[],
    role: object = { kind: "Role", name: "local" },
  ): object =>
    put("rolebindings", { metadata: { name, namespace: "shop" }, roleRef: { apiGroup, ...role }, subjects });
  const may = (user: UserInfo, request: Partial<AccessRequest>): boolean =>
    rbac.authorize(user, { verb: "get", group: "", resource: "pods", ...request } as AccessRequest).allowed;
  return { put, rbac, store, bindCluster, bind, may };
}

describe("RBAC", () => {
  it("allows only what a binding grants, and names the binding", () => {
    const { rbac, bindCluster } = world();
    const request = { verb: "get", group: "", resource: "pods", namespace: "shop" };
    expect(rbac.authorize(bob, request)).toEqual({ allowed: false, reason: "" });
    bindCluster("readers", [{ apiGroup, kind: "Group", name: "dev" }]);
    expect(rbac.authorize(bob, request)).toEqual({
      allowed: true,
      reason: 'RBAC: allowed by ClusterRoleBinding "readers" of ClusterRole "reader" to Group "dev"',
    });
  });

  it("allows by a RoleBinding in its namespace only", () => {
    const { rbac, bind, may } = world();
    bind("b", [{ kind: "ServiceAccount", name: "builder" }]);
    const request = { verb: "get", group: "", resource: "pods", namespace: "shop" };
    expect(rbac.authorize(builder, request).reason).toBe(
      'RBAC: allowed by RoleBinding "b/shop" of Role "local" to ServiceAccount "builder/shop"',
    );
    expect(may(builder, { namespace: "default" })).toBe(false);
    expect(may(builder, {})).toBe(false);
    expect(
      may({ ...builder, username: "system:serviceaccount:default:builder" }, { namespace: "shop" }),
    ).toBe(false);
  });

  it("lets a RoleBinding grant the rules of a ClusterRole", () => {
    const { bind, may } = world();
    bind("b", [{ apiGroup, kind: "User", name: "bob" }], { kind: "ClusterRole", name: "reader" });
    expect(may(bob, { namespace: "shop" })).toBe(true);
  });

  it("applies a change of roles and bindings at once", () => {
    const { put, bindCluster, may, store } = world();
    bindCluster("readers", [{ apiGroup, kind: "User", name: "bob" }]);
    expect(may(bob, {})).toBe(true);
    put("clusterroles", { metadata: { name: "reader" }, rules: [] });
    expect(may(bob, {})).toBe(false);
    const collection = "clusterrolebindings.rbac.authorization.k8s.io";
    const revision = Number(store.get(collection, "readers")?.metadata.resourceVersion);
    put("clusterroles", {
      metadata: { name: "reader" },
      rules: [{ apiGroups: ["*"], resources: ["*"], verbs: ["*"] }],
    });
    expect(may(bob, {})).toBe(true);
    store.write({ collection, key: "readers", object: undefined, expectedRevision: revision });
    expect(may(bob, {})).toBe(false);
  });

  it("supports resourceNames, subresources and stars", () => {
    const { bindCluster, may } = world([
      { apiGroups: [""], resources: ["pods/log", "*/scale"], verbs: ["get"] },
      { apiGroups: ["apps"], resources: ["*"], verbs: ["list"] },
      { apiGroups: [""], resources: ["secrets"], resourceNames: ["mine"], verbs: ["get"] },
    ]);
    bindCluster("b", [{ apiGroup, kind: "User", name: "bob" }]);
    expect(may(bob, {})).toBe(false);
    expect(may(bob, { subresource: "log" })).toBe(true);
    expect(may(bob, { subresource: "exec" })).toBe(false);
    expect(may(bob, { resource: "replicationcontrollers", subresource: "scale" })).toBe(true);
    expect(may(bob, { group: "apps", resource: "deployments", subresource: "status", verb: "list" })).toBe(
      true,
    );
    expect(may(bob, { resource: "secrets", name: "mine" })).toBe(true);
    expect(may(bob, { resource: "secrets", name: "other" })).toBe(false);
    expect(may(bob, { resource: "secrets" })).toBe(false);
  });

  it("supports paths that end with a star", () => {
    const { rbac, bindCluster } = world([{ nonResourceURLs: ["/healthz", "/api/*"], verbs: ["get"] }]);
    bindCluster("b", [{ apiGroup, kind: "User", name: "bob" }]);
    const may = (path: string): boolean => rbac.authorize(bob, { verb: "get", path }).allowed;
    expect(["/healthz", "/healthz/x", "/api", "/api/v1"].map(may)).toEqual([true, false, false, true]);
  });

  it("allows system:masters everything", () => {
    const { rbac } = world();
    expect(rbac.authorize(admin, { verb: "delete", path: "/x" })).toEqual({ allowed: true, reason: "" });
  });

  it("names missing roles when it refuses", () => {
    const { rbac, bind } = world();
    bind("b", [{ apiGroup, kind: "User", name: "bob" }], { kind: "ClusterRole", name: "nope" });
    const { reason } = rbac.authorize(bob, { verb: "get", group: "", resource: "pods", namespace: "shop" });
    expect(reason).toBe('RBAC: clusterrole.rbac.authorization.k8s.io "nope" not found');
  });

  it("lists what a user may do", () => {
    const { rbac, bind, bindCluster } = world([
      { apiGroups: [""], resources: ["pods"], verbs: ["get"], resourceNames: ["a"] },
      { nonResourceURLs: ["/x"], verbs: ["get"] },
    ]);
    bindCluster("b", [{ apiGroup, kind: "User", name: "bob" }]);
    bind("b", [{ apiGroup, kind: "User", name: "bob" }]);
    const rule = { verbs: ["get"], apiGroups: [""], resources: ["pods"], resourceNames: ["a"] };
    expect(rbac.rulesOf(bob, "default")).toEqual({
      resourceRules: [rule],
      nonResourceRules: [{ verbs: ["get"], nonResourceURLs: ["/x"] }],
      incomplete: false,
    });
    expect(rbac.rulesOf(bob, "shop").resourceRules).toEqual([rule, rule]);
    // What the privileged group may do without a rule is in no list.
    expect(rbac.rulesOf(admin, "shop").resourceRules).toEqual([]);
  });
});

describe("the cached grants of a user", () => {
  it("is not mistaken for that of another whose name looks like the first with groups", () => {
    const { bindCluster, may } = world();
    bindCluster("readers", [{ apiGroup, kind: "Group", name: "dev" }]);
    expect(may({ username: "bob\ndev", groups: [] }, {})).toBe(false);
    expect(may({ username: "bob", groups: ["dev"] }, {})).toBe(true);
  });
});
