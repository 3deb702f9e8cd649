import { type RunningOperator, runOperator, startWorld, type World } from "@keelson/testkit";
import type { Transport } from "keelson/client";
import { Job } from "keelson/kinds/batch/v1";
import { toError } from "keelson/low-level";
import { installCrds } from "keelson/object";
import { MissingPermissionsError } from "keelson/schema";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ReloaderConfig } from "../../src/api/reloader-config.ts";
import { reloader } from "../../src/operator.ts";
import type { WorkloadKindName } from "../../src/workload/workload-kind.ts";
import { ReloaderSpace } from "../support/space.ts";
import { createWorkload, getWorkload, readyPods } from "../support/workloads.ts";

let world: World;

beforeAll(async () => {
  world = await startWorld(process.env.KEELSON_LEVEL, { nodes: 1 });
  await installCrds(world.client, reloader.resources);
});
afterAll(() => world?.stop());

const settings = { coalesceWindow: "100ms", recordHashOnResources: true };
/** No namespace has the label: a run that heeded the selector would reload nothing. */
const withSelector = { ...settings, namespaceSelector: ["team=none"] };
const auto = {
  "reloader.stakater.com/auto": "true",
  "reloader.stakater.com/cronjob-policy": "run-now",
  "reloader.stakater.com/job-policy": "recreate",
};

interface GrantedRun extends AsyncDisposable {
  readonly operator: RunningOperator;
  /** The roles that the operator printed, and that its user was given. */
  readonly roles: string;
  /** The requests that the server refused. */
  readonly refused: readonly string[];
  /** The requests for collections and objects outside of namespaces. */
  readonly clusterScoped: readonly string[];
}

/** Runs the operator as a user that has the roles which the operator prints for a user without permissions. */
async function runWithPrintedRoles(user: string, namespaces?: readonly string[]): Promise<GrantedRun> {
  const { cluster } = world;
  const access = await cluster.createUser({ user, rules: [] });
  const options = {
    ...{ access, adminAccess: cluster },
    ...(namespaces === undefined ? { settings } : { settings: withSelector, namespaces }),
  };
  const error = await runOperator(reloader, options).then(
    () => new Error("no permission was missing"),
    toError,
  );
  if (!(error instanceof MissingPermissionsError)) throw error;
  const roles = error.message.slice(error.message.indexOf("apiVersion: "));
  await cluster.kubectl(["apply", "-f", "-"], { input: roles });
  const refused: string[] = [];
  const clusterScoped: string[] = [];
  const wrap = (transport: Transport): Transport => ({
    async send(request) {
      const response = await transport.send(request);
      const text = `${request.method} ${request.path}`;
      if (response.status === 403) refused.push(text);
      if (isOfResources(request.path) && !request.path.includes("/namespaces/")) clusterScoped.push(text);
      return response;
    },
    close: () => transport.close(),
  });
  const operator = await runOperator(reloader, { ...options, wrap });
  return { operator, roles, refused, clusterScoped, [Symbol.asyncDispose]: () => operator.stop() };
}

/** Discovery and reviews of a user's own permissions are allowed to every user. */
function isOfResources(path: string): boolean {
  return /^\/(api\/v1|apis\/[^/]+\/[^/]+)\/./.test(path) && !/selfsubject\w*reviews/.test(path);
}

const templates: readonly WorkloadKindName[] = ["Deployment", "StatefulSet", "DaemonSet", "CronJob"];
const kinds: readonly WorkloadKindName[] = [...templates, "Job"];

/** A namespace with a Secret and workloads of several kinds that use it. */
async function prepare(): Promise<ReloaderSpace> {
  const space = await ReloaderSpace.create(world);
  await space.createSecret("db", { password: "one" });
  const templateAnnotations = { "hollow.keelson.dev/run": "forever" };
  for (const kind of kinds)
    await createWorkload(space, kind, kind.toLowerCase(), { annotations: auto, templateAnnotations });
  await createWorkload(space, "Deployment", "restarted", {
    annotations: { ...auto, "reloader.stakater.com/rollout-strategy": "restart" },
  });
  await space.createConfig("mine", {
    watchedResources: { secrets: ["db"], namespaceSelector: { matchLabels: { team: "none" } } },
    targets: [{ kind: "Deployment", name: "deployment" }],
  });
  return space;
}

async function isAdopted(space: ReloaderSpace): Promise<void> {
  for (const kind of kinds) await space.isAdopted(kind.toLowerCase(), kind.toLowerCase());
  await space.isAdopted("restarted");
  await expect.poll(async () => (await readyPods(space, "restarted")).length, { timeout: 30_000 }).toBe(2);
}

/** Changes the Secret and waits until every workload is reloaded. */
async function expectReloads(space: ReloaderSpace): Promise<void> {
  const before = new Set((await readyPods(space, "restarted")).map(({ metadata }) => metadata.uid));
  await space.changeSecret("db", { password: "two" });
  const job = await space.get(Job, "job");
  const generations = async (): Promise<readonly unknown[]> => {
    const found = templates.map((kind) => getWorkload(space, kind, kind.toLowerCase()));
    return (await Promise.all(found)).map(({ metadata }) => metadata.generation);
  };
  await expect.poll(generations, { timeout: 30_000 }).toEqual(templates.map(() => 2));
  const newJobs = async (): Promise<readonly string[]> =>
    (await space.list(Job))
      .filter(({ metadata }) => metadata.uid !== job.metadata.uid)
      .map(({ metadata }) => metadata.name.replace(/-.*/, ""))
      .sort();
  await expect.poll(newJobs, { timeout: 30_000 }).toEqual(["cronjob", "job"]);
  const kept = async (): Promise<number> =>
    (await readyPods(space, "restarted")).filter(({ metadata }) => before.has(metadata.uid)).length;
  await expect.poll(kept, { timeout: 30_000 }).toBe(0);
  const status = async (): Promise<unknown> => (await space.get(ReloaderConfig, "mine")).status?.reloadCount;
  await expect.poll(status, { timeout: 30_000 }).toBe(1);
}

describe("the roles that the operator prints", () => {
  it("allow everything that it does, in all namespaces", async () => {
    const space = await prepare();
    await using run = await runWithPrintedRoles("reloader-everywhere");
    await isAdopted(space);
    await expectReloads(space);
    await run.operator.idle();
    expect(run.refused).toEqual([]);
    expect(run.roles).toContain("kind: ClusterRole\n");
    expect(run.roles).toContain("rollouts");
  }, 90_000);

  it("are Roles alone in a run in some namespaces, which reads nothing beyond them", async () => {
    const spaces = [await prepare(), await prepare()];
    const outside = await prepare();
    await using run = await runWithPrintedRoles(
      "reloader-somewhere",
      spaces.map(({ namespace }) => namespace),
    );
    await Promise.all(spaces.map(isAdopted));
    await outside.changeSecret("db", { password: "two" });
    await Promise.all(spaces.map(expectReloads));
    await run.operator.idle();
    expect(run.refused).toEqual([]);
    expect(run.clusterScoped).toEqual([]);
    expect(run.operator.problems.map(({ message }) => message)).toContain(
      "--namespace-selector has no effect: the run is limited to namespaces",
    );
    expect(run.roles).not.toContain("ClusterRole");
    expect(await outside.reloadsOf("deployment")).toBe(0);
    expect(await outside.record("deployment")).toBeUndefined();
  }, 90_000);
});
