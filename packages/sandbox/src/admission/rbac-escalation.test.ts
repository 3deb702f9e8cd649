import type { GenericObject } from "@keelson/core";
import { describe, expect, it } from "vitest";
import { type AdmissionWorld, admissionWorld } from "../../test/support/admission-world.ts";
import { refusal } from "../../test/support/writer-world.ts";

const user = { username: "bob", groups: ["dev", "system:authenticated"] };
const apiGroup = "rbac.authorization.k8s.io";
const getPods = { apiGroups: [""], resources: ["pods"], verbs: ["get"] };

/** Bob may get pods in the namespace `shop`, and more if the test says so. */
function world(...more: readonly object[]): AdmissionWorld {
  const world = admissionWorld();
  world.put("roles", { metadata: { name: "own", namespace: "shop" }, rules: [getPods, ...more] });
  const roleRef = { apiGroup, kind: "Role", name: "own" };
  const subjects = [{ apiGroup, kind: "User", name: "bob" }];
  world.put("rolebindings", { metadata: { name: "own", namespace: "shop" }, roleRef, subjects });
  world.put("roles", {
    metadata: { name: "strong", namespace: "shop" },
    rules: [{ ...getPods, verbs: ["*"] }],
  });
  return world;
}

const role = (...rules: readonly object[]): object => ({ metadata: { name: "r", namespace: "shop" }, rules });
const binding = (name: string, kind = "Role"): object => ({
  metadata: { name: "b", namespace: "shop" },
  roleRef: { apiGroup, kind, name },
});

function make({ create }: AdmissionWorld, plural: string, object: object): Promise<GenericObject> {
  return create(plural, object, { user });
}

describe("a user that writes a role", () => {
  it("may grant permissions that the user has", async () => {
    expect((await make(world(), "roles", role(getPods))).kind).toBe("Role");
  });

  it("gets the missing permissions in the message", async () => {
    const wanted = role(
      { apiGroups: [""], resources: ["pods", "secrets"], verbs: ["get", "list"] },
      { apiGroups: ["apps"], resources: ["deployments"], resourceNames: ["x", "y"], verbs: ["*"] },
    );
    expect(await refusal(make(world(), "roles", wanted))).toMatchObject({
      code: 403,
      message:
        'roles.rbac.authorization.k8s.io "r" is forbidden: user "bob" (groups=["dev" "system:authenticated"]) ' +
        "is attempting to grant RBAC permissions not currently held:\n" +
        '{APIGroups:[""], Resources:["pods"], Verbs:["list"]}\n' +
        '{APIGroups:[""], Resources:["secrets"], Verbs:["get" "list"]}\n' +
        '{APIGroups:["apps"], Resources:["deployments"], ResourceNames:["x"], Verbs:["*"]}\n' +
        '{APIGroups:["apps"], Resources:["deployments"], ResourceNames:["y"], Verbs:["*"]}',
      details: { name: "r", group: apiGroup, kind: "roles" },
    });
  });

  it("may write any if they may escalate", async () => {
    const strong = world({ apiGroups: [apiGroup], resources: ["roles"], verbs: ["escalate"] });
    expect((await make(strong, "roles", role({ ...getPods, verbs: ["*"] }))).kind).toBe("Role");
  });

  it("gets the user's bindings to missing roles in the message", async () => {
    const lost = world();
    const subjects = [{ apiGroup, kind: "User", name: "bob" }];
    const roleRef = { apiGroup, kind: "ClusterRole", name: "nope" };
    lost.put("rolebindings", { metadata: { name: "lost", namespace: "shop" }, roleRef, subjects });
    const { message } = await refusal(make(lost, "roles", role({ ...getPods, verbs: ["list"] })));
    expect(message).toMatch(
      /\{APIGroups:\[""\], Resources:\["pods"\], Verbs:\["list"\]\}; resolution errors: \[roles.rbac.authorization.k8s.io "nope" not found\]$/,
    );
  });

  it("needs cluster-admin to aggregate rules", async () => {
    const whole = {
      metadata: { name: "r" },
      aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: "b" } }] },
    };
    expect((await refusal(make(world(), "clusterroles", whole))).message).toBe(
      'clusterroles.rbac.authorization.k8s.io "r" is forbidden: ' +
        "must have cluster-admin privileges to use the aggregationRule",
    );
  });

  it("may let go of one that they could not write", async () => {
    const { put, writer, resource, options } = world();
    const metadata = { name: "held", namespace: "shop", uid: "u", finalizers: ["a/b"] };
    const rules = [{ ...getPods, verbs: ["*"] }];
    put("roles", { metadata, rules });
    const target = { resource: resource("roles"), name: "held", namespace: "shop", subresource: undefined };
    const patch = (change: object) =>
      writer.patch(target, { type: "merge", patch: { ...change } }, { ...options, user });
    expect((await patch({ metadata: { finalizers: null } })).object.metadata.finalizers).toBeUndefined();
    expect((await refusal(patch({ metadata: { labels: { a: "b" } } }))).code).toBe(403);
  });
});

describe("a user that binds a role", () => {
  it("needs the permissions of the role", async () => {
    expect((await make(world(), "rolebindings", binding("own"))).kind).toBe("RoleBinding");
    expect((await refusal(make(world(), "rolebindings", binding("strong")))).message).toContain(
      'rolebindings.rbac.authorization.k8s.io "b" is forbidden: user "bob"',
    );
  });

  it("may bind any that they have the verb bind for", async () => {
    const rule = { apiGroups: [apiGroup], resources: ["roles"], resourceNames: ["strong"], verbs: ["bind"] };
    expect((await make(world(rule), "rolebindings", binding("strong"))).kind).toBe("RoleBinding");
  });

  it("gets an error for an unknown role or kind of role", async () => {
    expect(await refusal(make(world(), "rolebindings", binding("nope", "ClusterRole")))).toMatchObject({
      code: 404,
      message: 'rolebindings.rbac.authorization.k8s.io "nope" not found',
    });
    expect(await refusal(make(world(), "rolebindings", binding("own", "Foo")))).toMatchObject({
      code: 500,
      message: 'unsupported role reference kind: "Foo"',
    });
  });
});
