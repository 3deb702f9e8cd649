import { type RunningOperator, startWorld, type World } from "@keelson/testkit";
import { InvalidError } from "keelson";
import { CronJob, Job } from "keelson/kinds/batch/v1";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { BackUpSpecInput } from "../../src/api/spec.ts";
import { backup } from "../../src/operator.ts";
import { BackUpSpace } from "../support/space.ts";

let world: World;
let operator: RunningOperator;

beforeAll(async () => {
  world = await startWorld(process.env.KEELSON_LEVEL);
  operator = await world.runOperator(backup);
});
afterAll(() => world?.stop());

const container = { name: "main", image: "other:1" };
const template = { spec: { restartPolicy: "Never" as const, containers: [container] } };

describe("a name that is taken", () => {
  it("of a Job: the foreign object stays, and the status shows the problem until the name is free", async () => {
    const space = await BackUpSpace.create(world);
    const { namespace } = space;
    await world.client.create(Job, {
      metadata: { namespace, name: "job-mine" },
      spec: { template, suspend: true },
    });
    await space.create("mine", { image: "backup:1" });
    expect(await space.shows("mine", "Degraded", "True", "NameTaken")).toMatch(
      /^apply jobs\.batch .*job-mine: it exists already and it has no controller/,
    );
    await space.reaches("mine", "Failed");
    await expect.poll(() => space.eventsOf("mine")).toContain("Warning NameTaken");
    const writes = operator.writes.filter((write) => write.namespace === namespace);
    expect(writes.every(({ resource }) => resource === "backups.backup.keelson.dev")).toBe(true);
    await space.kubectl("delete", "job", "job-mine");
    await space.reaches("mine", "Succeeded");
    await space.shows("mine", "Degraded", "False", "AsExpected");
  });

  it("of a CronJob: the foreign object stays, and the status shows the problem", async () => {
    const space = await BackUpSpace.create(world);
    const { namespace } = space;
    const spec = { schedule: "0 0 1 1 *", jobTemplate: { spec: { template } } };
    await world.client.create(CronJob, { metadata: { namespace, name: "job-theirs" }, spec });
    await space.create("theirs", { image: "backup:1", schedule: "@daily" });
    await space.shows("theirs", "Degraded", "True", "NameTaken");
    expect((await space.get(CronJob, "job-theirs")).spec?.schedule).toBe("0 0 1 1 *");
  });
});

describe("a refusal of the API server", () => {
  it.each<[string, BackUpSpecInput, RegExp]>([
    ["a schedule", { image: "backup:1", schedule: "61 * * * *" }, /schedule/],
    ["a time zone", { image: "backup:1", schedule: "@daily", timeZone: "Europe/Olympus" }, /timeZone/],
    [
      "a template",
      { image: "backup:1", resources: { requests: { cpu: 2 }, limits: { cpu: 1 } } },
      /must be less than or equal to cpu limit/,
    ],
  ])("is shown with the message of the server until the spec changes: %s", async (_, spec, message) => {
    const space = await BackUpSpace.create(world);
    await space.create("refused", spec);
    expect(await space.shows("refused", "Degraded", "True", "Rejected")).toMatch(message);
    const { status } = await space.reaches("refused", "Failed");
    expect(status?.nextRunTime).toBeUndefined();
    await expect.poll(() => space.eventsOf("refused")).toEqual(["Warning Rejected"]);
    await space.change("refused", { schedule: null, timeZone: null, resources: null });
    await space.reaches("refused", "Succeeded");
    await space.shows("refused", "Degraded", "False", "AsExpected");
  });
});

it("shows that a schedule is never due, until it is changed", async () => {
  const space = await BackUpSpace.create(world);
  await space.create("never", { image: "backup:1", schedule: "0 0 30 2 *" });
  expect(await space.shows("never", "Degraded", "True", "NeverDue")).toBe(
    "the schedule 0 0 30 2 * is not due within five years; give it a day that exists, such as 0 3 1 * *",
  );
  const { status } = await space.reaches("never", "Failed");
  expect(status?.nextRunTime).toBeUndefined();
  await space.shows("never", "Progressing", "False", "NeverDue");
  await space.shows("never", "UpToDate", "True", "UpToDate");
  await expect.poll(() => space.eventsOf("never")).toEqual(["Warning NeverDue"]);
  await space.change("never", { schedule: "0 0 29 2 *" });
  expect((await space.reaches("never", "Pending")).status?.nextRunTime).toMatch(/-02-29T00:00:00Z$/);
  await space.shows("never", "Degraded", "False", "AsExpected");
});

describe("an invalid spec", () => {
  const image = "backup:1";
  const mount = { name: "data", mountPath: "/data" };

  it.each<[BackUpSpecInput, string]>([
    [{ image, timeZone: "Europe/Berlin" }, "timeZone needs a schedule"],
    [
      { image, schedule: "daily" },
      "must be of five fields, such as 0 3 * * *, or one of those that begin with @",
    ],
    [{ image, schedule: "TZ=UTC 0 3 * *" }, "must not name a time zone; timeZone does"],
    [
      { image, schedule: "@daily", timeZone: "Local" },
      "must be the name of a time zone, such as Europe/Berlin",
    ],
    [{ image, timeout: "500ms" }, "must be at least 1s"],
    [{ image, replicas: 0 }, "spec.replicas"],
    [{ image: "" }, "spec.image"],
    [{ image: "backup: 1" }, "must not contain blanks"],
    [{ image: "backup:1\n" }, "must not contain blanks"],
    [{ image, schedule: "@daily", timeZone: "europe/berlin" }, "in upper and lower case as there"],
    [
      {
        image,
        volumes: [
          { ...mount, emptyDir: {} },
          { ...mount, name: "other", emptyDir: {} },
        ],
      },
      "must not have two volumes with the same mountPath",
    ],
    [{ image, volumes: [{ ...mount, subPath: "a/../b", emptyDir: {} }] }, "must be a path within the volume"],
    [{ image, volumes: [{ ...mount, nfs: { server: "a", path: "b" } }] }, "spec.volumes[0].nfs.path"],
    [{ image, podLabels: { "job-name": "x" } }, "must not be job-name, controller-uid or"],
    [{ image, podLabels: { "controller-uid": "x" } }, "must not be job-name, controller-uid or"],
    [{ image, podLabels: { "batch.kubernetes.io/job-name": "x" } }, "reserved for the operator and for Jobs"],
    [
      { image, podAnnotations: { "batch.kubernetes.io/job-completion-index": "7" } },
      "reserved for the operator",
    ],
    [{ image, podLabels: { "not a label": "x" } }, "must have names such as tier or example.com/tier"],
    [{ image, podLabels: { ["a".repeat(64)]: "x" } }, "must have names such as tier or example.com/tier"],
    [{ image, podLabels: { tier: "not a value" } }, "must have values of letters"],
    [{ image, podAnnotations: { "/x": "x" } }, "must have names such as tier or example.com/tier"],
    [{ image, volumes: [mount] }, "must have exactly one source: persistentVolumeClaim, secret, configMap"],
    [
      { image, volumes: [{ ...mount, emptyDir: {}, secret: { secretName: "a" } }] },
      "must have exactly one source: persistentVolumeClaim, secret, configMap",
    ],
    [{ image, env: [{ name: "A", value: "b", valueFrom: {} }] }, "must not have both value and valueFrom"],
    [{ image, envFrom: [{ prefix: "A" }] }, "must be exactly one of secretRef, configMapRef"],
    [
      { image, podLabels: { "backup.keelson.dev/backup": "x" } },
      "which are reserved for the operator and for Jobs",
    ],
  ])("is refused: %j", async (spec, message) => {
    const space = await BackUpSpace.create(world);
    await expect(space.create("invalid", spec)).rejects.toThrow(message);
  });

  it.each(["a.b", "a".repeat(47)])("is refused with a name that its pods cannot have: %s", async (name) => {
    const space = await BackUpSpace.create(world);
    const created = space.create(name, { image });
    await expect(created).rejects.toThrow(InvalidError);
    await expect(created).rejects.toThrow("has no dots and at most 46 characters");
  });
});
