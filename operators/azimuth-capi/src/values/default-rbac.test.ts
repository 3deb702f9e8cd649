import { describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { settings } from "../settings.ts";
import { defaultRbacManifests } from "./default-rbac.ts";

const groups = { platformUsersGroup: "/platform-users", rootGroup: "/kube-demo" };
const both = [
  { apiGroup: "rbac.authorization.k8s.io", kind: "Group", name: "oidc:/platform-users" },
  { apiGroup: "rbac.authorization.k8s.io", kind: "Group", name: "oidc:/kube-demo" },
];
const rolesOf = (identity: object) => settings.parse({ identity }).identity;

describe("F.3: the default roles of users", () => {
  it("are none if none are configured", () => {
    expect(defaultRbacManifests(rolesOf({}), groups)).toBeUndefined();
  });

  it("are bound in the whole cluster", () => {
    const rules = [
      { apiGroups: ["*"], resources: ["*"], verbs: ["*"] },
      { nonResourceURLs: ["*"], verbs: ["*"] },
    ];
    const manifests = defaultRbacManifests(rolesOf({ defaultUserClusterRole: { rules } }), groups) ?? {};
    expect(Object.keys(manifests)).toEqual([
      "oidc-default-cluster-role.yaml",
      "oidc-default-cluster-role-binding.yaml",
    ]);
    expect(manifests["oidc-default-cluster-role.yaml"]).toBe(
      [
        "apiVersion: rbac.authorization.k8s.io/v1",
        "kind: ClusterRole",
        "metadata:",
        "  name: oidc:default-users-cluster",
        "rules:",
        "  - apiGroups:",
        '      - "*"',
        "    resources:",
        '      - "*"',
        "    verbs:",
        '      - "*"',
        "  - nonResourceURLs:",
        '      - "*"',
        "    verbs:",
        '      - "*"',
        "",
      ].join("\n"),
    );
    expect(parse(String(manifests["oidc-default-cluster-role-binding.yaml"]))).toEqual({
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRoleBinding",
      metadata: { name: "oidc:default-users-cluster" },
      subjects: both,
      roleRef: {
        apiGroup: "rbac.authorization.k8s.io",
        kind: "ClusterRole",
        name: "oidc:default-users-cluster",
      },
    });
  });

  it("are bound in each of some namespaces", () => {
    const role = {
      name: "users",
      namespaces: ["default", "apps"],
      rules: [{ resources: ["pods"], verbs: ["get"] }],
    };
    const manifests = defaultRbacManifests(rolesOf({ defaultUserNamespaceRole: role }), groups) ?? {};
    expect(Object.keys(manifests)).toEqual([
      "oidc-default-namespace-role.yaml",
      "oidc-default-role-binding.yaml",
    ]);
    expect(parse(String(manifests["oidc-default-namespace-role.yaml"]))).toEqual({
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRole",
      metadata: { name: "users" },
      rules: [{ resources: ["pods"], verbs: ["get"] }],
    });
    const bindings = parseAllDocuments(String(manifests["oidc-default-role-binding.yaml"]));
    expect(bindings.map((binding) => binding.toJS())).toEqual(
      ["default", "apps"].map((namespace) => ({
        apiVersion: "rbac.authorization.k8s.io/v1",
        kind: "RoleBinding",
        metadata: { name: `users-${namespace}`, namespace },
        subjects: both,
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "users" },
      })),
    );
  });

  it("have no bindings without namespaces, and no rules if there are none", () => {
    const manifests = defaultRbacManifests(rolesOf({ defaultUserNamespaceRole: {} }), groups) ?? {};
    expect(Object.keys(manifests)).toEqual(["oidc-default-namespace-role.yaml"]);
    expect(parse(String(manifests["oidc-default-namespace-role.yaml"]))).not.toHaveProperty("rules");
  });

  it("are of both kinds if both are configured", () => {
    const roles = rolesOf({
      defaultUserNamespaceRole: { namespaces: ["default"] },
      defaultUserClusterRole: {},
    });
    expect(Object.keys(defaultRbacManifests(roles, groups) ?? {})).toHaveLength(4);
  });

  it("are those of the platform's own group alone if the realm has no group of users", () => {
    const roles = rolesOf({ defaultUserClusterRole: {} });
    const manifests = defaultRbacManifests(roles, { ...groups, platformUsersGroup: undefined }) ?? {};
    expect(parse(String(manifests["oidc-default-cluster-role-binding.yaml"])).subjects).toEqual(
      both.slice(1),
    );
  });

  it("L16: may have names that mean something in YAML", () => {
    const roles = rolesOf({ defaultUserClusterRole: { name: "yes: # {}" } });
    const manifests = defaultRbacManifests(roles, { ...groups, rootGroup: "/a\nb: c" }) ?? {};
    const binding = parse(String(manifests["oidc-default-cluster-role-binding.yaml"]));
    expect(binding.metadata.name).toBe("yes: # {}");
    expect(binding.subjects[1].name).toBe("oidc:/a\nb: c");
  });
});
