import { type KubeObject, type ObjectKey, type Resource, type Stored, seededRandom } from "@keelson/core";
import { Event, type Namespace, type Node, type Pod, type PodStatus } from "@keelson/core/kinds/core/v1";
import { VirtualClock } from "@keelson/testkit";
import { builtinServedResources } from "../../src/builtin/builtin-resources.ts";
import type { StartController } from "../../src/controllers/controller.ts";
import { runControllers } from "../../src/controllers/run-controllers.ts";
import { createRegistry, type ResourceRegistry } from "../../src/resource/resource-registry.ts";
import { storedObjects } from "../../src/resource/stored-objects.ts";
import type { DeleteOptions } from "../../src/server/options/delete-options.ts";
import { createObjectWriter } from "../../src/server/write/create-object-writer.ts";
import type { ObjectApi } from "../../src/server/write/object-api.ts";
import { createObjectApi } from "../../src/server/write/object-api.ts";
import { createMemoryStore } from "../../src/store/memory-store.ts";
import type { Store } from "../../src/store/store.ts";

const writer = { manager: "tester" };

/** Controllers on a store with all built-in kinds, at the beginning of 2026. */
export interface ClusterWorld {
  readonly clock: VirtualClock;
  readonly store: Store;
  readonly registry: ResourceRegistry;
  readonly objects: ObjectApi;
  readonly errors: unknown[];
  create<T extends KubeObject>(resource: Resource<T>, object: T): Promise<Stored<T>>;
  /** Replaces what is changed of an object as it is now. */
  change<T extends KubeObject>(
    resource: Resource<T>,
    key: ObjectKey,
    update: (object: Stored<T>) => T,
    subresource?: string,
  ): Promise<Stored<T>>;
  get<T extends KubeObject>(resource: Resource<T>, key: ObjectKey): Stored<T> | undefined;
  remove(resource: Resource, key: ObjectKey, options?: DeleteOptions): Promise<void>;
  /** `Pod web: Normal Scheduled …` */
  events(): readonly string[];
  /** Lets the controllers come to rest. */
  settle(): Promise<void>;
  stop(): Promise<void>;
}

export function clusterWorld(controllers: readonly StartController[]): ClusterWorld {
  const clock = new VirtualClock();
  const store = createMemoryStore();
  const random = seededRandom(7);
  const registry = createRegistry();
  registry.replace("builtin", builtinServedResources());
  const admission = () => ({ mutating: [], validating: [] });
  const objects = createObjectApi(
    createObjectWriter({ store, registry, read: storedObjects(store, registry), clock, random, admission }),
    store,
    registry,
  );
  const errors: unknown[] = [];
  const onError = (_controller: string, error: unknown): void => void errors.push(error);
  const running = runControllers(controllers, { objects, store, registry, clock, random, onError });
  const settle = () => clock.advance(100);
  return {
    clock,
    store,
    registry,
    objects,
    errors,
    settle,
    async create(resource, object) {
      const created = await objects.create(resource, object, writer);
      await settle();
      return created;
    },
    async change(resource, key, update, subresource) {
      const found = objects.get(resource, key);
      if (found === undefined) throw new Error(`${resource.kind} ${key.name} is not there`);
      const options = subresource === undefined ? writer : { ...writer, subresource };
      const changed = await objects.update(resource, update(found), options);
      await settle();
      return changed;
    },
    get: (resource, key) => objects.get(resource, key),
    async remove(resource, key, options = {}) {
      await objects.delete(resource, key, { ...writer, ...options });
      await settle();
    },
    events: () =>
      objects
        .list(Event)
        .map(
          ({ involvedObject, type, reason, message }) =>
            `${involvedObject.kind} ${involvedObject.name}: ${type} ${reason} ${message}`,
        ),
    stop: () => running.stop(),
  };
}

export function namespaceNamed(name: string): Namespace {
  return { apiVersion: "v1", kind: "Namespace", metadata: { name } };
}

export function readyNode(name: string, differences: Partial<Pick<Node, "spec" | "status">> = {}): Node {
  const allocatable = { cpu: "4", memory: "8Gi", pods: "110" };
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, labels: { "kubernetes.io/hostname": name } },
    status: { capacity: allocatable, allocatable, conditions: [{ type: "Ready", status: "True" }] },
    ...differences,
  };
}

export function podNamed(
  name: string,
  {
    labels,
    spec,
    owner,
  }: { labels?: Record<string, string>; spec?: Partial<Pod["spec"]>; owner?: Stored } = {},
): Pod {
  const ownerReferences =
    owner === undefined
      ? {}
      : {
          ownerReferences: [
            {
              apiVersion: owner.apiVersion,
              kind: owner.kind,
              name: owner.metadata.name,
              uid: owner.metadata.uid,
              controller: true,
            },
          ],
        };
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: "shop", ...(labels === undefined ? {} : { labels }), ...ownerReferences },
    spec: { containers: [{ name: "main", image: "web:1" }], ...spec },
  };
}

export function runningStatus(ip: string, isReady = true): PodStatus {
  return {
    phase: "Running",
    podIP: ip,
    podIPs: [{ ip }],
    conditions: [
      { type: "Ready", status: isReady ? "True" : "False", lastTransitionTime: "2026-01-01T00:00:05Z" },
    ],
  };
}
