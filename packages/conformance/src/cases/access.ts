import { type CaseGroup, type ConformanceCase, conforms } from "../conformance-case.ts";
import type { Stage } from "../stage.ts";
import { configMap, type Fields, manifest, pod } from "./manifests.ts";

const rbac = "rbac.authorization.k8s.io/v1";
const ref = (kind: string, name: string): Fields => ({ apiGroup: "rbac.authorization.k8s.io", kind, name });

/** Makes a user, with rules in the case's namespace if there are any; gives its name. */
async function userWith(stage: Stage, ...rules: readonly Fields[]): Promise<string> {
  const user = `ann-${stage.namespace}`;
  await stage.addUser(user, ["staff"]);
  if (rules.length === 0) return user;
  await stage.prepare(stage.path(`${rbac}:roles`), manifest(rbac, "Role", "granted", { rules }));
  await stage.prepare(
    stage.path(`${rbac}:rolebindings`),
    manifest(rbac, "RoleBinding", "granted", {
      roleRef: ref("Role", "granted"),
      subjects: [{ kind: "User", name: user, apiGroup: "rbac.authorization.k8s.io" }],
    }),
  );
  await untilGranted(stage, user, rules[0] ?? {});
  return user;
}

/** Grants are in force some time after they were written. */
async function untilGranted(stage: Stage, user: string, rule: Fields): Promise<void> {
  const first = (value: unknown): unknown => (Array.isArray(value) ? value[0] : undefined);
  const [resource, subresource] = String(first(rule.resources)).split("/");
  const spec = {
    user,
    groups: ["staff"],
    resourceAttributes: {
      namespace: stage.namespace,
      verb: first(rule.verbs) === "*" ? "get" : first(rule.verbs),
      group: first(rule.apiGroups),
      resource,
      subresource,
      name: first(rule.resourceNames),
    },
  };
  await stage.untilAnswer(
    {
      method: "POST",
      path: "/apis/authorization.k8s.io/v1/subjectaccessreviews",
      body: JSON.stringify({ spec }),
    },
    (response) => JSON.stringify(response).includes('"allowed":true'),
  );
}

const configMaps = (...verbs: readonly string[]): Fields => ({
  apiGroups: [""],
  resources: ["configmaps"],
  verbs,
});
const labelled = "configmaps?labelSelector=app";

function accessCase(
  name: string,
  rules: readonly Fields[],
  run: (stage: Stage, user: string) => Promise<void>,
): ConformanceCase {
  return conforms(name, async (stage) => {
    await run(stage, await userWith(stage, ...rules));
  });
}

export const accessCases: CaseGroup = {
  title: "access",
  cases: [
    accessCase("a user without rules may do nothing", [], async (stage, user) => {
      await stage.get(stage.path("configmaps"), { user });
      await stage.get(stage.path("configmaps/a"), { user });
      await stage.create(stage.path("configmaps"), configMap("a"), { user });
      await stage.replace(stage.path("configmaps/a"), configMap("a"), { user });
      await stage.patch(stage.path("configmaps/a"), {}, { user });
      await stage.delete(stage.path("configmaps/a"), undefined, { user });
      await stage.delete(stage.path("configmaps"), undefined, { user });
    }),
    accessCase("a user without rules may read what every user may read", [], async (stage, user) => {
      await stage.get("/livez", { user });
      await stage.get("/healthz", { user });
      await stage.get("/apis/coordination.k8s.io", { user });
      await stage.get("/metrics", { user });
      await stage.get("/nothing", { user });
    }),
    accessCase(
      "what is forbidden is so in other words for groups, subresources and the cluster",
      [],
      async (stage, user) => {
        await stage.get(stage.path("apps/v1:deployments"), { user });
        await stage.get(stage.path("apps/v1:deployments/a/scale"), { user });
        await stage.get("/api/v1/nodes", { user });
        await stage.get("/api/v1/secrets", { user });
        await stage.get(stage.path("things"), { user });
        await stage.get(stage.path("configmaps?watch=true"), { user });
      },
    ),
    accessCase("a user reads what a role allows", [configMaps("get", "list")], async (stage, user) => {
      await stage.get(stage.path("configmaps/none"), { user });
      await stage.get(stage.path(labelled), { user });
      await stage.get(stage.path("configmaps?watch=true"), { user });
      await stage.create(stage.path("configmaps"), configMap("a"), { user });
      await stage.get("/api/v1/namespaces/default/configmaps", { user });
      await stage.get("/api/v1/configmaps", { user });
    }),
    accessCase(
      "a role for some names",
      [{ ...configMaps("get", "update"), resourceNames: ["a"] }],
      async (stage, user) => {
        await stage.get(stage.path("configmaps/a"), { user });
        await stage.get(stage.path("configmaps/b"), { user });
        await stage.get(stage.path("configmaps"), { user });
      },
    ),
    accessCase(
      "a role for a subresource",
      [{ apiGroups: [""], resources: ["pods/status"], verbs: ["get", "patch"] }],
      async (stage, user) => {
        await stage.prepare(stage.path("pods"), pod("a"));
        await stage.patch(stage.path("pods/a/status"), { status: { message: "hi" } }, { user });
        await stage.get(stage.path("pods/a"), { user });
      },
    ),
    accessCase(
      "a role for everything",
      [{ apiGroups: ["*"], resources: ["*"], verbs: ["*"] }],
      async (stage, user) => {
        await stage.create(stage.path("configmaps"), configMap("a"), { user });
        await stage.get(stage.path("pods/none/status"), { user });
        await stage.get("/api/v1/nodes", { user });
      },
    ),
    accessCase(
      "an update that creates needs the right to create",
      [configMaps("update", "patch")],
      async (stage, user) => {
        await stage.apply(stage.path("configmaps/a?fieldManager=ann"), configMap("a"), { user });
        await stage.prepare(stage.path("configmaps"), configMap("b"));
        await stage.patch(stage.path("configmaps/b"), { data: { a: "b" } }, { user });
      },
    ),
    accessCase(
      "a user cannot grant permissions that the user does not have",
      [
        {
          apiGroups: ["rbac.authorization.k8s.io"],
          resources: ["roles", "rolebindings"],
          verbs: ["create", "update", "get", "patch"],
        },
      ],
      async (stage, user) => {
        const rules = [{ apiGroups: [""], resources: ["secrets"], verbs: ["get", "list"] }];
        await stage.create(stage.path(`${rbac}:roles`), manifest(rbac, "Role", "more", { rules }), { user });
        await stage.patch(stage.path(`${rbac}:roles/granted`), { rules }, { user });
        const bound = {
          roleRef: ref("ClusterRole", "cluster-admin"),
          subjects: [{ kind: "User", name: user, apiGroup: "rbac.authorization.k8s.io" }],
        };
        await stage.create(stage.path(`${rbac}:rolebindings`), manifest(rbac, "RoleBinding", "more", bound), {
          user,
        });
      },
    ),
    accessCase("a user without the permission cannot impersonate", [], async (stage, user) => {
      const headers = { "impersonate-user": "bob" };
      await stage.get(stage.path("configmaps"), { user, headers });
      await stage.get(stage.path("configmaps"), {
        user,
        headers: { ...headers, "impersonate-group": "staff" },
      });
    }),
    conforms("the administrator impersonates whom he likes", async (stage) => {
      const headers = { "impersonate-user": "bob", "impersonate-group": "staff" };
      await stage.get(stage.path("configmaps"), { headers });
      await stage.get(stage.path("configmaps"), { headers: { "impersonate-group": "staff" } });
      await stage.create("/apis/authentication.k8s.io/v1/selfsubjectreviews", {}, { headers });
      await stage.create(
        "/apis/authentication.k8s.io/v1/selfsubjectreviews",
        {},
        { headers: { "impersonate-user": `system:serviceaccount:${stage.namespace}:default` } },
      );
    }),
    conforms("a binding for a group holds for its members", async (stage) => {
      const user = `ann-${stage.namespace}`;
      const group = `team-${stage.namespace}`;
      await stage.addUser(user, [group]);
      const rules = [configMaps("list")];
      await stage.prepare(stage.path(`${rbac}:roles`), manifest(rbac, "Role", "granted", { rules }));
      const bound = {
        roleRef: ref("Role", "granted"),
        subjects: [{ kind: "Group", name: group, apiGroup: "rbac.authorization.k8s.io" }],
      };
      await stage.prepare(
        stage.path(`${rbac}:rolebindings`),
        manifest(rbac, "RoleBinding", "granted", bound),
      );
      await stage.untilAnswer({ method: "GET", path: stage.path(labelled), user }, (response) =>
        JSON.stringify(response).includes("ConfigMapList"),
      );
      await stage.get(stage.path(labelled), { user });
      await stage.get(stage.path("secrets"), { user });
    }),
    conforms("a ClusterRole is bound in the cluster", async (stage) => {
      const user = `ann-${stage.namespace}`;
      await stage.addUser(user);
      const name = `${stage.namespace}-nodes`;
      const paths = [`/apis/${rbac}/clusterroles`, `/apis/${rbac}/clusterrolebindings`] as const;
      const rules = [
        { apiGroups: [""], resources: ["nodes"], verbs: ["get"] },
        { nonResourceURLs: ["/metrics", "/logs/*"], verbs: ["get"] },
      ];
      await stage.prepare(paths[0], manifest(rbac, "ClusterRole", name, { rules }));
      await stage.prepare(
        paths[1],
        manifest(rbac, "ClusterRoleBinding", name, {
          roleRef: ref("ClusterRole", name),
          subjects: [{ kind: "User", name: user, apiGroup: "rbac.authorization.k8s.io" }],
        }),
      );
      await stage.untilAnswer({ method: "GET", path: "/api/v1/nodes/never-made", user }, (response) =>
        JSON.stringify(response).includes("404"),
      );
      await stage.get("/api/v1/nodes/never-made", { user });
      await stage.get("/api/v1/nodes", { user });
      for (const path of paths) await stage.remove(`${path}/${name}`);
    }),
  ],
};
