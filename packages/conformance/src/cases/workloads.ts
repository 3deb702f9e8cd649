import { type CaseGroup, conforms, creations } from "../conformance-case.ts";
import { container, manifest, template, workload } from "./manifests.ts";

const claim = (name: string) => ({
  metadata: { name },
  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
});

export const workloadCases: CaseGroup = {
  title: "validation of workloads",
  cases: [
    ...creations([
      [
        "a Deployment has a selector and a template",
        "apps/v1:deployments",
        manifest("apps/v1", "Deployment", "a", { spec: {} }),
      ],
      [
        "a Deployment selects its own pods",
        "apps/v1:deployments",
        workload("Deployment", "a", { selector: { matchLabels: { app: "other" } } }),
      ],
      [
        "a Deployment's selector is not empty",
        "apps/v1:deployments",
        workload("Deployment", "a", { selector: {} }),
      ],
      [
        "a Deployment's selector is a selector",
        "apps/v1:deployments",
        workload("Deployment", "a", { selector: { matchExpressions: [{ key: "app", operator: "Like" }] } }),
      ],
      [
        "a Deployment has no fewer replicas than none",
        "apps/v1:deployments",
        workload("Deployment", "a", { replicas: -1 }),
      ],
      [
        "a Deployment's pods restart always",
        "apps/v1:deployments",
        workload("Deployment", "a", { template: template({ restartPolicy: "Never" }) }),
      ],
      [
        "a Deployment's strategy is one of two",
        "apps/v1:deployments",
        workload("Deployment", "a", { strategy: { type: "Swap" } }),
      ],
      [
        "a Deployment that recreates has no rolling update",
        "apps/v1:deployments",
        workload("Deployment", "a", { strategy: { type: "Recreate", rollingUpdate: { maxSurge: 1 } } }),
      ],
      [
        "a Deployment may surge or be unavailable",
        "apps/v1:deployments",
        workload("Deployment", "a", { strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } } }),
      ],
      [
        "a Deployment is not more than wholly unavailable",
        "apps/v1:deployments",
        workload("Deployment", "a", { strategy: { rollingUpdate: { maxUnavailable: "150%" } } }),
      ],
      [
        "a share is a percentage",
        "apps/v1:deployments",
        workload("Deployment", "a", { strategy: { rollingUpdate: { maxSurge: "many" } } }),
      ],
      [
        "a Deployment's deadline is longer than its pods need",
        "apps/v1:deployments",
        workload("Deployment", "a", { minReadySeconds: 10, progressDeadlineSeconds: 5 }),
      ],
      [
        "a template is validated with its path",
        "apps/v1:deployments",
        workload("Deployment", "a", { template: template({ containers: [] }) }),
      ],
      ["replicas are a number", "apps/v1:deployments", workload("Deployment", "a", { replicas: "three" })],
      ["replicas are a whole number", "apps/v1:deployments", workload("Deployment", "a", { replicas: 1.5 })],
      [
        "a ReplicaSet selects its own pods",
        "apps/v1:replicasets",
        workload("ReplicaSet", "a", { selector: { matchLabels: { app: "other" } } }),
      ],
      [
        "a ReplicaSet has no fewer replicas than none",
        "apps/v1:replicasets",
        workload("ReplicaSet", "a", { replicas: -1 }),
      ],
      [
        "a DaemonSet selects its own pods",
        "apps/v1:daemonsets",
        workload("DaemonSet", "a", { selector: { matchLabels: { app: "other" } } }),
      ],
      [
        "a DaemonSet's strategy is one of two",
        "apps/v1:daemonsets",
        workload("DaemonSet", "a", { updateStrategy: { type: "Swap" } }),
      ],
      [
        "a DaemonSet is unavailable or surges",
        "apps/v1:daemonsets",
        workload("DaemonSet", "a", { updateStrategy: { rollingUpdate: { maxUnavailable: 0 } } }),
      ],
      [
        "a StatefulSet's policy is one of two",
        "apps/v1:statefulsets",
        workload("StatefulSet", "a", { podManagementPolicy: "Chaos" }),
      ],
      [
        "a StatefulSet's strategy is one of two",
        "apps/v1:statefulsets",
        workload("StatefulSet", "a", { updateStrategy: { type: "Swap" } }),
      ],
      [
        "a StatefulSet's partition is not negative",
        "apps/v1:statefulsets",
        workload("StatefulSet", "a", { updateStrategy: { rollingUpdate: { partition: -1 } } }),
      ],
      [
        "a StatefulSet selects its own pods",
        "apps/v1:statefulsets",
        workload("StatefulSet", "a", { selector: { matchLabels: { app: "other" } } }),
      ],
      [
        "a StatefulSet's claims are kept or deleted",
        "apps/v1:statefulsets",
        workload("StatefulSet", "a", { persistentVolumeClaimRetentionPolicy: { whenDeleted: "Lose" } }),
      ],
      [
        "a StatefulSet's first number is not negative",
        "apps/v1:statefulsets",
        workload("StatefulSet", "a", { ordinals: { start: -1 } }),
      ],
      [
        "a ControllerRevision has data",
        "apps/v1:controllerrevisions",
        manifest("apps/v1", "ControllerRevision", "a", { revision: -1 }),
      ],
    ]),
    conforms("a Deployment keeps its selector", async (stage) => {
      await stage.prepare(stage.path("apps/v1:deployments"), workload("Deployment", "a", { replicas: 0 }));
      await stage.patch(stage.path("apps/v1:deployments/a"), {
        spec: { selector: { matchLabels: { more: "x" } }, template: { metadata: { labels: { more: "x" } } } },
      });
    }),
    conforms("a ReplicaSet and a DaemonSet keep their selectors", async (stage) => {
      const change = {
        spec: { selector: { matchLabels: { more: "x" } }, template: { metadata: { labels: { more: "x" } } } },
      };
      await stage.prepare(stage.path("apps/v1:replicasets"), workload("ReplicaSet", "a", { replicas: 0 }));
      await stage.patch(stage.path("apps/v1:replicasets/a"), change);
      const idle = workload("DaemonSet", "a", { template: template({ nodeSelector: { never: "there" } }) });
      await stage.prepare(stage.path("apps/v1:daemonsets"), idle);
      await stage.patch(stage.path("apps/v1:daemonsets/a"), change);
    }),
    conforms("a StatefulSet changes few of its fields", async (stage) => {
      const set = workload("StatefulSet", "a", {
        replicas: 0,
        serviceName: "s",
        volumeClaimTemplates: [claim("data")],
      });
      await stage.prepare(stage.path("apps/v1:statefulsets"), set);
      const path = stage.path("apps/v1:statefulsets/a");
      await stage.patch(path, { spec: { serviceName: "other" } });
      await stage.patch(path, { spec: { podManagementPolicy: "Parallel" } });
      await stage.patch(path, { spec: { volumeClaimTemplates: [claim("other")] } });
      await stage.patch(path, { spec: { selector: { matchLabels: { more: "x" } } } });
    }),
    conforms("a ControllerRevision keeps its data", async (stage) => {
      const path = stage.path("apps/v1:controllerrevisions");
      await stage.prepare(
        path,
        manifest("apps/v1", "ControllerRevision", "a", { revision: 1, data: { a: "b" } }),
      );
      await stage.patch(`${path}/a`, { data: { a: "c" } });
      await stage.patch(`${path}/a`, { revision: 2 });
    }),
    conforms("a scale is read and written", async (stage) => {
      const path = stage.path("apps/v1:replicasets");
      const unready = template({ schedulerName: "no-scheduler", containers: [container] });
      await stage.prepare(path, workload("ReplicaSet", "a", { replicas: 0, template: unready }));
      await stage.get(`${path}/a/scale`);
      await stage.patch(`${path}/a/scale`, { spec: { replicas: -1 } });
      await stage.replace(
        `${path}/a/scale`,
        manifest("autoscaling/v1", "Scale", "other", { spec: { replicas: 1 } }),
      );
      await stage.get(`${path}/none/scale`);
    }),
    conforms("a scale changes the replicas and the generation", async (stage) => {
      const path = stage.path("replicationcontrollers");
      const controller = manifest("v1", "ReplicationController", "a", {
        spec: { replicas: 0, template: template({ schedulerName: "no-scheduler" }) },
      });
      await stage.prepare(path, controller);
      await stage.until(`${path}/a`, (object) => JSON.stringify(object).includes("observedGeneration"));
      await stage.patch(`${path}/a/scale?dryRun=All`, { spec: { replicas: 3 } });
      await stage.apply(`${path}/a/scale?dryRun=All&fieldManager=ann`, {
        apiVersion: "autoscaling/v1",
        kind: "Scale",
        metadata: { name: "a" },
        spec: { replicas: 2 },
      });
    }),
  ],
};
