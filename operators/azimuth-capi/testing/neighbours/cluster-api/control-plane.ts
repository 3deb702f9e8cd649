import {
  type ControllerDefinition,
  controller,
  controllerOf,
  type ObjectContext,
  type ObjectKey,
  type Random,
  type ReconcileResult,
  type Stored,
} from "keelson";
import { Secret } from "keelson/kinds/core/v1";
import type { Knobs } from "../../knobs.ts";
import { ensureMetadata, keysIn, ownedBy } from "../objects.ts";
import { type CapiConditionState, capiConditions, condition } from "./conditions.ts";
import {
  Cluster,
  clusterNameLabel,
  controlPlaneLabel,
  KubeadmControlPlane,
  Machine,
  OpenStackCluster,
  OpenStackMachineTemplate,
} from "./kinds.ts";
import type { ClusterApiKnobs } from "./knobs.ts";
import { deleteMachine, type MachineRecipe, machinesOf, rolledMachine, takeStep } from "./machines.ts";
import { nextStep, type RolledMachine } from "./rollout.ts";

/** The kubeconfigs of tenant clusters, as texts. */
export interface Kubeconfigs {
  /** The current one of an administrator of the cluster. */
  current(cluster: ObjectKey): Promise<string>;
}

export interface ControlPlaneParts {
  readonly knobs: Knobs<ClusterApiKnobs>;
  readonly kubeconfigs: Kubeconfigs;
  readonly random: Random;
}

/** The control plane of kubeadm: its machines come and go one by one. */
export function controlPlaneController({
  knobs,
  kubeconfigs,
  random,
}: ControlPlaneParts): ControllerDefinition {
  return controller(KubeadmControlPlane)
    .source(knobs.source(KubeadmControlPlane))
    .owns(Machine, { verbs: ["create", "delete"] })
    .owns(Secret)
    .watches(Cluster, ({ metadata: { namespace } }, { client }) =>
      keysIn(client, KubeadmControlPlane, namespace),
    )
    .watches(OpenStackMachineTemplate, ({ metadata: { namespace } }, { client }) =>
      keysIn(client, KubeadmControlPlane, namespace),
    )
    .finalize("kubeadm.controlplane.cluster.x-k8s.io/cleanup", deleteControlPlane)
    .reconcile(async (context) => {
      const { object, find } = context;
      const owner = controllerOf(object);
      const cluster = owner === undefined ? undefined : await find(Cluster, owner.name);
      if (cluster?.status?.infrastructureReady !== true) return showWaiting(context);
      return reconcileControlPlane(context, cluster, {
        chosen: knobs.in(object.metadata.namespace),
        kubeconfigs,
        random,
      });
    });
}

/** Nothing can be done before there is a network. */
async function showWaiting({ object, clock, setStatus }: ObjectContext<KubeadmControlPlane>): Promise<void> {
  const waiting = condition("Ready", "WaitingForInfrastructure");
  await setStatus({
    ...object.status,
    conditions: capiConditions(object.status?.conditions, [waiting], clock.now()),
  });
}

interface Chosen {
  readonly chosen: ClusterApiKnobs;
  readonly kubeconfigs: Kubeconfigs;
  readonly random: Random;
}

async function reconcileControlPlane(
  context: ObjectContext<KubeadmControlPlane>,
  cluster: Stored<Cluster>,
  { chosen, kubeconfigs, random }: Chosen,
): Promise<ReconcileResult> {
  const { object, client, clock, setStatus } = context;
  const owner = { object, resource: KubeadmControlPlane };
  await keepTemplate(context, cluster);
  await writeKubeconfig(context, cluster, kubeconfigs);
  const recipe = recipeOf(object, cluster.metadata.name);
  const desired = object.spec.replicas ?? 1;
  const machines = await machinesOf(client, object);
  const rolled = machines.map((machine) => rolledMachine(machine, recipe));
  const step = nextStep(rolled, desired, { isOneByOne: true });
  await takeStep(client, owner, step, { ...recipe, random });
  const isInitialized = object.status?.initialized === true || rolled.some(({ isReady }) => isReady);
  const problem = problemOf(rolled, desired, isInitialized) ?? chosen.controlPlaneProblem;
  const unhealthy = chosen.hasHealthyComponents ? undefined : "ControlPlaneComponentsUnhealthy";
  const states: readonly CapiConditionState[] = [
    condition("Ready", problem),
    condition("Available", isInitialized ? undefined : "WaitingForKubeadmInit"),
    ...(isInitialized ? [condition("ControlPlaneComponentsHealthy", unhealthy)] : []),
  ];
  const versions = machines.map(({ spec: { version } }) => version);
  const oldest = versions.toSorted((a, b) => a.localeCompare(b, "en", { numeric: true })).at(0);
  await setStatus({
    ...{ initialized: isInitialized, ready: problem === undefined, replicas: machines.length },
    ...(isInitialized && oldest !== undefined && { version: oldest }),
    readyReplicas: rolled.filter(({ isReady }) => isReady).length,
    updatedReplicas: rolled.filter(({ isCurrent }) => isCurrent).length,
    ...(object.metadata.generation !== undefined && { observedGeneration: object.metadata.generation }),
    conditions: capiConditions(object.status?.conditions, states, clock.now()),
  });
}

function recipeOf({ spec }: Stored<KubeadmControlPlane>, clusterName: string): MachineRecipe {
  const { version, machineTemplate } = spec;
  return {
    ...{ clusterName, version, template: machineTemplate.infrastructureRef.name },
    labels: { ...machineTemplate.metadata?.labels, [controlPlaneLabel]: "" },
  };
}

/** Why it is not ready, in the words of Cluster API. */
function problemOf(
  machines: readonly RolledMachine[],
  desired: number,
  isInitialized: boolean,
): string | undefined {
  if (!isInitialized) return "WaitingForKubeadmInit";
  if (machines.some(({ isCurrent }) => !isCurrent)) return "RollingUpdateInProgress";
  if (machines.length > desired) return "ScalingDown";
  if (machines.length < desired || machines.some(({ isUp }) => !isUp)) return "ScalingUp";
  return undefined;
}

/** Its templates are deleted with the Cluster. */
async function keepTemplate(
  { object, find, client }: ObjectContext<KubeadmControlPlane>,
  cluster: Stored<Cluster>,
): Promise<void> {
  const template = await find(OpenStackMachineTemplate, object.spec.machineTemplate.infrastructureRef.name);
  if (template === undefined) return;
  const owner = ownedBy(cluster, Cluster, { controller: false });
  await ensureMetadata(client, { object: template, resource: OpenStackMachineTemplate }, { owner });
}

async function writeKubeconfig(
  { find, apply }: ObjectContext<KubeadmControlPlane>,
  cluster: Stored<Cluster>,
  kubeconfigs: Kubeconfigs,
): Promise<void> {
  const network = await find(OpenStackCluster, cluster.spec.infrastructureRef.name);
  if (network?.spec.controlPlaneEndpoint === undefined) return;
  const { name, namespace } = cluster.metadata;
  const key = { name, ...(namespace !== undefined && { namespace }) };
  await apply(Secret, {
    metadata: { name: `${name}-kubeconfig`, labels: { [clusterNameLabel]: name } },
    type: "cluster.x-k8s.io/secret",
    data: { value: Buffer.from(await kubeconfigs.current(key)).toString("base64") },
  });
}

async function deleteControlPlane(context: ObjectContext<KubeadmControlPlane>): Promise<ReconcileResult> {
  const { object, client, clock, setStatus } = context;
  await setStatus({
    ...object.status,
    ready: false,
    conditions: capiConditions(object.status?.conditions, [condition("Ready", "Deleting")], clock.now()),
  });
  const machines = await machinesOf(client, object);
  if (machines.length === 0) return undefined;
  for (const { metadata } of machines)
    if (metadata.deletionTimestamp === undefined) await deleteMachine(client, metadata);
  return { requeueAfterMs: 1_000 };
}
