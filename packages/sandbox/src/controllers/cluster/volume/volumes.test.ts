import { Namespace, PersistentVolume, PersistentVolumeClaim, Pod } from "@keelson/core/kinds/core/v1";
import { StorageClass } from "@keelson/core/kinds/storage/v1";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  type ClusterWorld,
  clusterWorld,
  namespaceNamed,
  podNamed,
} from "../../../../test/support/cluster-world.ts";
import { startStorageProtection } from "./storage-protection.ts";
import { startVolumeBinder } from "./volume-binder.ts";

let world: ClusterWorld;
beforeEach(async () => {
  world = clusterWorld([startVolumeBinder, startStorageProtection]);
  await world.create(Namespace, namespaceNamed("shop"));
});
afterEach(async () => {
  expect(world.errors).toEqual([]);
  await world.stop();
  expect(world.clock.pendingTimers).toEqual([]);
});

const key = { namespace: "shop", name: "data" };

function claim(storageClassName?: string): PersistentVolumeClaim {
  return {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { ...key, finalizers: ["kubernetes.io/pvc-protection"] },
    spec: {
      accessModes: ["ReadWriteOnce"],
      resources: { requests: { storage: "1Gi" } },
      ...(storageClassName === undefined ? {} : { storageClassName }),
    },
  };
}

function volume(name: string, storage: string): PersistentVolume {
  return {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name, finalizers: ["kubernetes.io/pv-protection"] },
    spec: {
      storageClassName: "manual",
      accessModes: ["ReadWriteOnce"],
      capacity: { storage },
      hostPath: { path: "/data" },
    },
  };
}

function storageClass(volumeBindingMode: "Immediate" | "WaitForFirstConsumer"): StorageClass {
  return {
    apiVersion: "storage.k8s.io/v1",
    kind: "StorageClass",
    metadata: { name: "fast" },
    provisioner: "example.com/none",
    volumeBindingMode,
  };
}

describe("claims", () => {
  it("are bound to the smallest volume that will do", async () => {
    await world.create(PersistentVolume, volume("large", "8Gi"));
    await world.create(PersistentVolume, volume("small", "2Gi"));
    expect(world.get(PersistentVolume, { name: "small" })?.status?.phase).toBe("Available");
    await world.create(PersistentVolumeClaim, claim("manual"));
    const bound = world.get(PersistentVolumeClaim, key);
    expect(bound?.spec?.volumeName).toBe("small");
    expect(bound?.status).toEqual({
      phase: "Bound",
      accessModes: ["ReadWriteOnce"],
      capacity: { storage: "2Gi" },
    });
    expect(bound?.metadata.annotations).toEqual({
      "pv.kubernetes.io/bind-completed": "yes",
      "pv.kubernetes.io/bound-by-controller": "yes",
    });
    const small = world.get(PersistentVolume, { name: "small" });
    expect(small?.status?.phase).toBe("Bound");
    expect(small?.spec?.claimRef).toMatchObject({
      kind: "PersistentVolumeClaim",
      ...key,
      uid: bound?.metadata.uid,
    });
  });

  it("release their volume when they are deleted", async () => {
    await world.create(PersistentVolume, volume("small", "2Gi"));
    await world.create(PersistentVolumeClaim, claim("manual"));
    await world.remove(PersistentVolumeClaim, key);
    expect(world.get(PersistentVolumeClaim, key)).toBeUndefined();
    expect(world.get(PersistentVolume, { name: "small" })?.status?.phase).toBe("Released");
    await world.remove(PersistentVolume, { name: "small" });
    expect(world.get(PersistentVolume, { name: "small" })).toBeUndefined();
  });

  it("stay as long as a pod on a node uses them", async () => {
    await world.create(PersistentVolumeClaim, claim());
    const volumes = [{ name: "v", persistentVolumeClaim: { claimName: "data" } }];
    await world.create(Pod, podNamed("web", { spec: { nodeName: "n1", volumes } }));
    await world.remove(PersistentVolumeClaim, key);
    expect(world.get(PersistentVolumeClaim, key)).toBeDefined();
    await world.remove(Pod, { namespace: "shop", name: "web" }, { gracePeriodSeconds: 0 });
    expect(world.get(PersistentVolumeClaim, key)).toBeUndefined();
  });

  it("stay pending without a class and without a volume", async () => {
    await world.create(PersistentVolumeClaim, claim());
    expect(world.get(PersistentVolumeClaim, key)?.status?.phase).toBe("Pending");
    expect(world.events()).toEqual([
      "PersistentVolumeClaim data: Normal FailedBinding no persistent volumes available for this claim and no storage class is set",
    ]);
  });

  it("of an unknown class record an Event", async () => {
    await world.create(PersistentVolumeClaim, claim("fast"));
    expect(world.events()).toEqual([
      'PersistentVolumeClaim data: Warning ProvisioningFailed storageclass.storage.k8s.io "fast" not found',
    ]);
  });

  it("request a volume from the provisioner of their class", async () => {
    await world.create(StorageClass, storageClass("Immediate"));
    await world.create(PersistentVolumeClaim, claim("fast"));
    expect(world.get(PersistentVolumeClaim, key)?.metadata.annotations).toEqual({
      "volume.beta.kubernetes.io/storage-provisioner": "example.com/none",
      "volume.kubernetes.io/storage-provisioner": "example.com/none",
    });
    expect(world.events()[0]).toContain(
      "Normal ExternalProvisioning Waiting for a volume to be created either by the external provisioner 'example.com/none'",
    );
  });

  it("wait for their first consumer where the class says so", async () => {
    await world.create(StorageClass, storageClass("WaitForFirstConsumer"));
    await world.create(PersistentVolumeClaim, claim("fast"));
    expect(world.events()).toEqual([
      "PersistentVolumeClaim data: Normal WaitForFirstConsumer waiting for first consumer to be created before binding",
    ]);
  });
});
