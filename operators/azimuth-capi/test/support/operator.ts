import type { RunningOperator } from "@keelson/testkit";
import type { Stored } from "keelson";
import { expect } from "vitest";
import type { Cluster } from "../../src/api/cluster.ts";
import { type Kinds, kindsOf } from "../../src/kinds.ts";
import { azimuthCapi } from "../../src/operator.ts";
import { settings } from "../../src/settings.ts";
import type { Azimuth, Tenancy } from "./azimuth.ts";

/** The kinds of an operator with default settings. */
export const kinds: Kinds = kindsOf(settings.parse({}));

/** The template that most Clusters of tests have, and one with the next version. */
export const template = "kube-1-30";
export const nextTemplate = "kube-1-31";
/** For Clusters as small as can be: one machine for the control plane, and one addon of Flux. */
export const smallTemplate = "small";

/** Installs the kinds of the operator, which come with its first run, and the templates. */
export async function prepare(az: Azimuth): Promise<void> {
  await (await az.world.runOperator(azimuthCapi, az.operatorOptions)).stop();
  await az.createTemplate(template, { kubernetesVersion: "1.30.2", machineImageId: "image-1" });
  await az.createTemplate(nextTemplate, { kubernetesVersion: "1.31.0", machineImageId: "image-2" });
  await az.createTemplate(smallTemplate, {
    ...{ kubernetesVersion: "1.30.2", machineImageId: "image-1", controlPlane: { machineCount: 1 } },
    addons: { standard: false, xpuMonitoring: { enabled: true } },
  });
}

/** Runs the operator for one tenancy, with sections of its settings replaced. */
export function runFor(
  az: Azimuth,
  tenancy: Tenancy,
  changed: Readonly<Record<string, unknown>> = {},
): Promise<RunningOperator> {
  return az.world.runOperator(azimuthCapi, {
    ...az.operatorOptions,
    ...{ namespaces: [tenancy.namespace], settings: { ...az.settings, ...changed } },
  });
}

export function clusterOf(tenancy: Tenancy, name = "demo"): Promise<Stored<Cluster>> {
  return tenancy.get(kinds.Cluster, name);
}

/** Resolves with the Cluster when its current spec is in force and all its parts are ready. */
export async function isReady(tenancy: Tenancy, name = "demo"): Promise<Stored<Cluster>> {
  await expect.poll(() => progressOf(tenancy, name), { timeout: 60_000 }).toEqual({ state: "Ready" });
  return clusterOf(tenancy, name);
}

/** The state of a Cluster, with what it waits for unless it is ready. */
async function progressOf(tenancy: Tenancy, name: string): Promise<object> {
  const state = await tenancy.stateOf(name);
  if (state === "Ready") return { state };
  const { nodes = {}, addons = {}, conditions, ...rest } = (await clusterOf(tenancy, name)).status ?? {};
  const unready = [
    ...Object.entries(nodes).filter(([, { phase }]) => phase !== "Ready"),
    ...Object.entries(addons).filter(([, { phase }]) => phase !== "Deployed"),
  ];
  return { state, ...rest, conditions, unready };
}

/** The reason why a Cluster is not provisioned, or that it is. */
export async function provisionedReason(tenancy: Tenancy, name = "demo"): Promise<string | undefined> {
  return (await clusterOf(tenancy, name)).status?.conditions?.find(({ type }) => type === "Provisioned")
    ?.reason;
}

/** How often Helm was called with a verb for the releases of a tenancy. */
export async function helmCalls(az: Azimuth, tenancy: Tenancy, verb: string): Promise<number> {
  const calls = await az.helm.calls();
  return calls.filter((call) => call.startsWith(verb) && call.includes(tenancy.namespace)).length;
}
