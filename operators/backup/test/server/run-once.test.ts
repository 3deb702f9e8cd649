import { fileURLToPath } from "node:url";
import { type RunningOperator, startWorld, type World } from "@keelson/testkit";
import { controllerOf } from "keelson";
import { Job } from "keelson/kinds/batch/v1";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BackUp } from "../../src/api/back-up.ts";
import { runAgainAnnotation } from "../../src/api/names.ts";
import { backup } from "../../src/operator.ts";
import { reconcilesOf } from "../support/reconciles.ts";
import { SeenPhases } from "../support/seen-phases.ts";
import { BackUpSpace, endless, failing } from "../support/space.ts";

let world: World;
let operator: RunningOperator;

beforeAll(async () => {
  world = await startWorld(process.env.KEELSON_LEVEL);
  operator = await world.runOperator(backup);
});
afterAll(() => world?.stop());

describe("the seed's BackUp", () => {
  it("is created, changed and deleted by the seed's own kubectl lines", { timeout: 150_000 }, async () => {
    const space = await BackUpSpace.create(world);
    const sample = fileURLToPath(new URL("../../samples/mybackup.yaml", import.meta.url));
    await using seen = await SeenPhases.of(world.client, space.namespace, "mybackup");
    expect(await space.kubectl("apply", "-f", sample)).toBe("backup.backup.keelson.dev/mybackup created\n");
    const first = await space.reaches("mybackup", "Succeeded");
    expect(first.status).toMatchObject({
      active: 0,
      completed: 5,
      successes: 1,
      failures: 0,
      history: [{ job: "job-mybackup", result: "Succeeded", image: "linux-image", type: "full" }],
    });
    // The operator may skip a phase that is over before its next reconcile.
    await expect.poll(() => seen.phases.join(" ")).toMatch(/^(none )?(Pending )?(Running )?Succeeded$/);

    const { metadata, spec } = await space.get(Job, "job-mybackup");
    expect(spec).toMatchObject({ parallelism: 5, completions: 5, completionMode: "Indexed" });
    expect(spec?.template.spec?.containers).toMatchObject([
      { image: "linux-image", command: ["/run/backup", "--type=full"] },
    ]);

    await world.cluster.kubectl(["-n", space.namespace, "edit", "bks", "mybackup"], {
      env: { KUBE_EDITOR: "sed -i s/linux-image/linux-image:2/" },
    });
    await expect.poll(async () => (await space.get(BackUp, "mybackup")).status?.successes).toBe(2);
    const renewed = await space.get(Job, "job-mybackup");
    expect(renewed.metadata.uid).not.toBe(metadata.uid);
    expect(renewed.spec?.template.spec?.containers[0]?.image).toBe("linux-image:2");
    const { status } = await space.get(BackUp, "mybackup");
    expect(status?.history?.map(({ image }) => image)).toEqual(["linux-image:2", "linux-image"]);
    await expect.poll(() => [...seen.messages]).toContain("Image Updated");
    expect(seen.phases).toContain("Updating");

    await space.kubectl("delete", "bks", "mybackup");
    await space.isEmptied();
  });

  it("is shown by kubectl get with its phase", async () => {
    const space = await BackUpSpace.create(world);
    await space.create("shown", { image: "backup:1", backupType: "incremental" });
    await space.reaches("shown", "Succeeded");
    const [head = "", line = ""] = (await space.kubectl("get", "bks", "-o", "wide")).split("\n");
    expect(head.split(/ {2,}/).map((column) => column.trim())).toEqual([
      "NAME",
      "TYPE",
      "SCHEDULE",
      "PHASE",
      "ACTIVE",
      "LAST SUCCESS",
      "NEXT RUN",
      "IMAGE",
      "AGE",
    ]);
    expect(line).toMatch(/^shown +incremental +Succeeded +0 +\d+s +backup:1 +\d+s$/);
  });
});

describe("a BackUp that runs once", () => {
  it("owns its Job, whose pods have every field of the spec", async () => {
    const space = await BackUpSpace.create(world);
    const owner = await space.create("whole", {
      image: "backup:1",
      replicas: 2,
      backupType: "differential",
      args: ["--verbose"],
      timeout: "1h30m",
      retries: 7,
      resources: { requests: { cpu: 1, memory: "64Mi" } },
      env: [{ name: "TARGET", value: "s3" }],
      envFrom: [{ secretRef: { name: "keys", optional: true } }],
      volumes: [
        { name: "data", mountPath: "/data", readOnly: true, persistentVolumeClaim: { claimName: "data" } },
        { name: "scratch", mountPath: "/tmp", emptyDir: { sizeLimit: "1Gi" } },
      ],
      imagePullSecrets: [{ name: "registry" }],
      suspend: true,
      podLabels: { team: "storage" },
    });
    await space.reaches("whole", "Suspended");
    const job = await space.get(Job, "job-whole");
    expect(controllerOf(job)).toMatchObject({ kind: "BackUp", name: "whole", uid: owner.metadata.uid });
    expect(job.spec).toMatchObject({ activeDeadlineSeconds: 5400, backoffLimit: 7, suspend: true });
    expect(job.spec?.template.metadata?.labels).toMatchObject({
      team: "storage",
      "backup.keelson.dev/backup": "whole",
    });
    expect(job.spec?.template.spec).toMatchObject({
      restartPolicy: "Never",
      automountServiceAccountToken: false,
      imagePullSecrets: [{ name: "registry" }],
      volumes: [
        { name: "data", persistentVolumeClaim: { claimName: "data" } },
        { name: "scratch", emptyDir: { sizeLimit: "1Gi" } },
      ],
      containers: [
        {
          command: ["/run/backup", "--type=differential"],
          args: ["--verbose"],
          env: [{ name: "TARGET", value: "s3" }],
          envFrom: [{ secretRef: { name: "keys", optional: true } }],
          resources: { requests: { cpu: "1", memory: "64Mi" } },
          volumeMounts: [
            { name: "data", mountPath: "/data", readOnly: true },
            { name: "scratch", mountPath: "/tmp" },
          ],
        },
      ],
    });
  });

  it("records a run that failed, and runs again when the annotation changes, but not when it is removed", async () => {
    const space = await BackUpSpace.create(world);
    await space.create("fails", { image: "backup:1", ...failing });
    const { status } = await space.reaches("fails", "Failed");
    expect(status).toMatchObject({
      successes: 0,
      failures: 1,
      history: [{ result: "Failed", reason: "BackoffLimitExceeded" }],
    });
    expect(await space.shows("fails", "Succeeded", "False", "JobFailed")).toMatch(
      /^Job job-fails failed after/,
    );
    await space.kubectl("annotate", "bks", "fails", `${runAgainAnnotation}=please`);
    await expect.poll(async () => (await space.get(BackUp, "fails")).status?.failures).toBe(2);
    await expect.poll(() => space.eventsOf("fails")).toEqual(["Normal CreatedJob", "Warning JobFailed"]);
    // The history keeps one failed run, and those whose Jobs exist.
    await expect.poll(async () => (await space.get(BackUp, "fails")).status?.history?.length).toBe(1);
    const before = await reconcilesOf(operator);
    await space.kubectl("annotate", "bks", "fails", `${runAgainAnnotation}-`);
    await expect.poll(() => reconcilesOf(operator)).toBeGreaterThan(before);
    await operator.idle();
    expect((await space.reaches("fails", "Failed")).status).toMatchObject({
      failures: 2,
      runAgain: "please",
    });
  });

  it("does not run again when the Job of a finished run is deleted", async () => {
    const space = await BackUpSpace.create(world);
    await space.create("done", { image: "backup:1" });
    await space.reaches("done", "Succeeded");
    await operator.idle();
    for (const step of ["delete job job-done", "annotate bks done touched=yes"]) {
      const before = await reconcilesOf(operator);
      await space.kubectl(...step.split(" "));
      await expect.poll(() => reconcilesOf(operator)).toBeGreaterThan(before);
      await operator.idle();
    }
    expect(await space.jobs()).toEqual([]);
    expect((await space.get(BackUp, "done")).status).toMatchObject({
      phase: "Succeeded",
      history: [{ job: "job-done" }],
    });
  });

  it("gets another Job when a user deletes one that runs", async () => {
    const space = await BackUpSpace.create(world);
    await space.create("recreated", { image: "backup:1", ...endless });
    await space.reaches("recreated", "Running");
    const { metadata } = await space.get(Job, "job-recreated");
    await space.kubectl("delete", "job", "job-recreated");
    await expect.poll(async () => (await space.find(Job, "job-recreated"))?.metadata.uid).toBeDefined();
    expect((await space.get(Job, "job-recreated")).metadata.uid).not.toBe(metadata.uid);
    const { status } = await space.reaches("recreated", "Running");
    expect(status).toMatchObject({
      history: [{ uid: metadata.uid, result: "Deleted" }],
      successes: 0,
      failures: 0,
    });
    await expect.poll(() => space.eventsOf("recreated")).toContain("Warning JobDeleted");
  });

  it("takes more workers, retries and time while it runs, without another Job", async () => {
    const space = await BackUpSpace.create(world);
    await space.create("scaled", { image: "backup:1", ...endless });
    await space.reaches("scaled", "Running");
    const { metadata } = await space.get(Job, "job-scaled");
    await space.change("scaled", { replicas: 3, retries: 9, timeout: "1h" });
    await expect
      .poll(async () => (await space.get(Job, "job-scaled")).spec)
      .toMatchObject({ parallelism: 3, completions: 3, backoffLimit: 9, activeDeadlineSeconds: 3600 });
    await expect.poll(async () => (await space.get(BackUp, "scaled")).status?.active).toBe(3);
    await space.change("scaled", { timeout: null });
    await expect
      .poll(async () => (await space.get(Job, "job-scaled")).spec?.activeDeadlineSeconds)
      .toBeUndefined();
    expect((await space.get(Job, "job-scaled")).metadata.uid).toBe(metadata.uid);
  });

  it("stops its workers when it is suspended, and starts them again when it is resumed", async () => {
    const space = await BackUpSpace.create(world);
    await space.create("paused", { image: "backup:1", ...endless });
    await space.reaches("paused", "Running");
    await space.change("paused", { suspend: true });
    const { status } = await space.reaches("paused", "Suspended");
    expect(status?.active).toBe(0);
    await space.shows("paused", "Progressing", "False", "Suspended");
    await space.change("paused", { suspend: false });
    await space.reaches("paused", "Running");
    await expect.poll(async () => (await space.get(BackUp, "paused")).status?.active).toBe(1);
  });

  it("is deleted with its Jobs while they run", { timeout: 150_000 }, async () => {
    const space = await BackUpSpace.create(world);
    await space.create("deleted", { image: "backup:1", ...endless });
    await space.reaches("deleted", "Running");
    await space.kubectl("delete", "bks", "deleted", "--wait=false");
    await space.isEmptied();
    expect(await space.find(BackUp, "deleted")).toBeUndefined();
  });
});
