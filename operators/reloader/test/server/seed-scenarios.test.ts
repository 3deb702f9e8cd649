import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { binariesFolder, RecordingLogger, Space, startWorld, type World } from "@keelson/testkit";
import { Deployment } from "keelson/kinds/apps/v1";
import { Pod } from "keelson/kinds/core/v1";
import type { LogFields } from "keelson/telemetry";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ReloadRecord } from "../../src/api/reload-record.ts";
import { ReloaderConfig } from "../../src/api/reloader-config.ts";
import { reloader } from "../../src/operator.ts";
import { byAnnotation, byConfig, byConfigMap, pausePeriod } from "../support/seed-lines.ts";

let world: World;
let space: Space;
const log = new RecordingLogger();

beforeAll(async () => {
  world = await startWorld(process.env.KEELSON_LEVEL);
  space = new Space(world, "default");
  await world.runOperator(reloader, { log });
});
afterAll(() => world?.stop());

/** Runs lines of a shell script in which `kubectl` is that of the cluster; gives what they printed. */
async function shell(lines: string): Promise<string> {
  const script = `set -euo pipefail; kubectl() { "$KUBECTL" "$@"; }; ${lines}`;
  const { stdout } = await promisify(execFile)("bash", ["-c", script], {
    env: {
      PATH: process.env.PATH,
      KUBECTL: join(binariesFolder(), "kubectl"),
      KUBECONFIG: world.cluster.kubeconfigPath,
      KUBERC: "off",
      KUBECACHEDIR: join(world.cluster.kubeconfigPath, "../kubectl-cache"),
    },
  });
  return stdout;
}

/** The fields of the lines that the operator has logged with this message. */
function logged(message: string): readonly LogFields[] {
  return log.lines.filter((line) => line.message === message).map(({ fields }) => fields);
}

/** Resolves when the record of the Deployment has a baseline for the resource, such as `Secret/db`. */
async function adopted(deployment: string, resource: string): Promise<void> {
  const baseline = async (): Promise<string | undefined> =>
    (await space.find(ReloadRecord, `deployment-${deployment}`))?.status?.baselines?.[`default/${resource}`];
  await expect.poll(baseline).toMatch(/^[0-9a-f]{64}$/);
}

async function podUids(app: string): Promise<readonly string[]> {
  const { items } = await world.client.list(Pod, { namespace: "default", labelSelector: `app=${app}` });
  return items
    .filter(({ metadata, status }) => metadata.deletionTimestamp === undefined && status?.phase === "Running")
    .map(({ metadata }) => metadata.uid);
}

/** Resolves when so many pods run, none of which is one of the earlier ones. */
async function replaced(app: string, earlier: readonly string[], count: number): Promise<void> {
  await expect
    .poll(
      async () => {
        const now = await podUids(app);
        return { count: now.length, kept: now.filter((uid) => earlier.includes(uid)) };
      },
      { timeout: 30_000 },
    )
    .toEqual({ count, kept: [] });
}

async function templateOf(name: string) {
  return (await space.get(Deployment, name)).spec?.template;
}

// One after the other: the third and the fourth use the Deployment of the first.
describe("the seed's test scenarios by its own kubectl lines", { timeout: 90_000 }, () => {
  it("1: a changed Secret of a ReloaderConfig rolls its target", async () => {
    await shell(byConfig.createDeployment);
    await shell(byConfig.createSecret);
    await shell(byConfig.createConfig);
    await expect
      .poll(() => space.conditionOf(ReloaderConfig, "test-reloader", "Available"))
      .toMatchObject({ status: "True" });
    const status = await shell(byConfig.checkStatus);
    expect(status).toMatch(/watchedResourceHashes:\n +default\/Secret\/test-secret: [0-9a-f]{64}\n/);
    await adopted("test-app", "Secret/test-secret");
    await replaced("test", [], 2);
    const pods = await podUids("test");
    expect((await space.get(Deployment, "test-app")).metadata.generation).toBe(1);

    await shell(byConfig.updateSecret);
    await replaced("test", pods, 2);
    expect((await templateOf("test-app"))?.spec?.containers[0]?.env?.map(({ name }) => name)).toContain(
      "RELOADER_TRIGGERED_AT",
    );
    const hash = expect.stringMatching(/^[0-9a-f]{64}$/);
    expect(logged("Secret data changed")).toMatchObject([{ oldHash: hash, newHash: hash }]);
    expect(logged("Found targets for reload")).toMatchObject([{ totalTargets: 1 }]);
    await expect
      .poll(() => logged("Successfully triggered reload"))
      .toMatchObject([{ kind: "Deployment", name: "test-app" }]);
    await expect
      .poll(async () => (await space.get(ReloaderConfig, "test-reloader")).status?.reloadCount)
      .toBe(1);
  });

  it("2: a changed Secret that an annotation names rolls the Deployment", async () => {
    await shell(byAnnotation.createDeployment);
    await shell(byAnnotation.createSecret);
    await adopted("annotated-app", "Secret/app-secret");
    await replaced("annotated", [], 1);
    const pods = await podUids("annotated");
    await shell(byAnnotation.updateSecret);
    await replaced("annotated", pods, 1);
    expect(await shell(byAnnotation.watchRollout)).toContain("successfully rolled out");
    expect(logged("Successfully triggered reload")).toMatchObject([{}, { name: "annotated-app" }]);
  });

  it("3: a changed ConfigMap rolls the target by annotations", async () => {
    await shell(byConfigMap.createConfigMap);
    await shell(byConfigMap.createConfig);
    await adopted("test-app", "ConfigMap/app-config");
    const pods = await podUids("test");
    const env = (await templateOf("test-app"))?.spec?.containers[0]?.env;
    await shell(byConfigMap.updateConfigMap);
    await replaced("test", pods, 2);
    const template = await templateOf("test-app");
    expect(template?.metadata?.annotations).toHaveProperty(["reloader.stakater.com/last-reload"]);
    expect(template?.spec?.containers[0]?.env).toEqual(env);
    expect(logged("ConfigMap data changed")).toHaveLength(1);
  });

  it("4: a change within the pause period of the target waits", async () => {
    await shell(pausePeriod.createConfig);
    const { generation } = (await space.get(Deployment, "test-app")).metadata;
    await shell(pausePeriod.firstUpdate);
    await adopted("test-app", "Secret/frequent-secret");
    await shell(pausePeriod.secondUpdate);
    await expect.poll(() => logged("Skipping reload - workload is paused")).not.toEqual([]);
    await expect
      .poll(async () => (await space.get(ReloadRecord, "deployment-test-app")).status?.pending)
      .toMatchObject({ reason: "Paused", resources: ["default/Secret/frequent-secret"] });
    expect((await space.get(Deployment, "test-app")).metadata.generation).toBe(generation);
  });
});
