import { type RunningOperator, startWorld, type World } from "@keelson/testkit";
import { ForbiddenError, mergePatch, systemClock } from "keelson";
import { mapCalls } from "keelson/client";
import { Deployment } from "keelson/kinds/apps/v1";
import { CronJob, Job } from "keelson/kinds/batch/v1";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { annotationKeys } from "../../src/api/annotation-keys.ts";
import { ReloadRecord } from "../../src/api/reload-record.ts";
import { reloader } from "../../src/operator.ts";
import { beginRecreation } from "../../src/reload/job.ts";
import type { ReloadRequest } from "../../src/reload/reload-request.ts";
import {
  SecretProviderClass,
  SecretProviderClassPodStatus,
} from "../../src/resource/secret-provider-class.ts";
import { DeploymentConfig, Rollout, valueAt, workloadOf } from "../../src/workload/workload-kinds.ts";
import { installKinds } from "../support/custom-kinds.ts";
import { ReloaderSpace } from "../support/space.ts";
import { createWorkload, endless, getWorkload } from "../support/workloads.ts";

let world: World;
let operator: RunningOperator;

beforeAll(async () => {
  world = await startWorld(process.env.KEELSON_LEVEL);
  operator = await world.runOperator(reloader, { settings: { coalesceWindow: "100ms" }, servedCheckMs: 200 });
});
afterAll(() => world?.stop());

const keys = annotationKeys();
const auto = { [keys.auto]: "true" };

/** Resolves when a workload was reloaded so often, by its record. */
async function isReloaded(space: ReloaderSpace, kind: string, name: string, times = 1): Promise<void> {
  const counted = async () => (await space.record(name, kind))?.status?.reloadCount;
  await expect.poll(counted).toBe(times);
}

describe("a CronJob", () => {
  const runNow = { ...auto, [keys.cronJobPolicy]: "run-now" };

  it("has a new template after a reload, and runs at once only if its policy says so and it is not suspended", async () => {
    const space = await ReloaderSpace.create(world);
    await space.createSecret("db", { password: "one" });
    await createWorkload(space, "CronJob", "patched", { annotations: auto });
    await createWorkload(space, "CronJob", "now", { annotations: runNow });
    await createWorkload(space, "CronJob", "suspended", { annotations: runNow, spec: { suspend: true } });
    for (const name of ["patched", "now", "suspended"]) await space.isAdopted(name, "cronjob");
    await space.changeSecret("db", { password: "two" });
    for (const name of ["patched", "now", "suspended"]) {
      await isReloaded(space, "cronjob", name);
      const { jobTemplate } = (await space.get(CronJob, name)).spec;
      const { containers } = jobTemplate.spec?.template.spec ?? { containers: [] };
      expect(containers[0]?.env).toMatchObject([{ name: "RELOADER_TRIGGERED_AT" }]);
    }
    const jobs = await space.list(Job);
    expect(jobs).toMatchObject([
      {
        metadata: {
          name: expect.stringMatching(/^now-[0-9a-f]{10}$/),
          annotations: { "cronjob.kubernetes.io/instantiate": "manual" },
          ownerReferences: [{ kind: "CronJob", name: "now", controller: true }],
        },
      },
    ]);
    await space.changeSecret("db", { password: "one" });
    await isReloaded(space, "cronjob", "now", 2);
    expect(await space.list(Job)).toHaveLength(2);
  });
});

describe("a Job", () => {
  const recreate = { ...auto, [keys.jobPolicy]: "recreate" };

  it("is replaced only if its policy says so, and never if it has finished or belongs to a CronJob", async () => {
    const space = await ReloaderSpace.create(world);
    await space.createSecret("db", { password: "one" });
    const running = { templateAnnotations: endless };
    await createWorkload(space, "Job", "finished", { annotations: recreate });
    await space.kubectl("wait", "job/finished", "--for=condition=Complete", "--timeout=30s");
    await createWorkload(space, "Job", "kept", { ...running, annotations: auto });
    await createWorkload(space, "Job", "replaced", { ...running, annotations: recreate });
    const owner = await createWorkload(space, "CronJob", "nightly", {
      spec: { suspend: true },
    });
    await createWorkload(space, "Job", "nightly-1", { ...running, annotations: recreate, owner });
    const uidsOf = async () =>
      Object.fromEntries((await space.list(Job)).map(({ metadata }) => [metadata.name, metadata.uid]));
    const before = await uidsOf();
    await space.isAdopted("replaced", "job");
    await space.changeSecret("db", { password: "two" });
    await expect.poll(async () => (await uidsOf()).replaced ?? before.replaced).not.toBe(before.replaced);
    await operator.idle();
    const after = await uidsOf();
    expect({ ...after, replaced: before.replaced }).toEqual(before);
    const successor = await space.get(Job, "replaced");
    expect(successor.spec?.template.spec?.containers[0]?.env).toMatchObject([
      { name: "RELOADER_TRIGGERED_AT" },
    ]);
    await expect.poll(async () => (await space.get(Job, "replaced")).status?.active).toBe(1);
    await space.isAdopted("replaced", "job");
    const record = await space.record("replaced", "job");
    expect(record).toMatchObject({
      spec: { uid: after.replaced },
      metadata: { ownerReferences: [{ kind: "Job" }] },
    });
    expect(record?.status?.recreatedJob).toBeUndefined();
  });

  const status = { apiVersion: "v1", kind: "Status" } as const;

  it("is kept if the server would refuse its successor", async () => {
    const space = await ReloaderSpace.create(world);
    await space.createSecret("db", { password: "one" });
    const object = await createWorkload(space, "Job", "kept", {
      annotations: recreate,
      templateAnnotations: endless,
    });
    await space.isAdopted("kept", "job");
    const record = await space.get(ReloadRecord, "job-kept");
    const refusing = mapCalls(world.client, (call) => {
      if (call.verb === "create")
        throw new ForbiddenError("create jobs.batch", { ...status, message: "a policy forbids it" });
      return call;
    });
    const request: ReloadRequest = {
      ...{ workload: workloadOf("Job", object), strategy: "env-vars", changes: [] },
      ...{ time: new Date().toISOString(), hash: "hash", previousReloads: 0 },
    };
    const context = { client: refusing, liveClient: world.client, clock: systemClock, keys };
    await expect(beginRecreation(context, request, record, {})).rejects.toThrow("a policy forbids it");
    expect((await space.get(ReloadRecord, "job-kept")).status?.recreatedJob).toBeUndefined();
  });
});

describe("kinds that are installed while the operator runs", () => {
  const restart = { ...auto, [keys.rolloutStrategy]: "restart" };

  it("are reloaded from then on", async () => {
    const space = await ReloaderSpace.create(world);
    await space.createSecret("db", { password: "one" });
    await installKinds(world, Rollout, DeploymentConfig, SecretProviderClass, SecretProviderClassPodStatus);
    await createWorkload(space, "Rollout", "canary", { annotations: auto });
    await createWorkload(space, "Rollout", "restarted", { annotations: restart });
    await createWorkload(space, "DeploymentConfig", "config", { annotations: auto });
    for (const [name, annotations] of [
      ["referring", auto],
      ["referring-restarted", restart],
    ] as const) {
      await createWorkload(space, "Deployment", `${name}-template`, { spec: { replicas: 0 } });
      const workloadRef = { apiVersion: "apps/v1", kind: "Deployment", name: `${name}-template` };
      await createWorkload(space, "Rollout", name, {
        annotations,
        spec: { template: undefined, workloadRef },
      });
    }
    const reloaded = [
      ["rollout", "canary"],
      ["rollout", "restarted"],
      ["deploymentconfig", "config"],
      ["deployment", "referring-template"],
      ["rollout", "referring-restarted"],
    ] as const;
    for (const [kind, name] of reloaded) await space.isAdopted(name, kind);
    await space.changeSecret("db", { password: "two" });
    for (const [kind, name] of reloaded) await isReloaded(space, kind, name);
    for (const kind of ["Rollout", "DeploymentConfig"] as const) {
      const object = await getWorkload(space, kind, kind === "Rollout" ? "canary" : "config");
      expect(valueAt(object, "spec", "template")).toMatchObject({
        metadata: { annotations: { [keys.resourceHash]: expect.any(String) } },
        spec: { containers: [{ env: [{ name: "RELOADER_TRIGGERED_AT" }] }] },
      });
      expect(valueAt(object, "spec", "restartAt")).toBeUndefined();
    }
    for (const name of ["restarted", "referring-restarted"]) {
      const object = await getWorkload(space, "Rollout", name);
      expect(valueAt(object, "spec", "restartAt")).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
      expect(object.metadata.annotations).toMatchObject({
        [keys.lastReload]: expect.any(String),
        [keys.resourceHash]: expect.any(String),
      });
      expect(JSON.stringify(valueAt(object, "spec", "template") ?? {})).not.toContain(
        "RELOADER_TRIGGERED_AT",
      );
    }
    expect((await space.get(Deployment, "referring-restarted-template")).metadata.generation).toBe(1);
    expect(await space.record("referring", "rollout")).toBeUndefined();
    await operator.idle();
    for (const [kind, name] of reloaded) await isReloaded(space, kind, name);
  });

  it("of the Secrets Store CSI driver reload the workloads that mount them", async () => {
    const space = await ReloaderSpace.create(world);
    const { namespace } = space;
    await world.client.create(SecretProviderClass, { metadata: { namespace, name: "vault" } });
    const statusOf = (version: string) => ({
      ...{ mounted: true, podName: "web-1", secretProviderClassName: "vault", targetPath: "/" },
      objects: [{ id: "secret/password", version }],
    });
    await world.client.create(SecretProviderClassPodStatus, {
      metadata: { namespace, name: "web-1-vault" },
      status: statusOf("1"),
    });
    await createWorkload(space, "Deployment", "web", {
      annotations: auto,
      pod: {
        containers: [{ name: "app", image: "app", volumeMounts: [{ name: "vault", mountPath: "/vault" }] }],
        volumes: [
          {
            name: "vault",
            csi: { driver: "secrets-store.csi.k8s.io", volumeAttributes: { secretProviderClass: "vault" } },
          },
        ],
      },
    });
    await expect
      .poll(async () => (await space.record("web"))?.status?.baselines)
      .toHaveProperty([`${namespace}/SecretProviderClass/vault`]);
    await world.client.patch(
      SecretProviderClassPodStatus,
      { namespace, name: "web-1-vault" },
      mergePatch({ status: statusOf("2") }),
    );
    await space.isReloaded("web");
  });
});
