import { type CaseGroup, creations } from "../conformance-case.ts";
import type { Stage } from "../stage.ts";
import { manifest } from "./manifests.ts";

const rbac = "rbac.authorization.k8s.io/v1";

/** A name that no other case has. */
const named = (stage: Stage, name: string): string => `${stage.namespace}-${name}`;

export const clusterKindCases: CaseGroup = {
  title: "kinds of the cluster",
  cases: [
    ...creations([
      ["a Namespace", "/api/v1/namespaces", (stage: Stage) => manifest("v1", "Namespace", named(stage, "n"))],
      [
        "a ClusterRole",
        `/apis/${rbac}/clusterroles`,
        (stage: Stage) =>
          manifest(rbac, "ClusterRole", named(stage, "r"), {
            rules: [{ nonResourceURLs: ["/x"], verbs: ["get"] }],
          }),
      ],
      [
        "a ClusterRoleBinding",
        `/apis/${rbac}/clusterrolebindings`,
        (stage: Stage) =>
          manifest(rbac, "ClusterRoleBinding", named(stage, "b"), {
            roleRef: { kind: "ClusterRole", name: "none", apiGroup: "rbac.authorization.k8s.io" },
          }),
      ],
      [
        "a StorageClass",
        "/apis/storage.k8s.io/v1/storageclasses",
        (stage: Stage) =>
          manifest("storage.k8s.io/v1", "StorageClass", named(stage, "s"), {
            provisioner: "example.com/none",
          }),
      ],
      [
        "a PriorityClass",
        "/apis/scheduling.k8s.io/v1/priorityclasses",
        (stage: Stage) => manifest("scheduling.k8s.io/v1", "PriorityClass", named(stage, "p"), { value: 5 }),
      ],
      [
        "an IngressClass",
        "/apis/networking.k8s.io/v1/ingressclasses",
        (stage: Stage) =>
          manifest("networking.k8s.io/v1", "IngressClass", named(stage, "i"), {
            spec: { controller: "example.com/none" },
          }),
      ],
      [
        "a PersistentVolume",
        "/api/v1/persistentvolumes",
        (stage: Stage) =>
          manifest("v1", "PersistentVolume", named(stage, "v"), {
            spec: {
              capacity: { storage: "1Gi" },
              accessModes: ["ReadWriteOnce"],
              hostPath: { path: "/tmp" },
            },
          }),
      ],
      [
        "a RuntimeClass",
        "/apis/node.k8s.io/v1/runtimeclasses",
        (stage: Stage) => manifest("node.k8s.io/v1", "RuntimeClass", named(stage, "r"), { handler: "none" }),
      ],
    ]),
    ...creations([
      ["a Namespace has a name of a DNS label", "/api/v1/namespaces", manifest("v1", "Namespace", "a.b")],
      [
        "a StorageClass has a provisioner",
        "/apis/storage.k8s.io/v1/storageclasses",
        (stage: Stage) =>
          manifest("storage.k8s.io/v1", "StorageClass", named(stage, "s"), { reclaimPolicy: "Lose" }),
      ],
      [
        "a PriorityClass is not above the system's",
        "/apis/scheduling.k8s.io/v1/priorityclasses",
        (stage: Stage) =>
          manifest("scheduling.k8s.io/v1", "PriorityClass", named(stage, "p"), { value: 2_000_000_000 }),
      ],
      [
        "a PriorityClass has no name of the system",
        "/apis/scheduling.k8s.io/v1/priorityclasses",
        manifest("scheduling.k8s.io/v1", "PriorityClass", "system-mine", { value: 1 }),
      ],
      [
        "a PersistentVolume has a source and a size",
        "/api/v1/persistentvolumes",
        (stage: Stage) => manifest("v1", "PersistentVolume", named(stage, "v"), { spec: {} }),
      ],
      [
        "a ClusterRole has verbs",
        `/apis/${rbac}/clusterroles`,
        (stage: Stage) =>
          manifest(rbac, "ClusterRole", named(stage, "r"), {
            rules: [{ apiGroups: [""], resources: ["pods"] }],
          }),
      ],
      [
        "a Node has taints that make sense",
        "/api/v1/nodes?dryRun=All",
        (stage: Stage) =>
          manifest("v1", "Node", named(stage, "n"), { spec: { taints: [{ key: "a", effect: "Never" }] } }),
      ],
    ]),
  ],
};
