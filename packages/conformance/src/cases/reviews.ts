import { type CaseGroup, conforms } from "../conformance-case.ts";
import { field, type Stage } from "../stage.ts";
import { configMap, type Fields, manifest, pod, secret } from "./manifests.ts";

const rbac = "rbac.authorization.k8s.io/v1";
const authorization = "/apis/authorization.k8s.io/v1";
const authentication = "/apis/authentication.k8s.io/v1";

/** Rules for a service account of the case, in its namespace. */
async function grantRobot(stage: Stage, rules: readonly Fields[]): Promise<string> {
  await stage.prepare(stage.path("serviceaccounts"), manifest("v1", "ServiceAccount", "robot"));
  await stage.prepare(stage.path(`${rbac}:roles`), manifest(rbac, "Role", "robot", { rules }));
  await stage.prepare(
    stage.path(`${rbac}:rolebindings`),
    manifest(rbac, "RoleBinding", "robot", {
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "robot" },
      subjects: [{ kind: "ServiceAccount", name: "robot", namespace: stage.namespace }],
    }),
  );
  const user = `system:serviceaccount:${stage.namespace}:robot`;
  const resourceAttributes = { namespace: stage.namespace, verb: "get", resource: "pods" };
  await stage.untilAnswer(
    {
      method: "POST",
      path: `${authorization}/subjectaccessreviews`,
      body: JSON.stringify({ spec: { user, resourceAttributes } }),
    },
    (response) => field(response, "status.allowed") === true,
  );
  return user;
}

const readPods = [{ apiGroups: [""], resources: ["pods"], verbs: ["get", "list"] }];

/** A token of a service account; it is not recorded. */
async function tokenOf(stage: Stage, account: string): Promise<string> {
  const review = await stage.prepare(stage.path(`serviceaccounts/${account}/token`), { spec: {} });
  return String(field(review, "status.token"));
}

export const reviewCases: CaseGroup = {
  title: "reviews and tokens",
  cases: [
    conforms("a review reports what a user may do", async (stage) => {
      const user = await grantRobot(stage, readPods);
      const review = async (attributes: Fields): Promise<void> => {
        await stage.create(`${authorization}/subjectaccessreviews`, {
          spec: { user, resourceAttributes: attributes },
        });
      };
      await review({ namespace: stage.namespace, verb: "get", resource: "pods" });
      await review({ namespace: stage.namespace, verb: "delete", resource: "pods" });
      await review({ namespace: "default", verb: "get", resource: "pods" });
      await review({ verb: "get", resource: "pods" });
    }),
    conforms("a review of paths", async (stage) => {
      const review = async (path: string): Promise<void> => {
        await stage.create(`${authorization}/subjectaccessreviews`, {
          spec: {
            user: "bob",
            groups: ["system:authenticated"],
            nonResourceAttributes: { path, verb: "get" },
          },
        });
      };
      await review("/api");
      await review("/metrics");
    }),
    conforms("a review is about either a resource or a path", async (stage) => {
      await stage.create(`${authorization}/subjectaccessreviews`, { spec: { user: "bob" } });
      await stage.create(`${authorization}/subjectaccessreviews`, {
        spec: { resourceAttributes: { verb: "get" } },
      });
      await stage.create(`${authorization}/subjectaccessreviews`, {
        spec: { user: "bob", resourceAttributes: { verb: "get" }, nonResourceAttributes: { path: "/" } },
      });
    }),
    conforms("a review in a namespace is about it", async (stage) => {
      const path = stage.path("authorization.k8s.io/v1:localsubjectaccessreviews");
      const spec = {
        user: "bob",
        resourceAttributes: { namespace: stage.namespace, verb: "get", resource: "pods" },
      };
      await stage.create(path, { metadata: { namespace: stage.namespace }, spec });
      await stage.create(path, {
        metadata: { namespace: stage.namespace },
        spec: { ...spec, resourceAttributes: { namespace: "default" } },
      });
    }),
    conforms("a user reviews the user's own access", async (stage) => {
      const user = await grantRobot(stage, readPods);
      const headers = { "impersonate-user": user };
      const review = (verb: string) => ({
        spec: { resourceAttributes: { namespace: stage.namespace, verb, resource: "pods" } },
      });
      await stage.create(`${authorization}/selfsubjectaccessreviews`, review("get"), { headers });
      await stage.create(`${authorization}/selfsubjectaccessreviews`, review("delete"), { headers });
      await stage.create(`${authorization}/selfsubjectaccessreviews`, review("get"));
    }),
    conforms("a user lists the user's own rules", async (stage) => {
      const user = await grantRobot(stage, readPods);
      const headers = { "impersonate-user": user };
      const response = await stage.quietly({
        method: "POST",
        path: `${authorization}/selfsubjectrulesreviews`,
        headers,
        body: JSON.stringify({ spec: { namespace: stage.namespace } }),
      });
      const rules = field(response, "status.resourceRules");
      const own = Array.isArray(rules) ? rules.filter((rule) => JSON.stringify(rule).includes('"pods"')) : [];
      stage.record("rules", { own, incomplete: field(response, "status.incomplete") });
      await stage.create(`${authorization}/selfsubjectrulesreviews`, { spec: {} }, { headers });
    }),
    conforms("a user reviews who the user is", async (stage) => {
      await stage.addUser(`ann-${stage.namespace}`, ["b-staff", "a-staff"]);
      await stage.create(`${authentication}/selfsubjectreviews`, {}, { user: `ann-${stage.namespace}` });
    }),
    conforms("a token of a service account is made", async (stage) => {
      await stage.create(stage.path("serviceaccounts/default/token"), { spec: { expirationSeconds: 3600 } });
      await stage.create(stage.path("serviceaccounts/default/token"), {
        spec: { audiences: ["vault"], expirationSeconds: 600 },
      });
    }),
    conforms("a token that cannot be is not made", async (stage) => {
      await stage.create(stage.path("serviceaccounts/none/token"), { spec: {} });
      await stage.create(stage.path("serviceaccounts/default/token"), { spec: { expirationSeconds: 5 } });
      await stage.create(stage.path("serviceaccounts/default/token"), {
        spec: { boundObjectRef: { kind: "Node", apiVersion: "v1", name: "x" } },
      });
      await stage.create(stage.path("serviceaccounts/default/token"), {
        spec: { boundObjectRef: { kind: "Pod", apiVersion: "v1", name: "none" } },
      });
    }),
    conforms("a token is let in as its service account", async (stage) => {
      await grantRobot(stage, readPods);
      const headers = { authorization: `Bearer ${await tokenOf(stage, "robot")}` };
      await stage.create(`${authentication}/selfsubjectreviews`, {}, { headers, user: "anonymous" });
      await stage.get(stage.path("pods"), { headers, user: "anonymous" });
      await stage.get(stage.path("secrets"), { headers, user: "anonymous" });
    }),
    conforms("a token is reviewed", async (stage) => {
      const token = await tokenOf(stage, "default");
      await stage.create(`${authentication}/tokenreviews`, { spec: { token } });
      await stage.create(`${authentication}/tokenreviews`, { spec: { token, audiences: ["vault"] } });
      await stage.create(`${authentication}/tokenreviews`, { spec: { token: "nonsense" } });
      await stage.create(`${authentication}/tokenreviews`, { spec: {} });
    }),
    conforms("a token that is bound to an object names it, and goes with it", async (stage) => {
      const bound = await stage.prepare(stage.path("secrets"), secret("bound"));
      const boundObjectRef = {
        kind: "Secret",
        apiVersion: "v1",
        name: "bound",
        uid: field(bound, "metadata.uid"),
      };
      const review = await stage.prepare(stage.path("serviceaccounts/default/token"), {
        spec: { boundObjectRef },
      });
      const token = field(review, "status.token");
      await stage.create(`${authentication}/tokenreviews`, { spec: { token } });
      await stage.remove(stage.path("secrets/bound"));
      await stage.untilAnswer(
        { method: "POST", path: `${authentication}/tokenreviews`, body: JSON.stringify({ spec: { token } }) },
        (response) => field(response, "status.authenticated") !== true,
      );
    }),
    conforms("who shows a wrong token is not let in", async (stage) => {
      await stage.get(stage.path("pods"), {
        headers: { authorization: "Bearer nonsense" },
        user: "anonymous",
      });
      await stage.get(stage.path("pods"), { headers: { authorization: "Basic abc" }, user: "anonymous" });
    }),
    conforms("who shows nothing is anonymous", async (stage) => {
      await stage.get(stage.path("pods"), { user: "anonymous" });
      await stage.get("/livez", { user: "anonymous" });
      await stage.create(stage.path("configmaps"), configMap("a"), { user: "anonymous" });
      await stage.create(`${authentication}/selfsubjectreviews`, {}, { user: "anonymous" });
    }),
    conforms("a pod cannot be evicted or bound if it is not there", async (stage) => {
      await stage.create(stage.path("pods/none/eviction"), manifest("policy/v1", "Eviction", "none"));
      await stage.create(
        stage.path("pods/none/binding"),
        manifest("v1", "Binding", "none", { target: { kind: "Node", name: "x" } }),
      );
    }),
    conforms("a pod is bound to a node once", async (stage) => {
      await stage.prepare(stage.path("pods"), pod("a"));
      // A node name of its own: pods on a node that has been missing for a while are garbage collected at any time.
      const target = { kind: "Node", name: `${stage.namespace}-never-made` };
      const binding = manifest("v1", "Binding", "a", { target });
      await stage.create(
        stage.path("pods/a/binding"),
        manifest("v1", "Binding", "a", { target: { kind: "Pod", name: "x" } }),
      );
      await stage.create(stage.path("pods/a/binding"), binding);
      await stage.create(stage.path("pods/a/binding"), binding);
    }),
    conforms("a pod is evicted, unless a budget forbids it", async (stage) => {
      await stage.prepare(stage.path("pods"), pod("free"));
      await stage.create(stage.path("pods/free/eviction"), manifest("policy/v1", "Eviction", "free"));
      await stage.get(stage.path("pods/free"));
      await stage.prepare(
        stage.path("policy/v1:poddisruptionbudgets"),
        manifest("policy/v1", "PodDisruptionBudget", "budget", {
          spec: { minAvailable: 1, selector: { matchLabels: { app: "kept" } } },
        }),
      );
      await stage.prepare(stage.path("pods"), pod("kept", {}, { metadata: { labels: { app: "kept" } } }));
      await stage.create(stage.path("pods/kept/eviction"), manifest("policy/v1", "Eviction", "other"));
      await stage.create(
        stage.path("pods/kept/eviction?dryRun=All"),
        manifest("policy/v1", "Eviction", "kept"),
      );
    }),
  ],
};
