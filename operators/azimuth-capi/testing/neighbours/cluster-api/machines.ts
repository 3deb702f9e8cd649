import {
  type Client,
  type ControllerDefinition,
  controller,
  isControlledBy,
  type KubeObject,
  keyOf,
  NotFoundError,
  type ObjectContext,
  type ObjectKey,
  type Random,
  type ReconcileResult,
  type Resource,
  type Stored,
} from "keelson";
import { apiVersionOf } from "keelson/low-level";
import type { Knobs, Pace } from "../../knobs.ts";
import { keysIn, ownedBy } from "../objects.ts";
import { capiConditions, condition, isTrue } from "./conditions.ts";
import {
  Cluster,
  clonedFromAnnotation,
  clusterNameLabel,
  controlPlaneLabel,
  Machine,
  OpenStackMachine,
  OpenStackMachineTemplate,
} from "./kinds.ts";
import type { ClusterApiKnobs } from "./knobs.ts";
import type { RolledMachine, RolloutStep } from "./rollout.ts";

/** What machines are made of. */
export interface MachineRecipe {
  readonly clusterName: string;
  readonly version: string;
  readonly labels: Readonly<Record<string, string>>;
  /** The name of an OpenStackMachineTemplate. */
  readonly template: string;
}

/** The machines that an object controls. */
export async function machinesOf(
  client: Client,
  owner: Stored<KubeObject>,
): Promise<readonly Stored<Machine>[]> {
  const { namespace } = owner.metadata;
  const { items } = await client.list(Machine, namespace === undefined ? {} : { namespace });
  return items.filter((machine) => isControlledBy(machine, owner));
}

export function rolledMachine(machine: Stored<Machine>, { version, template }: MachineRecipe): RolledMachine {
  const { name, annotations, deletionTimestamp, creationTimestamp = "" } = machine.metadata;
  return {
    name,
    isCurrent: machine.spec.version === version && annotations?.[clonedFromAnnotation] === template,
    isUp: machine.status?.nodeRef !== undefined,
    isReady: machine.status?.phase === "Running" && isTrue(machine.status.conditions, "NodeHealthy"),
    isDeleting: deletionTimestamp !== undefined,
    createdAt: creationTimestamp,
  };
}

/** Creates and deletes machines of an owner. */
export async function takeStep<T extends KubeObject>(
  client: Client,
  owner: { readonly object: Stored<T>; readonly resource: Resource<T> },
  { create, delete: names }: RolloutStep,
  recipe: MachineRecipe & { readonly random: Random },
): Promise<void> {
  for (let made = 0; made < create; made++) await createMachine(client, owner, recipe);
  for (const name of names) await deleteMachine(client, { ...keyOf(owner.object), name });
}

export async function deleteMachine(client: Client, key: ObjectKey): Promise<void> {
  await client.delete(Machine, key).catch(unlessNotFound);
}

async function createMachine<T extends KubeObject>(
  client: Client,
  { object, resource }: { readonly object: Stored<T>; readonly resource: Resource<T> },
  { clusterName, version, labels, template, random }: MachineRecipe & { readonly random: Random },
): Promise<void> {
  const { namespace } = object.metadata;
  const suffix = random.next().toString(36).slice(2, 7).padEnd(5, "x");
  const name = `${object.metadata.name}-${suffix}`;
  await client.create(Machine, {
    metadata: {
      ...{ name, ...(namespace !== undefined && { namespace }) },
      labels: { ...labels, [clusterNameLabel]: clusterName },
      annotations: { [clonedFromAnnotation]: template },
      ownerReferences: [ownedBy(object, resource, { controller: true })],
    },
    spec: {
      clusterName,
      version,
      infrastructureRef: {
        apiVersion: apiVersionOf(OpenStackMachine),
        kind: OpenStackMachine.kind,
        name,
        ...(namespace !== undefined && { namespace }),
      },
    },
  });
}

/** Brings Machines to life: each has an OpenStackMachine, and becomes a healthy node. */
export function machineController(knobs: Knobs<ClusterApiKnobs>, pace: Pace): ControllerDefinition {
  const addresses = new Map<string, string>();
  return (
    controller(Machine, { concurrency: 4 })
      .source(knobs.source(Machine))
      .owns(OpenStackMachine)
      .watches(Cluster, ({ metadata: { namespace } }, { client }) => keysIn(client, Machine, namespace))
      // Helm may write the template after what refers to it.
      .watches(OpenStackMachineTemplate, ({ metadata: { namespace } }, { client }) =>
        keysIn(client, Machine, namespace),
      )
      .finalize("machine.cluster.x-k8s.io/cleanup", async (context) => {
        const { object, setStatus, find, client } = context;
        await setStatus({ ...object.status, phase: "Deleting" });
        const wait = pace.wait(object, "delete", knobs.in(object.metadata.namespace).deletionMs);
        if (wait !== undefined) return wait;
        const machine = await find(OpenStackMachine, object.metadata.name);
        if (machine !== undefined)
          await client.delete(OpenStackMachine, keyOf(machine)).catch(unlessNotFound);
        return undefined;
      })
      .reconcile((context) => reconcileMachine(context, knobs.in(context.key.namespace), { pace, addresses }))
  );
}

interface MachineMemory {
  readonly pace: Pace;
  /** By the uid of a Machine. */
  readonly addresses: Map<string, string>;
}

async function reconcileMachine(
  context: ObjectContext<Machine>,
  { machineMs, machinePhase, unhealthyNodes }: ClusterApiKnobs,
  { pace, addresses }: MachineMemory,
): Promise<ReconcileResult> {
  const { object, clock, setStatus } = context;
  const { name, uid } = object.metadata;
  const finish = async (phase: string, isUp: boolean): Promise<void> => {
    const address =
      addresses.get(uid) ?? `10.0.${Math.floor(addresses.size / 250)}.${(addresses.size % 250) + 1}`;
    addresses.set(uid, address);
    const health = unhealthyNodes.some((part) => name.includes(part)) ? "NodeConditionsFailed" : undefined;
    await setStatus({
      phase: machinePhase ?? phase,
      ...(isUp && { addresses: [{ type: "InternalIP", address }], nodeRef: { name } }),
      conditions: capiConditions(
        object.status?.conditions,
        [
          condition("InfrastructureReady", phase === "Pending" ? "WaitingForInfrastructure" : undefined),
          ...(isUp ? [condition("NodeHealthy", health)] : []),
        ],
        clock.now(),
      ),
    });
  };
  if (!(await hasInfrastructure(context))) return finish("Pending", false);
  for (const phase of ["Pending", "Provisioning", "Provisioned"]) {
    const wait = pace.wait(object, phase, machineMs);
    if (wait === undefined) continue;
    await finish(phase, false);
    return wait;
  }
  return finish("Running", true);
}

/** Creates the machine of the cloud when the Machine may boot: workers join a control plane that exists. */
async function hasInfrastructure({ object, find, apply }: ObjectContext<Machine>): Promise<boolean> {
  const { name, labels, annotations } = object.metadata;
  const cluster = await find(Cluster, object.spec.clusterName);
  const isControlPlane = labels?.[controlPlaneLabel] !== undefined;
  const mayBoot = isControlPlane
    ? cluster?.status?.infrastructureReady === true
    : isTrue(cluster?.status?.conditions, "ControlPlaneInitialized");
  const from = annotations?.[clonedFromAnnotation] ?? "";
  const template = await find(OpenStackMachineTemplate, from);
  const existing = await find(OpenStackMachine, name);
  if (existing !== undefined) return true;
  if (!mayBoot || template === undefined) return false;
  await apply(OpenStackMachine, {
    metadata: { name, labels: { ...labels }, annotations: { [clonedFromAnnotation]: from } },
    spec: { flavor: template.spec.template.spec.flavor },
  });
  return true;
}

function unlessNotFound(error: unknown): void {
  if (!(error instanceof NotFoundError)) throw error;
}
