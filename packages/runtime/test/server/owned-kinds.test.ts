import type { ApplyConfiguration, KubeObject, Resource } from "@keelson/core";
import { Deployment, StatefulSet } from "@keelson/core/kinds/apps/v1";
import { HorizontalPodAutoscaler } from "@keelson/core/kinds/autoscaling/v2";
import { CronJob, Job } from "@keelson/core/kinds/batch/v1";
import {
  ConfigMap,
  PersistentVolumeClaim,
  Secret,
  Service,
  ServiceAccount,
} from "@keelson/core/kinds/core/v1";
import { Ingress, NetworkPolicy } from "@keelson/core/kinds/networking/v1";
import { PodDisruptionBudget } from "@keelson/core/kinds/policy/v1";
import { Role, RoleBinding } from "@keelson/core/kinds/rbac/v1";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CacheLab, startCacheLab } from "../support/cache-world.ts";
import { deployment, labels, ownerWorld } from "../support/owner-world.ts";

let lab: CacheLab;
beforeAll(async () => {
  lab = await startCacheLab();
});
afterAll(async () => {
  await lab?.stop();
});

const service: ApplyConfiguration<Service> = {
  metadata: { name: "web" },
  spec: {
    type: "NodePort",
    clusterIP: "",
    publishNotReadyAddresses: false,
    selector: labels,
    ports: [{ name: "http", port: 80, targetPort: 8080, nodePort: 0, protocol: "TCP" }],
  },
};

const job = {
  backoffLimit: 0,
  ttlSecondsAfterFinished: 0,
  podFailurePolicy: {
    rules: [{ action: "Ignore" as const, onPodConditions: [{ type: "DisruptionTarget" }] }],
  },
  template: { spec: { restartPolicy: "Never" as const, containers: [{ name: "job", image: "job:1" }] } },
};

const claim = { accessModes: ["ReadWriteOnce" as const], resources: { requests: { storage: "0.5Gi" } } };

/** What is wanted of a kind, and what it is changed to. */
interface Example<T extends KubeObject = KubeObject> {
  readonly resource: Resource<T>;
  readonly wanted: ApplyConfiguration<T>;
  /** What somebody else does to it, which an apply takes back. */
  readonly drift: object;
}

function example<T extends KubeObject>(
  resource: Resource<T>,
  wanted: ApplyConfiguration<T>,
  drift: object,
): Example<T> {
  return { resource, wanted, drift };
}

const examples = [
  example(Deployment, deployment, { spec: { replicas: 3 } }),
  example(Service, service, { spec: { selector: { app: "web", version: "2" } } }),
  example(
    Ingress,
    {
      metadata: { name: "web" },
      spec: {
        rules: [
          {
            host: "web.example.com",
            http: {
              paths: [
                {
                  path: "/",
                  pathType: "Prefix",
                  backend: { service: { name: "web", port: { number: 80 } } },
                },
              ],
            },
          },
        ],
        tls: [{ hosts: ["web.example.com"], secretName: "web-tls" }],
      },
    },
    { spec: { tls: null } },
  ),
  example(
    HorizontalPodAutoscaler,
    {
      metadata: { name: "web" },
      spec: {
        scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
        minReplicas: 1,
        maxReplicas: 3,
        metrics: [
          {
            type: "Pods",
            pods: { metric: { name: "requests" }, target: { type: "AverageValue", averageValue: "0.5" } },
          },
        ],
        behavior: { scaleDown: { stabilizationWindowSeconds: 0 } },
      },
    },
    { spec: { maxReplicas: 5 } },
  ),
  example(
    CronJob,
    {
      metadata: { name: "web" },
      spec: {
        schedule: "0 3 * * *",
        suspend: false,
        startingDeadlineSeconds: 0,
        concurrencyPolicy: "Forbid",
        successfulJobsHistoryLimit: 0,
        jobTemplate: { spec: job },
      },
    },
    { spec: { startingDeadlineSeconds: null } },
  ),
  example(
    Job,
    { metadata: { name: "web" }, spec: { ...job, suspend: true } },
    {
      spec: { ttlSecondsAfterFinished: null },
    },
  ),
  example(
    ConfigMap,
    { metadata: { name: "web" }, data: { limits: "1000m", port: "80", empty: "" } },
    {
      data: { empty: null },
    },
  ),
  example(
    Secret,
    { metadata: { name: "web" }, stringData: { password: "hush", empty: "" } },
    {
      data: { password: "b3RoZXI=" },
    },
  ),
  example(
    PodDisruptionBudget,
    { metadata: { name: "web" }, spec: { maxUnavailable: 0, selector: { matchLabels: labels } } },
    { spec: { selector: { matchLabels: { version: "2" } } } },
  ),
  example(
    ServiceAccount,
    {
      metadata: { name: "web" },
      automountServiceAccountToken: false,
      imagePullSecrets: [{ name: "registry" }],
    },
    { imagePullSecrets: [{ name: "registry" }, { name: "other" }] },
  ),
  example(
    Role,
    {
      metadata: { name: "web" },
      rules: [{ apiGroups: [""], resources: ["secrets"], resourceNames: ["web"], verbs: ["get"] }],
    },
    { rules: [{ apiGroups: [""], resources: ["secrets"], verbs: ["get"] }] },
  ),
  example(
    RoleBinding,
    {
      metadata: { name: "web" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "web" },
      subjects: [
        { kind: "User", name: "jane" },
        { kind: "ServiceAccount", name: "web", namespace: "default" },
      ],
    },
    { subjects: null },
  ),
  example(
    NetworkPolicy,
    {
      metadata: { name: "web" },
      spec: {
        podSelector: {},
        ingress: [{ from: [{ podSelector: {} }], ports: [{ port: 80 }] }],
      },
    },
    { spec: { ingress: [{ from: [{ podSelector: {}, namespaceSelector: {} }], ports: [{ port: 80 }] }] } },
  ),
  example(
    PersistentVolumeClaim,
    { metadata: { name: "web", labels, finalizers: ["example.com/ours"] }, spec: claim },
    { metadata: { labels: { app: null } } },
  ),
  example(
    StatefulSet,
    {
      metadata: { name: "web" },
      spec: {
        serviceName: "web",
        replicas: 0,
        podManagementPolicy: "Parallel",
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: { containers: [{ name: "web", image: "web:1" }] },
        },
        volumeClaimTemplates: [
          { apiVersion: "v1", kind: "PersistentVolumeClaim", metadata: { name: "data" }, spec: claim },
        ],
      },
    },
    { spec: { template: { spec: { containers: [{ name: "web", image: "web:2" }] } } } },
  ),
].map(({ resource, wanted, drift }): [string, Example] => [resource.kind, { resource, wanted, drift }]);

describe("an owned object of kind", () => {
  it.each(examples)(
    "%s is created, then left alone, and brought back when it is changed",
    async (_, each) => {
      const { resource, wanted, drift } = each;
      const { apply, disturb, namespace, client } = await ownerWorld(lab);
      expect(await apply(resource, wanted)).toBe("created");
      expect(await apply(resource, wanted)).toBe("unchanged");
      // Also as the watch tells it, and after others have been there.
      await disturb(resource, "web", { metadata: { annotations: { "example.com/theirs": "1" } } });
      expect(await apply(resource, wanted)).toBe("unchanged");
      await disturb(resource, "web", drift);
      expect(await apply(resource, wanted)).toBe("updated");
      expect(await apply(resource, wanted)).toBe("unchanged");
      const { metadata } = await client.get(resource, { namespace, name: "web" });
      expect(metadata.annotations?.["example.com/theirs"]).toBe("1");
    },
  );
});
