import { type CaseGroup, conforms } from "../conformance-case.ts";
import { field, type Stage } from "../stage.ts";
import { configMap, manifest, pod, podTemplate, secret, service, workload } from "./manifests.ts";

/** Shows the version after a step only as whether it changed. */
function recordChange(stage: Stage, before: unknown, after: unknown): void {
  const version = (object: unknown): unknown => field(object, "metadata.resourceVersion");
  stage.record("the version changed", version(before) !== version(after));
}

const networkPolicy = manifest("networking.k8s.io/v1", "NetworkPolicy", "policy", {
  spec: { podSelector: {} },
});

export const updateCases: CaseGroup = {
  title: "updates",
  cases: [
    conforms("an update with the present version is done", async (stage) => {
      const stored = await stage.prepare(stage.path("configmaps"), configMap("settings"));
      const metadata = { resourceVersion: field(stored, "metadata.resourceVersion") };
      const path = stage.path("configmaps/settings");
      const updated = await stage.replace(path, configMap("settings", { metadata, data: { color: "red" } }));
      recordChange(stage, stored, updated);
    }),
    conforms("an update with an old version is a conflict", async (stage) => {
      const stored = await stage.prepare(stage.path("configmaps"), configMap("settings"));
      const metadata = { resourceVersion: field(stored, "metadata.resourceVersion") };
      const path = stage.path("configmaps/settings");
      await stage.replace(path, configMap("settings", { metadata, data: { color: "red" } }));
      await stage.replace(path, configMap("settings", { metadata, data: { color: "green" } }));
    }),
    conforms("an update without a version overwrites", async (stage) => {
      await stage.prepare(stage.path("configmaps"), configMap("settings"));
      await stage.replace(stage.path("configmaps/settings"), configMap("settings", { data: { a: "b" } }));
    }),
    conforms("an update with a version that is none is refused", async (stage) => {
      await stage.prepare(stage.path("configmaps"), configMap("settings"));
      const metadata = { resourceVersion: "yesterday" };
      await stage.replace(stage.path("configmaps/settings"), configMap("settings", { metadata }));
    }),
    conforms("an update with the version 0 overwrites", async (stage) => {
      await stage.prepare(stage.path("configmaps"), configMap("settings"));
      const metadata = { resourceVersion: "0" };
      await stage.replace(stage.path("configmaps/settings"), configMap("settings", { metadata }));
    }),
    conforms("an update with another uid is a conflict", async (stage) => {
      await stage.prepare(stage.path("configmaps"), configMap("settings"));
      const metadata = { uid: "11111111-2222-3333-4444-555555555555" };
      await stage.replace(stage.path("configmaps/settings"), configMap("settings", { metadata }));
    }),
    conforms("an update that changes nothing keeps the version", async (stage) => {
      const stored = await stage.prepare(stage.path("configmaps"), configMap("settings"));
      recordChange(stage, stored, await stage.replace(stage.path("configmaps/settings"), stored));
      recordChange(stage, stored, await stage.patch(stage.path("configmaps/settings"), {}));
      recordChange(stage, stored, await stage.jsonPatch(stage.path("configmaps/settings"), []));
    }),
    conforms("a Lease is not overwritten without a version, but a patch needs none", async (stage) => {
      const lease = manifest("coordination.k8s.io/v1", "Lease", "lease", { spec: { holderIdentity: "me" } });
      await stage.prepare(stage.path("coordination.k8s.io/v1:leases"), lease);
      await stage.replace(stage.path("coordination.k8s.io/v1:leases/lease"), lease);
      await stage.patch(stage.path("coordination.k8s.io/v1:leases/lease"), {
        spec: { holderIdentity: "you", leaseDurationSeconds: 15 },
      });
    }),
    conforms("a Role is overwritten without a version", async (stage) => {
      const role = manifest("rbac.authorization.k8s.io/v1", "Role", "role", { rules: [] });
      await stage.prepare(stage.path("rbac.authorization.k8s.io/v1:roles"), role);
      await stage.replace(stage.path("rbac.authorization.k8s.io/v1:roles/role"), {
        ...role,
        rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }],
      });
    }),
    conforms("a PodDisruptionBudget is not overwritten without a version", async (stage) => {
      const path = stage.path("policy/v1:poddisruptionbudgets");
      const budget = manifest("policy/v1", "PodDisruptionBudget", "budget", { spec: { minAvailable: 1 } });
      await stage.prepare(path, budget);
      await stage.replace(`${path}/budget`, budget);
    }),
    conforms("a patch with an old version is a conflict", async (stage) => {
      const stored = await stage.prepare(stage.path("configmaps"), configMap("settings"));
      const metadata = { resourceVersion: field(stored, "metadata.resourceVersion") };
      const path = stage.path("configmaps/settings");
      await stage.patch(path, { metadata, data: { a: "1" } });
      await stage.patch(path, { metadata, data: { a: "2" } });
    }),
    conforms("the generation counts changes of the spec only", async (stage) => {
      const path = stage.path("networking.k8s.io/v1:networkpolicies");
      await stage.create(path, networkPolicy);
      await stage.patch(`${path}/policy`, { metadata: { labels: { a: "b" } } });
      await stage.patch(`${path}/policy`, { spec: { podSelector: { matchLabels: { a: "b" } } } });
      await stage.patch(`${path}/policy`, { spec: { podSelector: { matchLabels: { a: "b" } } } });
    }),
    conforms("the generation of a Deployment begins with 1", async (stage) => {
      const path = stage.path("apps/v1:deployments");
      await stage.create(path, workload("Deployment", "web", { replicas: 0, paused: true }));
      const stored = await stage.prepare(path, workload("Deployment", "other", { replicas: 0 }));
      stage.record("generation", field(stored, "metadata.generation"));
    }),
    conforms("a ConfigMap has no generation", async (stage) => {
      const stored = await stage.create(stage.path("configmaps"), configMap("settings"));
      stage.record("generation", field(stored, "metadata.generation") ?? "none");
    }),
    conforms("an update does not touch the status, and that of the status nothing else", async (stage) => {
      await stage.prepare(stage.path("pods"), pod("idle"));
      const path = stage.path("pods/idle");
      await stage.patch(path, { status: { message: "hello" } });
      await stage.patch(`${path}/status`, {
        metadata: { labels: { a: "b" } },
        spec: { activeDeadlineSeconds: 5 },
        status: { message: "hello" },
      });
      await stage.get(`${path}/status`);
    }),
    conforms("a status given at creation is dropped", async (stage) => {
      await stage.create(stage.path("pods"), { ...pod("idle"), status: { phase: "Running", message: "x" } });
    }),
    conforms("an immutable ConfigMap does not change", async (stage) => {
      await stage.prepare(
        stage.path("configmaps"),
        configMap("fixed", { data: { a: "b" }, immutable: true }),
      );
      const path = stage.path("configmaps/fixed");
      await stage.patch(path, { data: { a: "c" } });
      await stage.patch(path, { immutable: false });
      await stage.patch(path, { binaryData: { b: "AAAA" } });
      await stage.patch(path, { metadata: { labels: { still: "possible" } } });
    }),
    conforms("an immutable Secret does not change, and a Secret keeps its type", async (stage) => {
      await stage.prepare(
        stage.path("secrets"),
        secret("fixed", { stringData: { a: "b" }, immutable: true }),
      );
      await stage.patch(stage.path("secrets/fixed"), { stringData: { a: "c" } });
      await stage.patch(stage.path("secrets/fixed"), { immutable: null });
      await stage.prepare(stage.path("secrets"), secret("typed", { type: "example.com/mine" }));
      await stage.patch(stage.path("secrets/typed"), { type: "example.com/other" });
    }),
    conforms("a PodTemplate is replaced as a whole", async (stage) => {
      await stage.create(stage.path("podtemplates"), podTemplate("form"));
      await stage.replace(stage.path("podtemplates/form"), podTemplate("form", { hostNetwork: true }));
    }),
    conforms("a Service that is replaced keeps its address", async (stage) => {
      const stored = await stage.prepare(stage.path("services"), service("web"));
      const changed = service("web", { ports: [{ port: 81, name: "http" }] });
      const updated = await stage.replace(stage.path("services/web"), changed);
      stage.record("same address", field(stored, "spec.clusterIP") === field(updated, "spec.clusterIP"));
    }),
    conforms("an update creates a Service, but no ConfigMap", async (stage) => {
      await stage.replace(stage.path("configmaps/new"), configMap("new"));
      await stage.replace(stage.path("services/new"), service("new"));
    }),
    conforms("a field manager is named by the request", async (stage) => {
      await stage.create(stage.path("configmaps?fieldManager=maker"), configMap("settings"));
      await stage.patch(stage.path("configmaps/settings?fieldManager=changer"), { data: { size: "xl" } });
      await stage.patch(stage.path("configmaps/settings?fieldManager=changer"), { data: { size: null } });
    }),
    conforms("a field manager has a name that can be printed, of 128 characters at most", async (stage) => {
      await stage.create(stage.path(`configmaps?fieldManager=${"m".repeat(129)}`), configMap("settings"));
      await stage.create(stage.path("configmaps?fieldManager=a%07b"), configMap("settings"));
    }),
    conforms("managed fields are forgotten on request", async (stage) => {
      await stage.prepare(stage.path("configmaps"), configMap("settings"));
      await stage.patch(stage.path("configmaps/settings"), { metadata: { managedFields: [{}] } });
    }),
  ],
};
