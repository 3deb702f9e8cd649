import {
  describeWrite,
  type FaultyTransport,
  faults,
  faultyTransport,
  type RequestMatch,
  type RunningOperator,
  runOperator,
  startWorld,
  type World,
} from "@keelson/testkit";
import { Manager } from "keelson";
import { connect } from "keelson/client";
import { Deployment } from "keelson/kinds/apps/v1";
import { ConfigMap } from "keelson/kinds/core/v1";
import { operatorCacheKinds } from "keelson/manager";
import { installCrds } from "keelson/object";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { ReloadRecord } from "../../src/api/reload-record.ts";
import { ReloaderConfig } from "../../src/api/reloader-config.ts";
import { reloader } from "../../src/operator.ts";
import { ReloaderSpace, usingContainer } from "../support/space.ts";

let world: World;

beforeAll(async () => {
  world = await startWorld(process.env.KEELSON_LEVEL);
});
afterAll(() => world?.stop());

const settings = { coalesceWindow: "50ms" };
const auto = { "reloader.stakater.com/auto": "true" };

/** Runs the operator in one namespace until the test ends. */
async function operatorOf({ namespace }: ReloaderSpace): Promise<RunningOperator> {
  const operator = await runOperator(reloader, { access: world.cluster, namespaces: [namespace], settings });
  onTestFinished(() => operator.stop());
  return operator;
}

/** A Secret of the same name for each Deployment, which uses it. */
async function createPairs(space: ReloaderSpace, ...names: readonly string[]): Promise<void> {
  for (const name of names) {
    await space.createSecret(name, { password: "one" });
    const containers = [usingContainer({ secret: name })];
    await space.createDeployment(name, { annotations: auto, spec: { containers } });
  }
}

async function areAdopted(space: ReloaderSpace, ...names: readonly string[]): Promise<void> {
  for (const name of names) await space.isAdopted(name);
}

/** The writes of an operator that change workloads. */
function reloadsBy({ writes }: RunningOperator): readonly string[] {
  return writes.map(describeWrite).filter((write) => !write.includes("reloadrecord"));
}

function patchOf({ namespace }: ReloaderSpace, name: string): RequestMatch {
  return { method: "PATCH", path: new RegExp(`/namespaces/${namespace}/deployments/${name}$`) };
}

function recordWriteOf({ namespace }: ReloaderSpace, name: string): RequestMatch {
  return { path: new RegExp(`/namespaces/${namespace}/reloadrecords/deployment-${name}/status$`) };
}

/** Webhooks are not served here. */
const noCertificates = {
  load: async () => undefined,
  current: () => {
    throw new Error("there is no certificate");
  },
  run: async () => undefined,
};

/** Runs the operator as one of several replicas, which elect a leader, until it is stopped. */
async function startReplica({ namespace }: ReloaderSpace, identity: string) {
  const { kubeconfigPath } = world.cluster;
  const connection = await connect({ kubeconfigPath });
  const operator = reloader.withSettings(settings);
  const manager = new Manager({
    client: connection.client,
    cache: { kinds: operatorCacheKinds([operator]), defaults: { namespaces: { [namespace]: {} } } },
    leaderElection: { renewIn: "thread", lease: { namespace, name: "reloader" }, identity },
    metrics: { port: -1 },
    health: { port: -1 },
    webhooks: { port: -1, certificates: noCertificates },
  });
  await operator.setup(manager);
  const end = new AbortController();
  const running = manager.run(end.signal);
  const stop = async (): Promise<void> => {
    end.abort(new Error("the replica is stopped"));
    await running;
    await connection[Symbol.asyncDispose]();
  };
  return { manager, stop };
}

describe("an operator that starts", () => {
  it("reloads exactly the workloads whose Secrets have changed while none ran, once", async () => {
    const space = await ReloaderSpace.create(world);
    await createPairs(space, "a", "b", "c");
    const first = await operatorOf(space);
    await areAdopted(space, "a", "b", "c");
    await first.kill();
    await space.changeSecret("a", { password: "two" });
    await space.changeSecret("a", { password: "three" });
    await space.changeSecret("b", { password: "two" });
    await space.changeSecret("b", { password: "one" });
    const second = await operatorOf(space);
    await space.isReloaded("a");
    await second.stop();
    const third = await operatorOf(space);
    await third.idle();
    expect(third.writes.map(describeWrite)).toEqual([]);
    expect(await Promise.all(["a", "b", "c"].map((name) => space.reloadsOf(name)))).toEqual([1, 0, 0]);
  });

  it("and replaces the leader reloads what has changed in between, once", async () => {
    const space = await ReloaderSpace.create(world);
    await createPairs(space, "a", "b");
    await installCrds(world.client, [ReloadRecord, ReloaderConfig]);
    const first = await startReplica(space, "first");
    await areAdopted(space, "a", "b");
    const second = await startReplica(space, "second");
    await space.changeSecret("a", { password: "two" });
    await space.isReloaded("a");
    expect(second.manager.state).toBe("running");
    await first.stop();
    await space.changeSecret("b", { password: "two" });
    await second.manager.elected;
    await space.isReloaded("b");
    expect(await space.reloadsOf("a")).toBe(1);
    await second.stop();
  });

  it("reloads none of many workloads that it sees for the first time, and all of them after a change", {
    timeout: 120_000,
  }, async () => {
    const space = await ReloaderSpace.create(world);
    await space.createConfigMap("shared", { level: "info" });
    const containers = [usingContainer({ configMap: "shared" })];
    const names = Array.from({ length: 500 }, (_, index) => `web-${index}`);
    while (names.length > 0)
      await Promise.all(
        names
          .splice(0, 20)
          .map((name) =>
            space.createDeployment(name, { annotations: auto, replicas: 0, spec: { containers } }),
          ),
      );
    const operator = await operatorOf(space);
    const adopted = async (): Promise<number> =>
      (await space.list(ReloadRecord)).filter(({ status }) => status?.baselines !== undefined).length;
    await expect.poll(adopted, { timeout: 60_000, interval: 500 }).toBe(500);
    expect(reloadsBy(operator)).toEqual([]);
    await space.changeConfigMap("shared", { level: "debug" });
    const counts = async (): Promise<readonly unknown[]> => [
      ...new Set((await space.list(ReloadRecord)).map(({ status }) => status?.reloadCount)),
    ];
    await expect.poll(counts, { timeout: 60_000, interval: 500 }).toEqual([1]);
    const generations = (await space.list(Deployment)).map(({ metadata }) => metadata.generation);
    expect(new Set(generations)).toEqual(new Set([2]));
  });
});

describe("an operator", () => {
  let operator: RunningOperator;
  let transport: FaultyTransport;

  beforeAll(async () => {
    operator = await world.runOperator(reloader, {
      settings,
      wrap: (inner) => {
        transport = faultyTransport(inner);
        return transport;
      },
    });
  });

  it("notices a change that a cut watch did not show", async () => {
    const space = await ReloaderSpace.create(world);
    await createPairs(space, "web", "other");
    await areAdopted(space, "web", "other");
    const rule = transport.fault({ path: /\/secrets$/ }, faults.refuseConnection(), { times: Infinity });
    transport.cutStreams();
    await space.changeSecret("web", { password: "two" });
    rule.remove();
    await space.isReloaded("web");
    await operator.idle();
    expect(await space.reloadsOf("other")).toBe(0);
  });

  it("reloads a workload for a change between its creation and its adoption", async () => {
    const space = await ReloaderSpace.create(world);
    const records = { method: "POST", path: new RegExp(`/namespaces/${space.namespace}/reloadrecords$`) };
    const rule = transport.fault(records, faults.refuse("InternalError"), { times: Infinity });
    await createPairs(space, "web");
    await expect.poll(() => rule.used).toBeGreaterThan(0);
    await space.changeSecret("web", { password: "two" });
    rule.remove();
    await space.isReloaded("web");
  });

  it("reloads once, whichever write fails in whichever way", async () => {
    const space = await ReloaderSpace.create(world);
    const failures = {
      "patch-fails": faults.refuse("InternalError"),
      "patch-is-throttled": faults.refuse("TooManyRequests"),
      "patch-conflicts": faults.refuse("Conflict"),
      "patch-is-not-sent": faults.reset(),
      "patch-loses-its-response": faults.loseResponse(),
      "record-fails": faults.refuse("InternalError"),
      "record-conflicts": faults.refuse("Conflict"),
      "record-is-not-sent": faults.reset(),
      "record-loses-its-response": faults.loseResponse(),
    };
    const names = Object.keys(failures);
    await createPairs(space, ...names);
    await areAdopted(space, ...names);
    await operator.idle();
    for (const [name, fault] of Object.entries(failures))
      transport.fault(name.startsWith("patch") ? patchOf(space, name) : recordWriteOf(space, name), fault);
    await Promise.all(names.map((name) => space.changeSecret(name, { password: "two" })));
    for (const name of names) await space.isReloaded(name);
    await operator.idle();
    for (const name of names) {
      expect(await space.reloadsOf(name), name).toBe(1);
      expect((await space.record(name))?.status, name).not.toHaveProperty("pending");
    }
  });

  it("shows a reload that is refused, and retries it", async () => {
    const space = await ReloaderSpace.create(world);
    await createPairs(space, "web");
    await space.isAdopted("web");
    const rule = transport.fault(patchOf(space, "web"), faults.refuse("Forbidden"), { times: Infinity });
    await space.changeSecret("web", { password: "two" });
    await expect
      .poll(async () => (await space.record("web"))?.status?.pending)
      .toMatchObject({ reason: "ReloadFailed" });
    expect((await space.record("web"))?.status?.lastError).toContain("403 Forbidden");
    await expect.poll(() => space.eventsAbout(Deployment, "web")).toContain("Warning ReloadFail");
    rule.remove();
    await space.isReloaded("web");
    expect((await space.record("web"))?.status).not.toHaveProperty("lastError");
  });

  it("starts over with a record that a user has deleted", async () => {
    const space = await ReloaderSpace.create(world);
    await createPairs(space, "web");
    await space.isAdopted("web");
    const before = await space.record("web");
    await space.kubectl("delete", "rlr", "deployment-web");
    await expect
      .poll(async () => (await space.record("web"))?.metadata.uid ?? before?.metadata.uid)
      .not.toBe(before?.metadata.uid);
    await space.isAdopted("web");
    await operator.idle();
    expect(await space.reloadsOf("web")).toBe(0);
    await space.changeSecret("web", { password: "two" });
    await space.isReloaded("web");
  });

  it("leaves a template that kubectl rollout undo brings back, and reloads it for the next change", async () => {
    const space = await ReloaderSpace.create(world);
    await createPairs(space, "web");
    await space.isAdopted("web");
    // Undo needs the revisions that the Deployment controller has noted.
    const isRolledOut = ["rollout", "status", "deployment/web", "--timeout=30s"];
    await space.kubectl(...isRolledOut);
    await space.changeSecret("web", { password: "two" });
    await space.isReloaded("web");
    await space.kubectl(...isRolledOut);
    await space.kubectl("rollout", "undo", "deployment/web");
    await operator.idle();
    expect(await space.reloadsOf("web")).toBe(2);
    await space.changeSecret("web", { password: "three" });
    await expect.poll(async () => (await space.record("web"))?.status?.reloadCount).toBe(2);
    expect(await space.reloadsOf("web")).toBe(3);
  });

  it("does not fight with an owner that reverts the template", async () => {
    const space = await ReloaderSpace.create(world);
    await space.createSecret("web", { password: "one" });
    const labels = { app: "web" };
    const manifest = {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "web", annotations: auto },
      spec: {
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: { containers: [{ ...usingContainer({ secret: "web" }), env: [] }] },
        },
      },
    };
    const revert = (): Promise<string> =>
      space.kubectl(
        ...["patch", "deployment", "web", "--type=json", "-p"],
        JSON.stringify([{ op: "replace", path: "/spec/template", value: manifest.spec.template }]),
      );
    await space.applyManifest(manifest);
    await space.isAdopted("web");
    await space.changeSecret("web", { password: "two" });
    await space.isReloaded("web");
    for (let round = 0; round < 3; round++) await revert();
    await operator.idle();
    // One reload and one revert: the others changed nothing.
    expect(await space.reloadsOf("web")).toBe(2);
    expect((await space.record("web"))?.status?.reloadCount).toBe(1);
  });

  it("takes the content as it is for a workload that was deleted and created again", async () => {
    const space = await ReloaderSpace.create(world);
    await createPairs(space, "web");
    await space.isAdopted("web");
    const before = await space.record("web");
    await space.kubectl("delete", "deployment", "web");
    await space.changeSecret("web", { password: "two" });
    const containers = [usingContainer({ secret: "web" })];
    const { metadata } = await space.createDeployment("web", { annotations: auto, spec: { containers } });
    await expect.poll(async () => (await space.record("web"))?.spec.uid).toBe(metadata.uid);
    expect(before?.spec.uid).not.toBe(metadata.uid);
    await space.isAdopted("web");
    await operator.idle();
    expect(await space.reloadsOf("web")).toBe(0);
    await space.changeSecret("web", { password: "three" });
    await space.isReloaded("web");
  });

  it("keeps the baseline of a ConfigMap that is deleted and created again", async () => {
    const space = await ReloaderSpace.create(world);
    await space.createConfigMap("settings", { level: "info" });
    const containers = [usingContainer({ configMap: "settings" })];
    await space.createDeployment("web", { annotations: auto, spec: { containers } });
    await space.isAdopted("web");
    await world.client.delete(ConfigMap, { namespace: space.namespace, name: "settings" });
    await space.createConfigMap("settings", { level: "info" });
    await operator.idle();
    expect(await space.reloadsOf("web")).toBe(0);
    await world.client.delete(ConfigMap, { namespace: space.namespace, name: "settings" });
    await space.createConfigMap("settings", { level: "debug" });
    await space.isReloaded("web");
  });

  it("continues after a restart of the API server", async () => {
    const space = await ReloaderSpace.create(world);
    await createPairs(space, "web", "other");
    await areAdopted(space, "web", "other");
    await space.changeSecret("web", { password: "two" });
    await world.cluster.restart("kube-apiserver");
    await expect.poll(() => space.find(Deployment, "web")).toBeDefined();
    await space.changeSecret("other", { password: "two" });
    await space.isReloaded("web");
    await space.isReloaded("other");
  });
});
