import { type CaseGroup, type ConformanceCase, conforms } from "../conformance-case.ts";
import { field, type Stage } from "../stage.ts";
import { configMap, container, type Fields, manifest, pod, secret, service, workload } from "./manifests.ts";

const quota = (name: string, hard: Fields, spec: Fields = {}): Fields =>
  manifest("v1", "ResourceQuota", name, { spec: { hard, ...spec } });

const range = (name: string, ...limits: readonly Fields[]): Fields =>
  manifest("v1", "LimitRange", name, { spec: { limits } });

/** A pod whose only container has these resources. */
const podWith = (name: string, resources: Fields, spec: Fields = {}): Fields =>
  pod(name, { containers: [{ ...container, resources }], ...spec });

const cpu = (requests: string, limits = requests): Fields => ({
  requests: { cpu: requests },
  limits: { cpu: limits },
});

/** Creates a quota and waits until its use is known, to the controller and to admission. */
async function prepareQuota(stage: Stage, object: Fields): Promise<void> {
  const name = String(field(object, "metadata.name"));
  await stage.prepare(stage.path("resourcequotas"), object);
  await stage.until(
    stage.path(`resourcequotas/${name}`),
    (found) => field(found, "status.used") !== undefined,
  );
  await knownToAdmission(stage, name);
}

/** Admission reads quotas from a cache. It knows this one when it refuses for it a pod that no quota could allow. */
async function knownToAdmission(stage: Stage, name: string): Promise<void> {
  // The cache is in order: what another quota shows holds for the earlier ones.
  const probe = `probe-${name}`;
  await stage.prepare(
    stage.path("resourcequotas"),
    quota(probe, { "count/leases.coordination.k8s.io": "0" }),
  );
  await stage.untilAnswer(
    {
      method: "POST",
      path: `${stage.path("coordination.k8s.io/v1:leases")}?dryRun=All`,
      body: JSON.stringify(manifest("coordination.k8s.io/v1", "Lease", "probe", { spec: {} })),
    },
    (response) => JSON.stringify(response).includes("exceeded quota"),
  );
  await stage.remove(stage.path(`resourcequotas/${probe}`));
}

const used = (name: string, resource: string, amount: string) => (stage: Stage) =>
  stage.until(stage.path(`resourcequotas/${name}`), (object) => {
    const amounts = field(object, "status.used");
    return typeof amounts === "object" && amounts !== null && Reflect.get(amounts, resource) === amount;
  });

function quotaCase(name: string, object: Fields, run: (stage: Stage) => Promise<void>): ConformanceCase {
  return conforms(name, async (stage) => {
    await prepareQuota(stage, object);
    await run(stage);
    await stage.get(stage.path(`resourcequotas/${String(field(object, "metadata.name"))}`));
  });
}

/** Creates LimitRanges and waits until admission knows them. */
async function prepareRange(stage: Stage, object: Fields): Promise<void> {
  await stage.prepare(stage.path("limitranges"), object);
  await stage.prepare(
    stage.path("limitranges"),
    range("probe", { type: "PersistentVolumeClaim", min: { storage: "1Ti" } }),
  );
  await stage.untilAnswer(
    {
      method: "POST",
      path: `${stage.path("persistentvolumeclaims")}?dryRun=All`,
      body: JSON.stringify(claim("probe", "1Mi")),
    },
    (response) => JSON.stringify(response).includes("minimum storage usage"),
  );
  await stage.remove(stage.path("limitranges/probe"));
}

function claim(name: string, storage: string, spec: Fields = {}): Fields {
  return manifest("v1", "PersistentVolumeClaim", name, {
    spec: {
      accessModes: ["ReadWriteOnce"],
      storageClassName: "none",
      resources: { requests: { storage } },
      ...spec,
    },
  });
}

/** A LimitRange, and pods that are created under it. */
function rangeCase(name: string, item: Fields, ...pods: readonly Fields[]): ConformanceCase {
  return conforms(name, async (stage) => {
    await prepareRange(stage, range("bounds", item));
    for (const one of pods) await stage.create(stage.path("pods"), one);
  });
}

export const quotaCases: CaseGroup = {
  title: "quotas and limit ranges",
  cases: [
    quotaCase(
      "a quota counts objects",
      quota("few", { configmaps: "2", "count/secrets": "1" }),
      async (stage) => {
        await stage.create(stage.path("configmaps"), configMap("a"));
        await stage.create(stage.path("configmaps"), configMap("b"));
        await stage.create(stage.path("secrets"), secret("a"));
        await stage.create(stage.path("secrets"), secret("b"));
        await stage.kubectl("get resourcequota few");
        await stage.kubectl("describe resourcequota few");
      },
    ),
    quotaCase("deleted objects free their quota", quota("few", { secrets: "1" }), async (stage) => {
      await stage.create(stage.path("secrets"), secret("a"));
      await stage.delete(stage.path("secrets/a"));
      await used("few", "secrets", "0")(stage);
      await stage.create(stage.path("secrets"), secret("b"));
      await used("few", "secrets", "1")(stage);
    }),
    quotaCase("a dry run uses no quota", quota("few", { secrets: "1" }), async (stage) => {
      await stage.create(`${stage.path("secrets")}?dryRun=All`, secret("a"));
      await stage.create(stage.path("secrets"), secret("a"));
      await stage.create(`${stage.path("secrets")}?dryRun=All`, secret("b"));
    }),
    quotaCase("parallel requests never exceed a quota", quota("few", { secrets: "5" }), async (stage) => {
      const names = Array.from({ length: 20 }, (_, index) => `s${index}`);
      const replies = await Promise.all(
        names.map((name) =>
          stage.look({
            method: "POST",
            path: stage.path("secrets"),
            headers: { "content-type": "application/json" },
            body: JSON.stringify(secret(name)),
          }),
        ),
      );
      stage.record("statuses", replies.map(({ status }) => status).toSorted());
      await used("few", "secrets", "5")(stage);
    }),
    quotaCase(
      "a quota for compute resources demands them of every container",
      quota("compute", { "requests.cpu": "1", "limits.memory": "1Gi", pods: "4" }),
      async (stage) => {
        await stage.create(stage.path("pods"), pod("none"));
        await stage.create(
          stage.path("pods"),
          podWith("some", { requests: { cpu: "400m" }, limits: { memory: "300Mi" } }),
        );
        await stage.create(
          stage.path("pods"),
          podWith("much", { requests: { cpu: "700m" }, limits: { memory: "900Mi" } }),
        );
        await stage.kubectl("get resourcequota compute");
      },
    ),
    quotaCase(
      "an init container counts as far as it needs more",
      quota("compute", { cpu: "2", "requests.example.com/gpu": "3" }),
      async (stage) => {
        await stage.create(
          stage.path("pods"),
          pod("both", {
            containers: [
              {
                ...container,
                resources: { ...cpu("500m"), limits: { cpu: "500m", "example.com/gpu": "2" } },
              },
            ],
            initContainers: [
              { ...container, name: "first", resources: cpu("1500m") },
              { ...container, name: "side", restartPolicy: "Always", resources: cpu("100m") },
            ],
          }),
        );
      },
    ),
    quotaCase(
      "a finished pod frees its quota",
      quota("pods", { pods: "1", "count/pods": "2" }),
      async (stage) => {
        await stage.create(stage.path("pods"), pod("a"));
        await stage.create(stage.path("pods"), pod("b"));
        await stage.patch(stage.path("pods/a/status"), { status: { phase: "Succeeded" } });
        await used("pods", "pods", "0")(stage);
        await stage.create(stage.path("pods"), pod("b"));
        await used("pods", "pods", "1")(stage);
        await stage.create(stage.path("pods"), pod("c"));
      },
    ),
    quotaCase(
      "scopes choose the pods that count",
      quota("best-effort", { pods: "1" }, { scopes: ["BestEffort"] }),
      async (stage) => {
        await stage.create(stage.path("pods"), podWith("burstable", cpu("1m", "2m")));
        await stage.create(stage.path("pods"), pod("best"));
        await stage.create(stage.path("pods"), pod("second"));
      },
    ),
    quotaCase(
      "a pod with a deadline is terminating",
      quota("terminating", { pods: "1" }, { scopes: ["Terminating"] }),
      async (stage) => {
        await stage.create(stage.path("pods"), pod("lasting"));
        await stage.create(stage.path("pods"), pod("ending", { activeDeadlineSeconds: 600 }));
        await stage.patch(stage.path("pods/lasting"), { spec: { activeDeadlineSeconds: 600 } });
      },
    ),
    quotaCase(
      "a scope selector chooses priority classes",
      quota(
        "urgent",
        { pods: "0" },
        {
          scopeSelector: {
            matchExpressions: [
              { scopeName: "PriorityClass", operator: "In", values: ["system-cluster-critical"] },
            ],
          },
        },
      ),
      async (stage) => {
        await stage.create(stage.path("pods"), pod("plain"));
        await stage.create(
          stage.path("pods"),
          pod("urgent", { priorityClassName: "system-cluster-critical" }),
        );
      },
    ),
    quotaCase(
      "Services count by their type and ports",
      quota("network", { services: "3", "services.nodeports": "2", "services.loadbalancers": "1" }),
      async (stage) => {
        await stage.prepare(stage.path("services"), service("inner"));
        await stage.prepare(stage.path("services"), service("ports", { type: "NodePort" }));
        await stage.patch(stage.path("services/inner"), { spec: { type: "LoadBalancer" } });
        await stage.create(
          stage.path("services"),
          service("more", {
            type: "NodePort",
            ports: [
              { name: "a", port: 80 },
              { name: "b", port: 81 },
            ],
          }),
        );
      },
    ),
    quotaCase(
      "claims count by their class and size",
      quota("storage", {
        persistentvolumeclaims: "2",
        "requests.storage": "3Gi",
        "none.storageclass.storage.k8s.io/requests.storage": "1Gi",
      }),
      async (stage) => {
        await stage.create(stage.path("persistentvolumeclaims"), claim("a", "1Gi"));
        await stage.create(stage.path("persistentvolumeclaims"), claim("b", "1Gi"));
        await stage.create(
          stage.path("persistentvolumeclaims"),
          claim("c", "2500Mi", { storageClassName: "other" }),
        );
      },
    ),
    quotaCase("a changed quota is calculated again", quota("few", { secrets: "3" }), async (stage) => {
      await stage.create(stage.path("secrets"), secret("a"));
      await stage.patch(stage.path("resourcequotas/few"), { spec: { hard: { secrets: null, pods: "2" } } });
      await used("few", "pods", "0")(stage);
      await stage.patch(stage.path("resourcequotas/few"), {
        spec: { hard: { "count/deployments.apps": "1", "count/nothings.example.com": "4" } },
      });
      await used("few", "count/deployments.apps", "0")(stage);
    }),
    quotaCase("a controller reports that a quota is exceeded", quota("few", { pods: "1" }), async (stage) => {
      await stage.prepare(stage.path("apps/v1:replicasets"), workload("ReplicaSet", "web", { replicas: 2 }));
      const replicaSet = await stage.until(stage.path("apps/v1:replicasets/web"), (object) =>
        JSON.stringify(object).includes("ReplicaFailure"),
      );
      const conditions = JSON.stringify(field(replicaSet, "status.conditions"));
      stage.record("condition", conditions.replaceAll(/web-\w{5}/g, "web-name"));
    }),

    rangeCase(
      "a LimitRange gives defaults to containers",
      { type: "Container", default: { cpu: "500m", memory: "1Gi" }, defaultRequest: { cpu: "100m" } },
      pod("none"),
      podWith("own", cpu("200m")),
      pod("init", { initContainers: [{ ...container, name: "first" }] }),
    ),
    rangeCase(
      "a LimitRange bounds containers from below",
      { type: "Container", min: { cpu: "200m" }, default: { cpu: "1" } },
      podWith("small", cpu("100m")),
      podWith("low", { requests: { cpu: "100m" } }),
      podWith("enough", cpu("200m")),
    ),
    rangeCase(
      "a LimitRange bounds containers from above",
      { type: "Container", max: { memory: "1Gi" } },
      podWith("large", { limits: { memory: "2Gi" } }),
      podWith("fits", { limits: { memory: "1Gi" } }),
    ),
    rangeCase(
      "a LimitRange bounds the ratio of limit and request",
      { type: "Container", maxLimitRequestRatio: { cpu: "2" } },
      podWith("wide", cpu("100m", "300m")),
      podWith("close", cpu("100m", "200m")),
      podWith("open", { requests: { cpu: "100m" } }),
      pod("none"),
    ),
    rangeCase(
      "a LimitRange bounds whole pods",
      { type: "Pod", max: { cpu: "1" }, min: { cpu: "100m" } },
      podWith("small", cpu("50m")),
      pod("two", {
        containers: [
          { ...container, resources: cpu("600m") },
          { ...container, name: "other", resources: cpu("600m") },
        ],
      }),
      pod("none"),
      podWith("fits", cpu("1")),
    ),
    conforms("a LimitRange bounds claims", async (stage) => {
      await prepareRange(
        stage,
        range("bounds", { type: "PersistentVolumeClaim", min: { storage: "1Gi" }, max: { storage: "2Gi" } }),
      );
      for (const [name, size] of [
        ["small", "1Mi"],
        ["large", "3Gi"],
        ["fits", "2Gi"],
      ] as const) {
        await stage.create(stage.path("persistentvolumeclaims"), claim(name, size));
      }
      await stage.kubectl("describe limitrange bounds");
    }),
    conforms("limits are checked after defaults are set", async (stage) => {
      await prepareRange(
        stage,
        range("bounds", { type: "Container", max: { cpu: "1" }, min: { cpu: "1m" } }),
      );
      await stage.create(stage.path("pods"), pod("none"));
      await stage.create(stage.path("pods"), podWith("large", { requests: { cpu: "2" } }));
    }),
  ],
};
