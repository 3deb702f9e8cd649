import { hasFinalizer, type Stored, withoutFinalizer } from "@keelson/core";
import { PersistentVolume, PersistentVolumeClaim, Pod } from "@keelson/core/kinds/core/v1";
import { type ControllerContext, controllerManager, type StartController } from "../../controller.ts";
import { loopKey, parseLoopKey, startKeyLoop } from "../../key-loop.ts";

const claimFinalizer = "kubernetes.io/pvc-protection";
const volumeFinalizer = "kubernetes.io/pv-protection";
const volumePrefix = "volume:";

/** Removes the protection finalizer from claims and volumes that are being deleted and no longer in use. */
export const startStorageProtection: StartController = (context) => {
  const { objects } = context;
  const loop = startKeyLoop({
    name: "storage-protection-controller",
    context,
    async reconcile(key) {
      if (key.startsWith(volumePrefix)) await releaseVolume(context, key.slice(volumePrefix.length));
      else await releaseClaim(context, key);
    },
  });
  const stops = [
    context.watch(PersistentVolumeClaim, ({ type, object }) => {
      if (type !== "DELETED" && object.metadata.deletionTimestamp !== undefined)
        loop.enqueue(loopKey(object));
    }),
    context.watch(PersistentVolume, ({ type, object }) => {
      const isDeleted = type !== "DELETED" && object.metadata.deletionTimestamp !== undefined;
      if (isDeleted) loop.enqueue(`${volumePrefix}${object.metadata.name}`);
    }),
    context.watch(Pod, ({ type, object }) => {
      if (type !== "DELETED") return;
      for (const name of claimsOf(object)) loop.enqueue(`${object.metadata.namespace}/${name}`);
    }),
  ];
  return async () => {
    for (const stop of stops) stop();
    await loop.stop();
  };

  async function releaseClaim({ objects: api }: ControllerContext, key: string): Promise<void> {
    const claim = api.get(PersistentVolumeClaim, parseLoopKey(key));
    if (claim?.metadata.deletionTimestamp === undefined || !hasFinalizer(claim, claimFinalizer)) return;
    const { namespace, name } = claim.metadata;
    // Pods without a node do not hold it: no kubelet starts one whose claim is being deleted.
    const isUsed = objects
      .list(Pod, namespace)
      .some((pod) => pod.spec?.nodeName && claimsOf(pod).includes(name));
    if (isUsed) return;
    await api.update(PersistentVolumeClaim, withoutFinalizer(claim, claimFinalizer), {
      manager: controllerManager,
    });
  }

  async function releaseVolume({ objects: api }: ControllerContext, name: string): Promise<void> {
    const volume = api.get(PersistentVolume, { name });
    if (volume?.metadata.deletionTimestamp === undefined || !hasFinalizer(volume, volumeFinalizer)) return;
    if (volume.status?.phase === "Bound") return;
    await api.update(PersistentVolume, withoutFinalizer(volume, volumeFinalizer), {
      manager: controllerManager,
    });
  }
};

function claimsOf({ metadata, spec }: Stored<Pod>): readonly string[] {
  return (spec?.volumes ?? []).flatMap(({ name, persistentVolumeClaim, ephemeral }) => {
    if (persistentVolumeClaim !== undefined) return [persistentVolumeClaim.claimName];
    return ephemeral === undefined ? [] : [`${metadata.name}-${name}`];
  });
}
