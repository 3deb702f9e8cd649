import { mergePatch } from "@keelson/client";
import type { ApplyConfiguration, KubeObject, ObjectOfKind, Resource } from "@keelson/core";
import type { Deployment } from "@keelson/core/kinds/apps/v1";
import { ConfigMap } from "@keelson/core/kinds/core/v1";
import { expect } from "vitest";
import { applyOwned } from "../../src/object/apply-owned.ts";
import type { CacheLab, CacheWorld } from "./cache-world.ts";

export const fieldOwner: string = "owner-tests";

/** A namespace with an owner in it, and a client that reads from a cache. */
export interface OwnerWorld extends CacheWorld {
  readonly owner: ObjectOfKind;
  /** Applies an owned object and returns the result, such as `created`. */
  apply<T extends KubeObject>(resource: Resource<T>, wanted: ApplyConfiguration<T>): Promise<string>;
  /** Patches the object as another field manager, and waits until the cache has the change. */
  disturb<T extends KubeObject>(resource: Resource<T>, name: string, change: object): Promise<T>;
}

export async function ownerWorld(lab: CacheLab): Promise<OwnerWorld> {
  const world = await lab.world();
  const { namespace, client } = world;
  world.start();
  const object = await lab.admin.create(ConfigMap, { metadata: { namespace, name: "owner" } });
  const owner = { object, resource: ConfigMap };
  return {
    ...world,
    owner,
    apply: async (resource, wanted) =>
      (await applyOwned(client, owner, resource, wanted, { fieldOwner })).result,
    disturb: async (resource, name, change) => {
      const key = { namespace, name };
      const { metadata } = await lab.admin.patch(resource, key, mergePatch(change), { fieldOwner: "other" });
      await expect
        .poll(async () => (await client.get(resource, key)).metadata.resourceVersion)
        .toBe(metadata.resourceVersion);
      return client.get(resource, key);
    },
  };
}

export const labels: { readonly app: string } = { app: "web" };

/** A Deployment with values that the server stores in another form, or does not store. */
export const deployment: ApplyConfiguration<Deployment> = {
  metadata: { name: "web", labels, annotations: { "example.com/note": "ours" } },
  spec: {
    replicas: 0,
    paused: false,
    selector: { matchLabels: labels },
    template: {
      metadata: { labels },
      spec: {
        hostNetwork: false,
        imagePullSecrets: [{ name: "registry" }],
        tolerations: [{ key: "spot", operator: "Exists" }],
        containers: [
          {
            name: "web",
            image: "web:1",
            env: [
              { name: "EMPTY", value: "" },
              { name: "NODE", valueFrom: { fieldRef: { fieldPath: "spec.nodeName" } } },
            ],
            envFrom: [{ secretRef: { name: "settings" } }],
            ports: [{ containerPort: 8080 }],
            resources: { requests: { cpu: "1000m", memory: "0.5Gi" } },
            readinessProbe: { httpGet: { port: 8080 }, initialDelaySeconds: 0 },
          },
        ],
        volumes: [
          { name: "scratch", emptyDir: { sizeLimit: "1024Mi" } },
          {
            name: "token",
            projected: {
              sources: [
                { serviceAccountToken: { path: "token" } },
                { downwardAPI: { items: [{ path: "name", fieldRef: { fieldPath: "metadata.name" } }] } },
              ],
            },
          },
        ],
      },
    },
  },
};
