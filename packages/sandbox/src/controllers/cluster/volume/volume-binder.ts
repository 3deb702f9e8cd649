import {
  compareQuantities,
  formatTime,
  type KubeObject,
  matchesLabels,
  parseQuantity,
  type Stored,
} from "@keelson/core";
import { PersistentVolume, PersistentVolumeClaim } from "@keelson/core/kinds/core/v1";
import { StorageClass } from "@keelson/core/kinds/storage/v1";
import { type ControllerContext, controllerManager, type StartController } from "../../controller.ts";
import { loopKey, parseLoopKey, startKeyLoop } from "../../key-loop.ts";
import { writeStatus } from "../../workloads/controlled-objects.ts";

const component = "persistentvolume-controller";
const bindCompleted = "pv.kubernetes.io/bind-completed";
const boundByController = "pv.kubernetes.io/bound-by-controller";
const selectedNode = "volume.kubernetes.io/selected-node";
const provisionerAnnotations = [
  "volume.beta.kubernetes.io/storage-provisioner",
  "volume.kubernetes.io/storage-provisioner",
];
const volumePrefix = "volume:";
const writer = { manager: controllerManager };

/** Binds claims to existing volumes, and requests missing ones from the provisioner of their class. */
export const startVolumeBinder: StartController = (context) => {
  const { objects } = context;
  const loop = startKeyLoop({
    name: component,
    context,
    workers: 1,
    async reconcile(key) {
      if (key.startsWith(volumePrefix)) await updateVolume(context, key.slice(volumePrefix.length));
      else await updateClaim(context, key);
    },
  });
  function enqueueUnbound(): void {
    for (const claim of objects.list(PersistentVolumeClaim)) {
      if (claim.status?.phase !== "Bound") loop.enqueue(loopKey(claim));
    }
  }
  const stops = [
    context.watch(PersistentVolumeClaim, ({ type, object }) => {
      if (type !== "DELETED") loop.enqueue(loopKey(object));
      else if (object.spec?.volumeName) loop.enqueue(`${volumePrefix}${object.spec.volumeName}`);
    }),
    context.watch(PersistentVolume, ({ type, object }) => {
      loop.enqueue(`${volumePrefix}${object.metadata.name}`);
      const { name, namespace } = object.spec?.claimRef ?? {};
      if (type === "DELETED" && name && namespace) loop.enqueue(`${namespace}/${name}`);
      if (type === "ADDED") enqueueUnbound();
    }),
    context.watch(StorageClass, ({ type }) => {
      if (type === "ADDED") enqueueUnbound();
    }),
  ];
  return async () => {
    for (const stop of stops) stop();
    await loop.stop();
  };
};

async function updateVolume(context: ControllerContext, name: string): Promise<void> {
  const { objects } = context;
  const volume = objects.get(PersistentVolume, { name });
  if (volume === undefined) return;
  const { claimRef } = volume.spec ?? {};
  if (!claimRef?.uid) {
    await setPhase(context, volume, "Available");
    return;
  }
  const { namespace, name: claimName } = claimRef;
  const claim =
    namespace && claimName ? objects.get(PersistentVolumeClaim, { namespace, name: claimName }) : undefined;
  await setPhase(context, volume, claim?.metadata.uid === claimRef.uid ? "Bound" : "Released");
}

async function setPhase(
  context: ControllerContext,
  volume: Stored<PersistentVolume>,
  phase: "Available" | "Bound" | "Released",
): Promise<void> {
  if (volume.status?.phase === phase) return;
  const lastPhaseTransitionTime = formatTime(context.clock.now());
  await writeStatus(context, PersistentVolume, volume, { ...volume.status, phase, lastPhaseTransitionTime });
}

async function updateClaim(context: ControllerContext, key: string): Promise<void> {
  const { objects } = context;
  const claim = objects.get(PersistentVolumeClaim, parseLoopKey(key));
  if (claim === undefined) return;
  if (claim.metadata.annotations?.[bindCompleted] !== undefined) {
    await finishBinding(context, claim);
    return;
  }
  if (claim.metadata.deletionTimestamp !== undefined) return;
  const volume = isWaiting(context, claim)
    ? undefined
    : matchingVolume(claim, objects.list(PersistentVolume));
  if (volume === undefined) await askForVolume(context, claim);
  else await bind(context, claim, volume);
}

async function bind(
  context: ControllerContext,
  claim: Stored<PersistentVolumeClaim>,
  volume: Stored<PersistentVolume>,
): Promise<void> {
  const { objects } = context;
  if (!volume.spec?.claimRef?.uid) {
    const { name, namespace, uid, resourceVersion } = claim.metadata;
    const kind = "PersistentVolumeClaim";
    const claimRef = { apiVersion: "v1", kind, name, namespace, uid, resourceVersion };
    const isChosen = volume.spec?.claimRef === undefined;
    const marked = isChosen ? annotated(volume, { [boundByController]: "yes" }) : volume;
    await objects.update(PersistentVolume, { ...marked, spec: { ...volume.spec, claimRef } }, writer);
  }
  const isChosen = !claim.spec?.volumeName;
  const volumeName = volume.metadata.name;
  const marked = annotated(claim, {
    [bindCompleted]: "yes",
    ...(isChosen ? { [boundByController]: "yes" } : {}),
  });
  await objects.update(PersistentVolumeClaim, { ...marked, spec: { ...claim.spec, volumeName } }, writer);
}

async function finishBinding(
  context: ControllerContext,
  claim: Stored<PersistentVolumeClaim>,
): Promise<void> {
  const volume = context.objects.get(PersistentVolume, { name: claim.spec?.volumeName ?? "" });
  if (volume === undefined) {
    if (claim.status?.phase === "Lost") return;
    const message = "Bound claim has lost its PersistentVolume. Data on the volume is lost!";
    context.recordEvent(claim, { component, type: "Warning", reason: "ClaimLost", message });
    await writeStatus(context, PersistentVolumeClaim, claim, { phase: "Lost" });
    return;
  }
  const { accessModes = [], capacity = {} } = volume.spec ?? {};
  await writeStatus(context, PersistentVolumeClaim, claim, {
    ...claim.status,
    phase: "Bound",
    accessModes,
    capacity,
  });
}

/** Whether the claim is bound only when a pod that needs it has got a node. */
function isWaiting(
  { objects }: ControllerContext,
  { metadata, spec }: Stored<PersistentVolumeClaim>,
): boolean {
  if (metadata.annotations?.[selectedNode] !== undefined || !spec?.storageClassName) return false;
  const storageClass = objects.get(StorageClass, { name: spec.storageClassName });
  return storageClass?.volumeBindingMode === "WaitForFirstConsumer";
}

async function askForVolume(context: ControllerContext, claim: Stored<PersistentVolumeClaim>): Promise<void> {
  const { objects, recordEvent } = context;
  const record = (type: "Normal" | "Warning", reason: string, message: string): void =>
    recordEvent(claim, { component, type, reason, message });
  const name = claim.spec?.storageClassName;
  if (isWaiting(context, claim)) {
    record("Normal", "WaitForFirstConsumer", "waiting for first consumer to be created before binding");
    return;
  }
  if (!name) {
    const message = "no persistent volumes available for this claim and no storage class is set";
    record("Normal", "FailedBinding", message);
    return;
  }
  const storageClass = objects.get(StorageClass, { name });
  if (storageClass === undefined) {
    record("Warning", "ProvisioningFailed", `storageclass.storage.k8s.io ${JSON.stringify(name)} not found`);
    return;
  }
  const { provisioner } = storageClass;
  if (provisionerAnnotations.some((key) => claim.metadata.annotations?.[key] !== provisioner)) {
    const annotations = Object.fromEntries(provisionerAnnotations.map((key) => [key, provisioner]));
    await objects.update(PersistentVolumeClaim, annotated(claim, annotations), writer);
  }
  const wait = `Waiting for a volume to be created either by the external provisioner '${provisioner}' or manually by the system administrator.`;
  const advice =
    "If volume creation is delayed, please verify that the provisioner is running and correctly registered.";
  record("Normal", "ExternalProvisioning", `${wait} ${advice}`);
}

function annotated<T extends KubeObject>(object: T, annotations: Readonly<Record<string, string>>): T {
  const { metadata } = object;
  return { ...object, metadata: { ...metadata, annotations: { ...metadata.annotations, ...annotations } } };
}

/**
 * The smallest volume that a claim can have; a volume that is reserved for the claim comes first. Undefined if there is
 * none.
 */
function matchingVolume(
  claim: Stored<PersistentVolumeClaim>,
  volumes: readonly Stored<PersistentVolume>[],
): Stored<PersistentVolume> | undefined {
  const wanted = claim.spec?.volumeName;
  const suitable = volumes.filter((volume) => isFor(volume, claim) && suits(volume, claim));
  const named = wanted ? suitable.filter(({ metadata }) => metadata.name === wanted) : suitable;
  const reserved = named.filter(({ spec }) => spec?.claimRef !== undefined);
  return (reserved.length > 0 ? reserved : named).toSorted((a, b) =>
    compareQuantities(capacityOf(a), capacityOf(b)),
  )[0];
}

/** Whether the volume is unbound, or reserved for this claim. */
function isFor(
  { spec, status, metadata }: Stored<PersistentVolume>,
  claim: Stored<PersistentVolumeClaim>,
): boolean {
  if (metadata.deletionTimestamp !== undefined) return false;
  const { claimRef } = spec ?? {};
  if (claimRef === undefined) return status?.phase === "Available" || status?.phase === "Pending";
  const { name, namespace, uid } = claim.metadata;
  return (
    claimRef.name === name && claimRef.namespace === namespace && (!claimRef.uid || claimRef.uid === uid)
  );
}

function suits(volume: Stored<PersistentVolume>, { spec }: Stored<PersistentVolumeClaim>): boolean {
  const modes = volume.spec?.accessModes ?? [];
  const { selector } = spec ?? {};
  return (
    (volume.spec?.storageClassName ?? "") === (spec?.storageClassName ?? "") &&
    (volume.spec?.volumeMode ?? "Filesystem") === (spec?.volumeMode ?? "Filesystem") &&
    (spec?.accessModes ?? []).every((mode) => modes.includes(mode)) &&
    (selector === undefined || matchesLabels(selector, volume.metadata.labels)) &&
    compareQuantities(capacityOf(volume), parseQuantity(spec?.resources?.requests?.storage ?? "0")) >= 0
  );
}

function capacityOf({ spec }: Stored<PersistentVolume>): ReturnType<typeof parseQuantity> {
  return parseQuantity(spec?.capacity?.storage ?? "0");
}
