import { type CaseGroup, type Creation, conforms, creations } from "../conformance-case.ts";
import type { Stage } from "../stage.ts";
import { container, type Fields, manifest, pod, service, template, workload } from "./manifests.ts";

const withContainer = (fields: Fields): Fields => pod("a", { containers: [{ ...container, ...fields }] });
const twice = [
  { name: "A", value: "1" },
  { name: "A", value: "2" },
];
const repeating = template({ containers: [{ ...container, env: twice }] });
const once = template({ restartPolicy: "Never", containers: [{ ...container, env: twice }] });

const pods: Readonly<Record<string, Fields>> = {
  "a variable hides another": withContainer({ env: twice }),
  "a variable adds to another": withContainer({
    env: [
      { name: "A", value: "1" },
      { name: "A", value: "$(A):2" },
    ],
  }),
  "a port is listed twice": withContainer({ ports: [{ containerPort: 80 }, { containerPort: 80 }] }),
  "a port is on the node once": withContainer({
    ports: [{ containerPort: 80 }, { containerPort: 80, hostPort: 30 }],
  }),
  "a port is on one address and on all": withContainer({
    ports: [
      { containerPort: 80, hostPort: 30, hostIP: "192.0.2.1" },
      { containerPort: 80, hostPort: 30 },
    ],
  }),
  "two containers have a port of one name": pod("a", {
    initContainers: [{ name: "first", image: "a", ports: [{ containerPort: 81, name: "web" }] }],
    containers: [{ ...container, ports: [{ containerPort: 80, name: "web" }] }],
  }),
  "memory is a part of a byte": withContainer({
    resources: { requests: { memory: "100m" }, limits: { memory: "1", "ephemeral-storage": "1500m" } },
  }),
  "a node selector names an old label": pod("a", { nodeSelector: { "beta.kubernetes.io/os": "linux" } }),
  "a spread selects nothing": pod("a", {
    topologySpreadConstraints: [
      {
        maxSkew: 1,
        topologyKey: "failure-domain.beta.kubernetes.io/zone",
        whenUnsatisfiable: "DoNotSchedule",
      },
    ],
  }),
  "a secret for images is named twice": pod("a", { imagePullSecrets: [{ name: "s" }, { name: "s" }] }),
};

/** Creates an object and changes it: its labels, its spec, its template. Only the warnings are shown. */
async function change(stage: Stage, resource: string, object: Fields, changes: readonly Fields[]) {
  const recordWarnings = async (method: "POST" | "PATCH", path: string, body: Fields): Promise<void> => {
    const type = method === "POST" ? "application/json" : "application/merge-patch+json";
    const headers = { "content-type": type };
    const reply = await stage.look({ method, path, headers, body: JSON.stringify(body) });
    const { warning = "none" } = reply.headers;
    stage.record(`${method} ${resource}`, { status: reply.status, warning });
  };
  await recordWarnings("POST", stage.path(resource), object);
  for (const one of changes) await recordWarnings("PATCH", stage.path(`${resource}/a`), one);
}

const labels = { metadata: { labels: { a: "b" } } };
const readiness = { spec: { minReadySeconds: 3 } };
const grace = { spec: { template: { spec: { terminationGracePeriodSeconds: -4 } } } };

export const warningCases: CaseGroup = {
  title: "warnings",
  cases: [
    ...creations(
      Object.entries(pods).map(([sentence, object]): Creation => [sentence, "pods?dryRun=All", object]),
    ),
    conforms("a workload is warned of when its spec changes", async (stage) => {
      for (const [kind, plural] of [
        ["Deployment", "deployments"],
        ["ReplicaSet", "replicasets"],
        ["StatefulSet", "statefulsets"],
      ] as const) {
        const object = workload(kind, "a", { replicas: 0, template: repeating });
        await change(stage, `apps/v1:${plural}`, object, [labels, readiness, grace]);
      }
      const controller = manifest("v1", "ReplicationController", "a", {
        spec: { replicas: 0, template: repeating },
      });
      await change(stage, "replicationcontrollers", controller, [labels, readiness]);
    }),
    conforms("a DaemonSet is warned of when its template changes", async (stage) => {
      const spec = { containers: [{ ...container, env: twice }], nodeSelector: { never: "there" } };
      const object = workload("DaemonSet", "a", { template: template(spec) });
      await change(stage, "apps/v1:daemonsets", object, [labels, readiness, grace]);
    }),
    conforms("a Job and a CronJob are warned of when their specs change", async (stage) => {
      const job = manifest("batch/v1", "Job", "a", { spec: { suspend: true, template: once } });
      await change(stage, "batch/v1:jobs", job, [labels, { spec: { parallelism: 2 } }]);
      const cronJob = manifest("batch/v1", "CronJob", "a", {
        spec: { suspend: true, schedule: "0 0 1 1 *", jobTemplate: { spec: { template: once } } },
      });
      await change(stage, "batch/v1:cronjobs", cronJob, [labels, { spec: { schedule: "1 0 1 1 *" } }]);
    }),
    conforms("a pod is warned of only at its creation", async (stage) => {
      const object = withContainer({ env: twice });
      await change(stage, "pods", object, [labels, { spec: { activeDeadlineSeconds: 500 } }]);
    }),
    conforms("a template of pods is warned of when it changes", async (stage) => {
      const object = manifest("v1", "PodTemplate", "a", { template: repeating });
      await change(stage, "podtemplates", object, [labels, { template: { spec: { subdomain: "x" } } }]);
    }),
    ...creations([
      [
        "the history of a StatefulSet has no end",
        "apps/v1:statefulsets?dryRun=All",
        workload("StatefulSet", "a", { revisionHistoryLimit: -1 }),
      ],
      [
        "a CronJob's name has a dot",
        "batch/v1:cronjobs?dryRun=All",
        manifest("batch/v1", "CronJob", "a.b", {
          spec: {
            schedule: "0 0 1 1 *",
            jobTemplate: { spec: { template: template({ restartPolicy: "Never" }) } },
          },
        }),
      ],
      [
        "an Ingress names its class as it was done before",
        "networking.k8s.io/v1:ingresses?dryRun=All",
        manifest("networking.k8s.io/v1", "Ingress", "a", {
          metadata: { annotations: { "kubernetes.io/ingress.class": "web" } },
          spec: { defaultBackend: { service: { name: "s", port: { number: 80 } } } },
        }),
      ],
      ["a Service gets no warning", "services?dryRun=All", service("a")],
    ]),
  ],
};
