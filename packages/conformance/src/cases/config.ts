import { type CaseGroup, conforms, creations } from "../conformance-case.ts";
import { configMap, type Fields, manifest, secret } from "./manifests.ts";

const rbac = "rbac.authorization.k8s.io/v1";
const role = (...rules: readonly Fields[]): Fields => manifest(rbac, "Role", "a", { rules });
const binding = (fields: Fields): Fields =>
  manifest(rbac, "RoleBinding", "a", {
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "r" },
    ...fields,
  });
const claim = (spec: Fields): Fields =>
  manifest("v1", "PersistentVolumeClaim", "a", {
    spec: {
      storageClassName: "none",
      accessModes: ["ReadWriteOnce"],
      resources: { requests: { storage: "1Gi" } },
      ...spec,
    },
  });
const budget = (spec: Fields): Fields => manifest("policy/v1", "PodDisruptionBudget", "a", { spec });
const scaler = (spec: Fields): Fields =>
  manifest("autoscaling/v2", "HorizontalPodAutoscaler", "a", {
    spec: {
      maxReplicas: 3,
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "none" },
      ...spec,
    },
  });
const lease = (spec: Fields): Fields => manifest("coordination.k8s.io/v1", "Lease", "a", { spec });

export const configCases: CaseGroup = {
  title: "validation of configuration, access and scaling",
  cases: [
    ...creations([
      ["a ConfigMap's keys are keys", "configmaps", configMap("a", { data: { "a b": "x", "..": "y" } })],
      [
        "a ConfigMap's keys are of one kind",
        "configmaps",
        configMap("a", { data: { a: "x" }, binaryData: { a: "AA==" } }),
      ],
      ["a ConfigMap's bytes are bytes", "configmaps", configMap("a", { binaryData: { a: "not base64!" } })],
      [
        "a ConfigMap is not larger than a megabyte",
        "configmaps",
        configMap("a", { data: { a: "x".repeat(1_048_577) } }),
      ],
      ["a Secret's keys are keys", "secrets", secret("a", { data: { "a b": "" } })],
      ["a Secret's values are bytes", "secrets", secret("a", { data: { a: "not base64!" } })],
      [
        "a Secret for TLS has a certificate and a key",
        "secrets",
        secret("a", { type: "kubernetes.io/tls", stringData: { "tls.crt": "x" } }),
      ],
      [
        "a Secret of a user has a name or a password",
        "secrets",
        secret("a", { type: "kubernetes.io/basic-auth" }),
      ],
      ["a Secret for SSH has a key", "secrets", secret("a", { type: "kubernetes.io/ssh-auth" })],
      [
        "a Secret for Docker is JSON",
        "secrets",
        secret("a", { type: "kubernetes.io/dockerconfigjson", stringData: { ".dockerconfigjson": "x" } }),
      ],
      [
        "a Secret for a service account names it",
        "secrets",
        secret("a", { type: "kubernetes.io/service-account-token" }),
      ],
      ["a Role's rule has verbs", `${rbac}:roles`, role({ apiGroups: [""], resources: ["pods"] })],
      ["a Role's rule has resources", `${rbac}:roles`, role({ apiGroups: [""], verbs: ["get"] })],
      ["a Role's rule has groups", `${rbac}:roles`, role({ resources: ["pods"], verbs: ["get"] })],
      ["a Role has no paths", `${rbac}:roles`, role({ nonResourceURLs: ["/x"], verbs: ["get"] })],
      [
        "a RoleBinding's role is a Role",
        `${rbac}:rolebindings`,
        binding({ roleRef: { apiGroup: "x", kind: "Y", name: "" } }),
      ],
      [
        "a RoleBinding's subject is one of three",
        `${rbac}:rolebindings`,
        binding({ subjects: [{ kind: "Robot", name: "r" }, { kind: "User" }] }),
      ],
      [
        "a service account has no group",
        `${rbac}:rolebindings`,
        binding({ subjects: [{ kind: "ServiceAccount", name: "a", apiGroup: "x" }] }),
      ],
      [
        "a PersistentVolumeClaim has modes and a size",
        "persistentvolumeclaims",
        claim({ accessModes: [], resources: {} }),
      ],
      ["a PersistentVolumeClaim's modes exist", "persistentvolumeclaims", claim({ accessModes: ["Always"] })],
      [
        "a PersistentVolumeClaim's size is positive",
        "persistentvolumeclaims",
        claim({ resources: { requests: { storage: "-1Gi" } } }),
      ],
      [
        "a PodDisruptionBudget has one rule",
        "policy/v1:poddisruptionbudgets",
        budget({ minAvailable: 1, maxUnavailable: 1 }),
      ],
      [
        "a PodDisruptionBudget's number is sound",
        "policy/v1:poddisruptionbudgets",
        budget({ minAvailable: "150%" }),
      ],
      [
        "a PodDisruptionBudget's number is not negative",
        "policy/v1:poddisruptionbudgets",
        budget({ maxUnavailable: -1 }),
      ],
      ["an autoscaler has a maximum", "autoscaling/v2:horizontalpodautoscalers", scaler({ maxReplicas: 0 })],
      [
        "an autoscaler's minimum is below its maximum",
        "autoscaling/v2:horizontalpodautoscalers",
        scaler({ minReplicas: 5 }),
      ],
      [
        "an autoscaler's metrics are complete",
        "autoscaling/v2:horizontalpodautoscalers",
        scaler({ metrics: [{ type: "Resource" }] }),
      ],
      [
        "an autoscaler's target is of an API group",
        "autoscaling/v2:horizontalpodautoscalers",
        scaler({ scaleTargetRef: { apiVersion: "v1", kind: "Deployment", name: "a" } }),
      ],
      [
        "an autoscaler's target may be of no group",
        "autoscaling/v2:horizontalpodautoscalers?dryRun=All",
        scaler({ scaleTargetRef: { apiVersion: "v1", kind: "ReplicationController", name: "a" } }),
      ],
      [
        "an autoscaler's target can be in a path",
        "autoscaling/v2:horizontalpodautoscalers",
        scaler({ scaleTargetRef: { apiVersion: "a/b/c", kind: "a/b", name: "a%b" } }),
      ],
      [
        "an autoscaler of the first version uses something",
        "autoscaling/v1:horizontalpodautoscalers",
        manifest("autoscaling/v1", "HorizontalPodAutoscaler", "a", {
          spec: {
            maxReplicas: 3,
            targetCPUUtilizationPercentage: 0,
            scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "a" },
          },
        }),
      ],
      [
        "an autoscaler's target has a kind and a name",
        "autoscaling/v2:horizontalpodautoscalers",
        scaler({ scaleTargetRef: {} }),
      ],
      [
        "a Lease's duration is positive",
        "coordination.k8s.io/v1:leases",
        lease({ leaseDurationSeconds: 0, leaseTransitions: -1 }),
      ],
      ["a Lease's time has microseconds", "coordination.k8s.io/v1:leases", lease({ renewTime: "yesterday" })],
      [
        "a LimitRange's limits are in order",
        "limitranges",
        manifest("v1", "LimitRange", "a", {
          spec: { limits: [{ type: "Container", min: { cpu: "2" }, max: { cpu: "1" } }] },
        }),
      ],
      [
        "a ResourceQuota's amounts are not negative",
        "resourcequotas",
        manifest("v1", "ResourceQuota", "a", { spec: { hard: { pods: "-1" } } }),
      ],
      [
        "an Event is about something in its namespace",
        "events",
        manifest("v1", "Event", "a", { involvedObject: { kind: "Pod", name: "p", namespace: "other" } }),
      ],
      [
        "a ServiceAccount has a name of a DNS subdomain",
        "serviceaccounts",
        manifest("v1", "ServiceAccount", "A"),
      ],
    ]),
    conforms("a RoleBinding keeps its role", async (stage) => {
      await stage.prepare(stage.path(`${rbac}:rolebindings`), binding({}));
      await stage.patch(stage.path(`${rbac}:rolebindings/a`), { roleRef: { name: "other" } });
    }),
    conforms("a PersistentVolumeClaim keeps what it claims", async (stage) => {
      await stage.prepare(stage.path("persistentvolumeclaims"), claim({}));
      await stage.patch(stage.path("persistentvolumeclaims/a"), { spec: { accessModes: ["ReadWriteMany"] } });
      await stage.patch(stage.path("persistentvolumeclaims/a"), {
        spec: { resources: { requests: { storage: "2Gi" } } },
      });
    }),
    conforms("a StorageClass keeps its parameters", async (stage) => {
      const path = "/apis/storage.k8s.io/v1/storageclasses";
      const name = `${stage.namespace}-s`;
      await stage.prepare(
        path,
        manifest("storage.k8s.io/v1", "StorageClass", name, { provisioner: "example.com/none" }),
      );
      await stage.patch(`${path}/${name}`, { provisioner: "example.com/other" });
      await stage.patch(`${path}/${name}`, { reclaimPolicy: "Retain" });
      await stage.remove(`${path}/${name}`);
    }),
    conforms("a PriorityClass keeps its value", async (stage) => {
      const path = "/apis/scheduling.k8s.io/v1/priorityclasses";
      const name = `${stage.namespace}-p`;
      await stage.prepare(path, manifest("scheduling.k8s.io/v1", "PriorityClass", name, { value: 5 }));
      await stage.patch(`${path}/${name}`, { value: 6 });
      await stage.remove(`${path}/${name}`);
    }),
  ],
};
