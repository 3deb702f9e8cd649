import { describe, expect, it } from "vitest";
import { admissionWorld } from "../../../test/support/admission-world.ts";
import { anonymousUser } from "../authenticator.ts";
import { bootstrapPolicy } from "./bootstrap-policy.ts";

const bob = { username: "bob", groups: ["system:authenticated"] };

describe("the bootstrap policy", () => {
  it("is as large as that of a new cluster", () => {
    const { clusterRoles, clusterRoleBindings, roles, roleBindings } = bootstrapPolicy();
    expect([clusterRoles, clusterRoleBindings, roles, roleBindings].map(({ length }) => length)).toEqual([
      69, 50, 7, 7,
    ]);
  });

  it("makes admin, edit and view of the roles that aggregate to them", () => {
    const { clusterRoles } = bootstrapPolicy();
    const sizes = Object.fromEntries(
      clusterRoles.map(({ metadata, rules }) => [metadata.name, rules?.length]),
    );
    expect([sizes.admin, sizes.edit, sizes.view]).toEqual([29, 27, 12]);
  });

  it("allows everybody the public info, and only authenticated users discovery and self reviews", () => {
    const { put, rbac } = admissionWorld();
    const { clusterRoles, clusterRoleBindings } = bootstrapPolicy();
    for (const role of clusterRoles) put("clusterroles", role);
    for (const binding of clusterRoleBindings) put("clusterrolebindings", binding);
    const may = (user: typeof bob | typeof anonymousUser, path: string): boolean =>
      rbac.authorize(user, { verb: "get", path }).allowed;
    expect([may(anonymousUser, "/version"), may(anonymousUser, "/apis"), may(bob, "/apis/apps")]).toEqual([
      true,
      false,
      true,
    ]);
    const ask = { verb: "create", group: "authorization.k8s.io", resource: "selfsubjectaccessreviews" };
    expect(rbac.authorize(bob, ask).allowed).toBe(true);
    expect(rbac.authorize(anonymousUser, ask).allowed).toBe(false);
    expect(rbac.authorize(bob, { verb: "list", group: "", resource: "pods" }).allowed).toBe(false);
  });
});
