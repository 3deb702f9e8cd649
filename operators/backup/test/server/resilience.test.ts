import {
  faults,
  faultyTransport,
  type InjectedFault,
  type RunningOperator,
  runOperator,
  startWorld,
  type World,
} from "@keelson/testkit";
import type { Transport } from "keelson/client";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { BackUp } from "../../src/api/back-up.ts";
import { backup } from "../../src/operator.ts";
import { BackUpSpace, endless, failing } from "../support/space.ts";

let world: World;

beforeAll(async () => {
  world = await startWorld(process.env.KEELSON_LEVEL);
});
afterAll(() => world?.stop());

/** Runs the operator in one namespace until the test ends. */
async function operatorOf(
  { namespace }: BackUpSpace,
  wrap?: (transport: Transport) => Transport,
): Promise<RunningOperator> {
  const operator = await runOperator(backup, {
    access: world.cluster,
    namespaces: [namespace],
    ...(wrap !== undefined && { wrap }),
  });
  onTestFinished(() => operator.stop());
  return operator;
}

describe("a new operator", () => {
  it("writes nothing if everything is settled", async () => {
    const space = await BackUpSpace.create(world);
    const first = await operatorOf(space);
    await space.create("done", { image: "backup:1", replicas: 2 });
    await space.create("failed", { image: "backup:1", ...failing });
    await space.create("paused", { image: "backup:1", suspend: true });
    await space.create("running", { image: "backup:1", timeout: "1h", ...endless });
    await space.create("hourly", { image: "backup:1", schedule: "@every 1h" });
    await space.create("nightly", {
      image: "backup:1",
      schedule: "0 0 1 1 *",
      retain: { successful: 0, failed: 0 },
      volumes: [{ name: "tmp", mountPath: "/tmp", emptyDir: {} }],
      resources: { limits: { cpu: "1500m", memory: 1048576 } },
      env: [{ name: "EMPTY", value: "" }],
    });
    await space.reaches("done", "Succeeded");
    await space.reaches("failed", "Failed");
    await space.reaches("paused", "Suspended");
    await space.reaches("running", "Running");
    await expect.poll(async () => (await space.get(BackUp, "running")).status?.active).toBe(1);
    await space.reaches("nightly", "Pending");
    await space.reaches("hourly", "Pending");
    await first.idle();
    await first.stop();
    const second = await operatorOf(space);
    await second.idle();
    expect(second.writes).toEqual([]);
  });

  it("records a run that finished while no operator was running", async () => {
    const space = await BackUpSpace.create(world);
    const first = await operatorOf(space);
    await space.create("unseen", { image: "backup:1", ...endless });
    await space.reaches("unseen", "Running");
    await first.stop();
    await space.endRun("job-unseen");
    await space.kubectl("wait", "job/job-unseen", "--for=condition=Complete", "--timeout=30s");
    await operatorOf(space);
    expect((await space.reaches("unseen", "Succeeded")).status).toMatchObject({ successes: 1 });
  });
});

describe("an operator", () => {
  it("continues after a restart of the API server", async () => {
    const space = await BackUpSpace.create(world);
    await operatorOf(space);
    await space.create("before", { image: "backup:1", updatePolicy: "Replace", ...endless });
    await space.reaches("before", "Running");
    await space.change("before", { image: "backup:2", podAnnotations: null });
    await world.cluster.restart("kube-apiserver");
    await expect.poll(() => space.find(BackUp, "before")).toBeDefined();
    await space.create("after", { image: "backup:1", schedule: "0 0 1 1 *" });
    expect((await space.reaches("before", "Succeeded")).status?.history).toMatchObject([
      { image: "backup:2", result: "Succeeded" },
      { image: "backup:1", result: "Replaced" },
    ]);
    await space.reaches("after", "Pending");
  });

  it("shows what is forbidden, and retries", async () => {
    const space = await BackUpSpace.create(world);
    const rules: InjectedFault[] = [];
    await operatorOf(space, (transport) => {
      const faulty = faultyTransport(transport);
      const job = { method: "PATCH", path: /\/jobs\/job-limited/ } as const;
      rules.push(faulty.fault(job, faults.refuse("Forbidden"), { times: Infinity }));
      return faulty;
    });
    await space.create("limited", { image: "backup:1" });
    await space.shows("limited", "Degraded", "True", "Rejected");
    for (const rule of rules) rule.remove();
    await space.reaches("limited", "Succeeded");
    await space.shows("limited", "Degraded", "False", "AsExpected");
    await expect.poll(() => space.eventsOf("limited")).toContain("Warning Rejected");
  });

  it.each([
    ["InternalError", "Degraded", "True", "Rejected"],
    ["ServiceUnavailable", "Progressing", "True", "Retrying"],
  ] as const)("claims nothing that %s kept from it, and retries", async (reason, type, status, shown) => {
    const space = await BackUpSpace.create(world);
    const rules: InjectedFault[] = [];
    await operatorOf(space, (transport) => {
      const faulty = faultyTransport(transport);
      const cronJob = { method: "PATCH", path: /\/cronjobs\/job-unapplied/ } as const;
      rules.push(faulty.fault(cronJob, faults.refuse(reason), { times: Infinity }));
      return faulty;
    });
    await space.create("unapplied", { image: "backup:1", schedule: "0 0 1 1 *" });
    await space.shows("unapplied", type, status, shown);
    await space.shows("unapplied", "UpToDate", "False", shown);
    for (const rule of rules) rule.remove();
    await space.shows("unapplied", "UpToDate", "True", "UpToDate");
    await space.shows("unapplied", "Degraded", "False", "AsExpected");
    expect((await space.reaches("unapplied", "Pending")).status?.nextRunTime).toMatch(/-01-01T00:00:00Z$/);
  });

  it("shows a final refusal also if the first write of the status fails", async () => {
    const space = await BackUpSpace.create(world);
    await operatorOf(space, (transport) => {
      const faulty = faultyTransport(transport);
      faulty.fault({ method: "PATCH", path: /\/backups\/refused\/status$/ }, faults.refuse("Conflict"));
      return faulty;
    });
    const resources = { requests: { cpu: 2 }, limits: { cpu: 1 } };
    await space.create("refused", { image: "backup:1", resources });
    await space.shows("refused", "Degraded", "True", "Rejected");
    await space.reaches("refused", "Failed");
    await expect.poll(() => space.eventsOf("refused")).toEqual(["Warning Rejected"]);
  });

  it("has metrics of every BackUp, from its status, as long as it exists", async () => {
    const space = await BackUpSpace.create(world);
    const first = await operatorOf(space);
    const { namespace } = space;
    await space.create("good", { image: "backup:1" });
    await space.create("bad", { image: "backup:1", ...failing });
    const { status } = await space.reaches("good", "Succeeded");
    await space.reaches("bad", "Failed");
    await first.stop();
    const second = await operatorOf(space);
    await second.idle();
    const lines = async () =>
      (await second.metrics()).split("\n").filter((line) => line.startsWith("keelson_backup_"));
    const seconds = Date.parse(status?.lastSuccessTime ?? "") / 1000;
    const ofGood = `{namespace="${namespace}",name="good"}`;
    const ofBad = `{namespace="${namespace}",name="bad"}`;
    const own = await lines();
    const value = (name: string): number =>
      Number(
        own
          .find((line) => line.startsWith(name))
          ?.split(" ")
          .at(-1),
      );
    expect(value(`keelson_backup_last_success_timestamp_seconds${ofGood}`)).toBe(seconds);
    expect(value(`keelson_backup_last_success_timestamp_seconds${ofBad}`)).toBeNaN();
    expect(value(`keelson_backup_last_duration_seconds${ofGood}`)).toBeGreaterThanOrEqual(0);
    expect(value(`keelson_backup_failures_total${ofGood}`)).toBe(0);
    expect(value(`keelson_backup_failures_total${ofBad}`)).toBe(1);
    expect(value(`keelson_backup_suspended${ofGood}`)).toBe(0);
    await space.kubectl("delete", "bks", "good", "bad");
    await expect.poll(lines).toEqual([]);
  });
});
