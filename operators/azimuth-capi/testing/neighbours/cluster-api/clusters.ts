import {
  type Client,
  type ControllerDefinition,
  controller,
  type KubeObject,
  keyOf,
  mergePatch,
  NotFoundError,
  type ObjectContext,
  type ReconcileResult,
  type Resource,
  type Stored,
} from "keelson";
import type { Knobs, Pace } from "../../knobs.ts";
import { ensureMetadata, keysIn, ownedBy } from "../objects.ts";
import { capiConditions, condition } from "./conditions.ts";
import { Cluster, KubeadmControlPlane, Machine, MachineDeployment, OpenStackCluster } from "./kinds.ts";
import type { ClusterApiKnobs } from "./knobs.ts";

/** Clusters: their phases, and the order of their deletion. */
export function clusterController(knobs: Knobs<ClusterApiKnobs>, pace: Pace): ControllerDefinition {
  return (
    controller(Cluster)
      .named("capi-clusters")
      .source(knobs.source(Cluster))
      // They have no owner yet when they are created.
      .watches(OpenStackCluster, ({ metadata: { namespace } }, { client }) =>
        keysIn(client, Cluster, namespace),
      )
      .watches(KubeadmControlPlane, ({ metadata: { namespace } }, { client }) =>
        keysIn(client, Cluster, namespace),
      )
      .watches(MachineDeployment, ({ metadata: { namespace } }, { client }) =>
        keysIn(client, Cluster, namespace),
      )
      .watches(Machine, ({ metadata: { namespace }, spec: { clusterName: name } }) => [
        { ...(namespace !== undefined && { namespace }), name },
      ])
      .finalize("cluster.cluster.x-k8s.io/cleanup", deleteCluster)
      .reconcile((context) => reconcileCluster(context, knobs.in(context.key.namespace), pace))
  );
}

async function reconcileCluster(
  context: ObjectContext<Cluster>,
  { pendingMs, clusterPhase }: ClusterApiKnobs,
  pace: Pace,
): Promise<ReconcileResult> {
  const { object, find, setStatus, clock } = context;
  const pending = pace.wait(object, "pending", pendingMs);
  if (pending !== undefined) {
    await setStatus({ phase: clusterPhase ?? "Pending" });
    return pending;
  }
  const network = await find(OpenStackCluster, object.spec.infrastructureRef.name);
  const controlPlane = await find(KubeadmControlPlane, object.spec.controlPlaneRef.name);
  await adopt(context, OpenStackCluster, network);
  await adopt(context, KubeadmControlPlane, controlPlane);
  const isNetworkReady = network?.status?.ready === true && network.spec.controlPlaneEndpoint !== undefined;
  const { initialized = false, ready = false } = controlPlane?.status ?? {};
  const states = [
    condition("Ready", isNetworkReady && ready ? undefined : "WaitingForControlPlane"),
    condition("InfrastructureReady", isNetworkReady ? undefined : "WaitingForInfrastructure"),
    condition("ControlPlaneInitialized", initialized ? undefined : "WaitingForControlPlaneInitialized"),
    condition("ControlPlaneReady", ready ? undefined : "WaitingForControlPlane"),
  ];
  await setStatus({
    phase: clusterPhase ?? (isNetworkReady ? "Provisioned" : "Provisioning"),
    infrastructureReady: isNetworkReady,
    controlPlaneReady: ready,
    ...(object.metadata.generation !== undefined && { observedGeneration: object.metadata.generation }),
    conditions: capiConditions(object.status?.conditions, states, clock.now()),
  });
  return undefined;
}

async function adopt<T extends KubeObject>(
  { object: cluster, client }: ObjectContext<Cluster>,
  resource: Resource<T>,
  object: Stored<T> | undefined,
): Promise<void> {
  if (object === undefined || object.metadata.deletionTimestamp !== undefined) return;
  const owner = ownedBy(cluster, Cluster, { controller: true });
  await ensureMetadata(client, { object, resource }, { owner });
}

/** First the workers, then the control plane, then the network: each needs the ones after it. */
async function deleteCluster(context: ObjectContext<Cluster>): Promise<ReconcileResult> {
  const { object, client, find, setStatus } = context;
  await setStatus({ ...object.status, phase: "Deleting" });
  const { name, namespace } = object.metadata;
  const selection = namespace === undefined ? {} : { namespace };
  const again = { requeueAfterMs: 1_000 };
  const groups = (await client.list(MachineDeployment, selection)).items.filter(
    ({ spec }) => spec.clusterName === name,
  );
  for (const group of groups) await deleteOnce(client, MachineDeployment, group);
  if (groups.length > 0) return again;
  const controlPlane = await find(KubeadmControlPlane, object.spec.controlPlaneRef.name);
  if (controlPlane !== undefined) await deleteOnce(client, KubeadmControlPlane, controlPlane);
  const machines = (await client.list(Machine, selection)).items.filter(
    ({ spec }) => spec.clusterName === name,
  );
  if (controlPlane !== undefined || machines.length > 0) return again;
  const network = await find(OpenStackCluster, object.spec.infrastructureRef.name);
  if (network === undefined) return undefined;
  await deleteOnce(client, OpenStackCluster, network);
  return again;
}

async function deleteOnce<T extends KubeObject>(
  client: Client,
  resource: Resource<T>,
  object: Stored<T>,
): Promise<void> {
  if (object.metadata.deletionTimestamp !== undefined) return;
  await client.delete(resource, keyOf(object)).catch((error: unknown) => {
    if (!(error instanceof NotFoundError)) throw error;
  });
}

/** OpenStackClusters: a network with an address of the API server. */
export function networkController(knobs: Knobs<ClusterApiKnobs>, pace: Pace): ControllerDefinition {
  return controller(OpenStackCluster)
    .source(knobs.source(OpenStackCluster))
    .finalize("openstackcluster.infrastructure.cluster.x-k8s.io/cleanup", ({ object }) =>
      pace.wait(object, "delete", knobs.in(object.metadata.namespace).deletionMs),
    )
    .reconcile(async ({ object, client, setStatus }) => {
      // Without a Cluster there is nothing to make a network for.
      if ((object.metadata.ownerReferences ?? []).length === 0) return undefined;
      const wait = pace.wait(object, "network", knobs.in(object.metadata.namespace).networkMs);
      if (wait !== undefined) {
        await setStatus({ ready: false });
        return wait;
      }
      if (object.spec.controlPlaneEndpoint === undefined) {
        const controlPlaneEndpoint = { host: "192.0.2.10", port: 6443 };
        await client.patch(OpenStackCluster, keyOf(object), mergePatch({ spec: { controlPlaneEndpoint } }));
      }
      await setStatus({ ready: true });
      return undefined;
    });
}
