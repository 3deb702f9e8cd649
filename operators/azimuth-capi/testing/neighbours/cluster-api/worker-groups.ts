import {
  type ControllerDefinition,
  controller,
  type ObjectContext,
  type Random,
  type ReconcileResult,
} from "keelson";
import { ensureMetadata, keysIn, ownedBy } from "../objects.ts";
import {
  Cluster,
  KubeadmConfigTemplate,
  Machine,
  MachineDeployment,
  OpenStackMachineTemplate,
} from "./kinds.ts";
import { deleteMachine, machinesOf, rolledMachine, takeStep } from "./machines.ts";
import { nextStep } from "./rollout.ts";

const minSizeAnnotation = "cluster.x-k8s.io/cluster-api-autoscaler-node-group-min-size";

/** MachineDeployments, without the MachineSets between them and their machines. */
export function workerGroupController(random: Random): ControllerDefinition {
  return controller(MachineDeployment)
    .owns(Machine, { verbs: ["create", "delete"] })
    .watches(Cluster, ({ metadata: { namespace } }, { client }) =>
      keysIn(client, MachineDeployment, namespace),
    )
    .watches(OpenStackMachineTemplate, ({ metadata: { namespace } }, { client }) =>
      keysIn(client, MachineDeployment, namespace),
    )
    .watches(KubeadmConfigTemplate, ({ metadata: { namespace } }, { client }) =>
      keysIn(client, MachineDeployment, namespace),
    )
    .finalize("cluster.x-k8s.io/machinedeployment", deleteGroup)
    .reconcile((context) => reconcileGroup(context, random));
}

async function reconcileGroup(context: ObjectContext<MachineDeployment>, random: Random): Promise<void> {
  const { object, client, find, setStatus } = context;
  const { clusterName, template } = object.spec;
  const cluster = await find(Cluster, clusterName);
  if (cluster === undefined || cluster.metadata.deletionTimestamp !== undefined) return;
  const resource = MachineDeployment;
  // Its machines and templates are deleted with the Cluster, also if it is not.
  const owner = ownedBy(cluster, Cluster, { controller: false });
  if (await ensureMetadata(client, { object, resource }, { owner })) return;
  await keepTemplates(context);
  const recipe = {
    ...{ clusterName, version: template.spec.version, random },
    labels: template.metadata?.labels ?? {},
    template: template.spec.infrastructureRef.name,
  };
  const machines = (await machinesOf(client, object)).map((machine) => rolledMachine(machine, recipe));
  const desired = object.spec.replicas ?? Number(object.metadata.annotations?.[minSizeAnnotation] ?? 1);
  await takeStep(client, { object, resource }, nextStep(machines, desired, { isOneByOne: false }), recipe);
  await setStatus({
    phase: machines.length < desired ? "ScalingUp" : machines.length > desired ? "ScalingDown" : "Running",
    replicas: machines.length,
    readyReplicas: machines.filter(({ isReady }) => isReady).length,
    updatedReplicas: machines.filter(({ isCurrent }) => isCurrent).length,
    ...(object.metadata.generation !== undefined && { observedGeneration: object.metadata.generation }),
  });
}

async function keepTemplates({ object, find, client }: ObjectContext<MachineDeployment>): Promise<void> {
  const { bootstrap, infrastructureRef } = object.spec.template.spec;
  const cluster = await find(Cluster, object.spec.clusterName);
  if (cluster === undefined) return;
  const owner = ownedBy(cluster, Cluster, { controller: false });
  const machine = await find(OpenStackMachineTemplate, infrastructureRef.name);
  if (machine !== undefined)
    await ensureMetadata(client, { object: machine, resource: OpenStackMachineTemplate }, { owner });
  const config = await find(KubeadmConfigTemplate, bootstrap?.configRef?.name ?? "");
  if (config !== undefined)
    await ensureMetadata(client, { object: config, resource: KubeadmConfigTemplate }, { owner });
}

async function deleteGroup({
  object,
  client,
  setStatus,
}: ObjectContext<MachineDeployment>): Promise<ReconcileResult> {
  await setStatus({ ...object.status, phase: "ScalingDown" });
  const machines = await machinesOf(client, object);
  if (machines.length === 0) return undefined;
  for (const { metadata } of machines)
    if (metadata.deletionTimestamp === undefined) await deleteMachine(client, metadata);
  return { requeueAfterMs: 1_000 };
}
