import { Job, type JobSpec } from "@keelson/core/kinds/batch/v1";
import { Pod, type PodStatus } from "@keelson/core/kinds/core/v1";
import { describe, expect, it } from "vitest";
import {
  startHollowPods,
  succeededStatus,
  type WorkloadWorld,
  workloadWorld,
} from "../../../../test/support/workload-world.ts";
import { startJobController } from "./job-controller.ts";
import { startTtlAfterFinishedController } from "./ttl-controller.ts";

const succeeding = startHollowPods(succeededStatus);
const failing = startHollowPods((pod, now) => failedStatus(pod, now, 1));

function failedStatus(pod: Pod, now: string, exitCode: number): PodStatus {
  const { containerStatuses = [], ...status } = succeededStatus(pod, now);
  return {
    ...status,
    phase: "Failed",
    containerStatuses: containerStatuses.map((container) => ({
      ...container,
      state: { terminated: { exitCode, startedAt: now, finishedAt: now } },
    })),
  };
}

function job(spec: Partial<JobSpec> = {}): Job {
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { namespace: "shop", name: "work" },
    spec: {
      template: { spec: { restartPolicy: "Never", containers: [{ name: "main", image: "tool" }] } },
      ...spec,
    },
  };
}

function names(world: WorkloadWorld): readonly (string | undefined)[] {
  return world.list(Pod).map(({ metadata }) => metadata.name);
}

describe("the Job controller", () => {
  it("runs pods until the desired number has succeeded, and reports as the real one does", async () => {
    const world = workloadWorld([startJobController, succeeding]);
    await world.create(Job, job({ completions: 2, parallelism: 1 }));
    const end = {
      status: "True",
      reason: "CompletionsReached",
      message: "Reached expected number of succeeded pods",
    };
    const { status } = world.get(Job, "work");
    expect(status).toMatchObject({
      ready: 0,
      succeeded: 2,
      terminating: 0,
      uncountedTerminatedPods: {},
      startTime: "2026-01-01T00:00:00Z",
      completionTime: "2026-01-01T00:00:00Z",
      conditions: [
        { type: "SuccessCriteriaMet", ...end },
        { type: "Complete", ...end },
      ],
    });
    expect(Object.keys(status ?? {})).not.toContain("active");
    const pods = world.list(Pod);
    expect(pods).toHaveLength(2);
    for (const pod of pods) {
      expect(pod.metadata.finalizers ?? []).toEqual([]);
      expect(pod.metadata.labels).toMatchObject({
        "job-name": "work",
        "batch.kubernetes.io/job-name": "work",
      });
      expect(pod.metadata.ownerReferences).toMatchObject([
        { apiVersion: "batch/v1", kind: "Job", controller: true },
      ]);
    }
    expect(world.events()).toContain("Normal Completed Job completed");
    expect(world.events().filter((text) => text.includes("SuccessfulCreate"))).toHaveLength(2);
    expect(world.errors).toEqual([]);
    const before = world.store.revision;
    await world.clock.advance(3_600_000);
    expect(world.store.revision).toBe(before);
    await world.stop();
  });

  it("shows the pods that run, and holds them with a finalizer until they are counted", async () => {
    const world = workloadWorld([startJobController]);
    await world.create(Job, job({ completions: 3, parallelism: 2 }));
    expect(world.get(Job, "work").status).toMatchObject({ active: 2, ready: 0, terminating: 0 });
    expect(world.list(Pod).map(({ metadata }) => metadata.finalizers)).toEqual([
      ["batch.kubernetes.io/job-tracking"],
      ["batch.kubernetes.io/job-tracking"],
    ]);
    await world.stop();
  });

  it("holds a pod that it takes over with the same finalizer", async () => {
    const world = workloadWorld([startJobController]);
    const labels = { app: "stray" };
    const spec = { restartPolicy: "Never", containers: [{ name: "main", image: "tool" }] } as const;
    await world.create(Pod, {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { namespace: "shop", name: "stray", labels },
      spec,
    });
    const template = { metadata: { labels }, spec };
    await world.create(Job, job({ manualSelector: true, selector: { matchLabels: labels }, template }));
    expect(world.list(Pod)).toMatchObject([
      {
        metadata: {
          name: "stray",
          finalizers: ["batch.kubernetes.io/job-tracking"],
          ownerReferences: [{ kind: "Job", name: "work" }],
        },
      },
    ]);
    await world.stop();
  });

  it("gives each pod of an indexed Job its index", async () => {
    const world = workloadWorld([startJobController, succeeding]);
    await world.create(Job, job({ completions: 3, parallelism: 2, completionMode: "Indexed" }));
    expect(world.get(Job, "work").status).toMatchObject({ completedIndexes: "0-2", succeeded: 3 });
    const pod = world.list(Pod).find(({ metadata }) => metadata.name?.startsWith("work-1-"));
    expect(pod).toMatchObject({
      metadata: {
        generateName: "work-1-",
        annotations: { "batch.kubernetes.io/job-completion-index": "1" },
        labels: { "batch.kubernetes.io/job-completion-index": "1" },
      },
      spec: {
        hostname: "work-1",
        containers: [
          {
            env: [
              {
                name: "JOB_COMPLETION_INDEX",
                valueFrom: {
                  fieldRef: { fieldPath: "metadata.labels['batch.kubernetes.io/job-completion-index']" },
                },
              },
            ],
          },
        ],
      },
    });
    await world.stop();
  });

  it("waits longer after each failure, and gives up after the limit", async () => {
    const world = workloadWorld([startJobController, failing]);
    await world.create(Job, job({ backoffLimit: 2 }));
    expect(world.list(Pod)).toHaveLength(1);
    await world.clock.advance(9_000);
    expect(world.list(Pod)).toHaveLength(1);
    await world.clock.advance(2_000);
    expect(world.list(Pod)).toHaveLength(2);
    await world.clock.advance(18_000);
    expect(world.list(Pod)).toHaveLength(2);
    await world.clock.advance(4_000);
    expect(world.list(Pod)).toHaveLength(3);
    const end = { reason: "BackoffLimitExceeded", message: "Job has reached the specified backoff limit" };
    expect(world.get(Job, "work").status).toMatchObject({
      failed: 3,
      conditions: [
        { type: "FailureTarget", ...end },
        { type: "Failed", ...end },
      ],
    });
    expect(world.events()).toContain(`Warning BackoffLimitExceeded ${end.message}`);
    expect(world.clock.pendingTimers).toEqual([]);
    await world.stop();
  });

  it("ends a Job that runs for too long", async () => {
    const world = workloadWorld([startJobController]);
    await world.create(Job, job({ activeDeadlineSeconds: 60 }));
    await world.clock.advance(59_000);
    expect(names(world)).toHaveLength(1);
    await world.clock.advance(2_000);
    expect(names(world)).toEqual([]);
    expect(world.get(Job, "work").status).toMatchObject({
      failed: 1,
      ready: 0,
      terminating: 0,
      conditions: [
        { type: "FailureTarget", reason: "DeadlineExceeded" },
        { type: "Failed", message: "Job was active longer than specified deadline" },
      ],
    });
    await world.stop();
  });

  it("takes the pods of a suspended Job away, without counting them, and starts again when it is resumed", async () => {
    const world = workloadWorld([startJobController]);
    await world.create(Job, job());
    const suspend = (value: boolean): Promise<Job> =>
      world.change(Job, "work", (object) => {
        const { spec } = object;
        return spec === undefined ? object : { ...object, spec: { ...spec, suspend: value } };
      });
    await suspend(true);
    expect(names(world)).toEqual([]);
    expect(world.get(Job, "work").status).toEqual({
      ready: 0,
      terminating: 0,
      uncountedTerminatedPods: {},
      conditions: [
        expect.objectContaining({
          type: "Suspended",
          status: "True",
          reason: "JobSuspended",
          message: "Job suspended",
        }),
      ],
    });
    await suspend(false);
    expect(names(world)).toHaveLength(1);
    expect(world.get(Job, "work").status).toMatchObject({
      active: 1,
      conditions: [{ type: "Suspended", status: "False", reason: "JobResumed", message: "Job resumed" }],
    });
    expect(world.events()).toContain("Normal Suspended Job suspended");
    expect(world.events()).toContain("Normal Resumed Job resumed");
    await world.stop();
  });

  it("fails at once, or not at all, as the policy for failures says", async () => {
    const rules: NonNullable<JobSpec["podFailurePolicy"]>["rules"] = [
      { action: "FailJob", onExitCodes: { operator: "In", values: [42] } },
      { action: "Ignore", onExitCodes: { operator: "In", values: [7] } },
    ];
    const world = workloadWorld([startJobController]);
    await world.create(Job, job({ podFailurePolicy: { rules }, backoffLimit: 0 }));
    const fail = async (exitCode: number): Promise<string> => {
      const pod = world.list(Pod).find(({ status }) => status?.phase === "Pending");
      if (pod === undefined) throw new Error("no pod is pending");
      await world.setPodStatus(pod.metadata.name, failedStatus(pod, "2026-01-01T00:00:00Z", exitCode));
      return pod.metadata.name;
    };
    await fail(7);
    await world.clock.advance(20_000);
    const name = await fail(42);
    const message = `Container main for pod shop/${name} failed with exit code 42 matching FailJob rule at index 0`;
    expect(world.get(Job, "work").status).toMatchObject({
      failed: 1,
      conditions: [{ type: "FailureTarget", reason: "PodFailurePolicy", message }, { type: "Failed" }],
    });
    await world.stop();
  });

  it("counts failures by index where the spec says so", async () => {
    const world = workloadWorld([
      startJobController,
      startHollowPods((pod, now) =>
        pod.spec?.hostname === "work-1" ? failedStatus(pod, now, 1) : succeededStatus(pod, now),
      ),
    ]);
    await world.create(
      Job,
      job({ completions: 3, parallelism: 3, completionMode: "Indexed", backoffLimitPerIndex: 1 }),
    );
    await world.clock.advance(30_000);
    expect(world.get(Job, "work").status).toMatchObject({
      completedIndexes: "0,2",
      failedIndexes: "1",
      succeeded: 2,
      failed: 2,
      conditions: [
        { type: "FailureTarget", reason: "FailedIndexes" },
        { type: "Failed", message: "Job has failed indexes" },
      ],
    });
    await world.stop();
  });

  it("succeeds when its success policy is met", async () => {
    const world = workloadWorld([
      startJobController,
      startHollowPods((pod, now) =>
        pod.spec?.hostname === "work-0" ? succeededStatus(pod, now) : undefined,
      ),
    ]);
    const successPolicy = { rules: [{ succeededIndexes: "0" }] };
    await world.create(
      Job,
      job({ completions: 2, parallelism: 2, completionMode: "Indexed", successPolicy }),
    );
    expect(world.get(Job, "work").status?.conditions).toMatchObject([
      { type: "SuccessCriteriaMet", reason: "SuccessPolicy", message: "Matched rules at index 0" },
      { type: "Complete", reason: "SuccessPolicy" },
    ]);
    await world.stop();
  });

  it("removes the finalizer from pods whose Job was deleted", async () => {
    const world = workloadWorld([startJobController]);
    await world.create(Job, job());
    await world.objects.delete(
      Job,
      { namespace: "shop", name: "work" },
      { manager: "tester", propagationPolicy: "Background" },
    );
    await world.settle();
    expect(world.list(Pod).map(({ metadata }) => metadata.finalizers ?? [])).toEqual([[]]);
    await world.stop();
  });
});

describe("the TTL controller", () => {
  it("deletes a finished Job after its time", async () => {
    const world = workloadWorld([startJobController, startTtlAfterFinishedController, succeeding]);
    await world.create(Job, job({ ttlSecondsAfterFinished: 100 }));
    await world.clock.advance(99_000);
    expect(world.get(Job, "work").metadata.deletionTimestamp).toBeUndefined();
    await world.clock.advance(2_000);
    expect(world.get(Job, "work").metadata.finalizers).toEqual(["foregroundDeletion"]);
    await world.stop();
  });
});
