import { formatTime, type KubeObject, keyOf, type Resource, type Stored, seededRandom } from "@keelson/core";
import { Event, Pod, type PodStatus } from "@keelson/core/kinds/core/v1";
import { VirtualClock } from "@keelson/testkit";
import { builtinResourceFacts } from "../../src/builtin/builtin-resources.ts";
import { namespaceStrategy } from "../../src/builtin/cluster/namespace.ts";
import { nodeStrategy } from "../../src/builtin/cluster/node.ts";
import { eventStrategy } from "../../src/builtin/events/event.ts";
import { cronJobStrategy, jobStrategy } from "../../src/builtin/job/job-strategy.ts";
import { podStrategy } from "../../src/builtin/pod/pod-strategy.ts";
import { claimStrategy } from "../../src/builtin/storage/claim-strategy.ts";
import { daemonSetStrategy } from "../../src/builtin/workload/daemon-set.ts";
import { deploymentStrategy } from "../../src/builtin/workload/deployment.ts";
import { replicaSetStrategy, replicationControllerStrategy } from "../../src/builtin/workload/replica-set.ts";
import { controllerRevisionStrategy, statefulSetStrategy } from "../../src/builtin/workload/stateful-set.ts";
import type { ControllerContext, StartController } from "../../src/controllers/controller.ts";
import { loopKey, parseLoopKey, startKeyLoop } from "../../src/controllers/key-loop.ts";
import { runControllers } from "../../src/controllers/run-controllers.ts";
import { createRegistry } from "../../src/resource/resource-registry.ts";
import { storedObjects } from "../../src/resource/stored-objects.ts";
import type { Strategy } from "../../src/resource/strategy.ts";
import { createObjectWriter } from "../../src/server/write/create-object-writer.ts";
import type { ObjectApi } from "../../src/server/write/object-api.ts";
import { createObjectApi } from "../../src/server/write/object-api.ts";
import { createMemoryStore } from "../../src/store/memory-store.ts";
import type { Store } from "../../src/store/store.ts";

const strategies: Readonly<Record<string, Strategy>> = {
  namespaces: namespaceStrategy,
  nodes: nodeStrategy,
  pods: podStrategy,
  events: eventStrategy,
  persistentvolumeclaims: claimStrategy,
  replicationcontrollers: replicationControllerStrategy,
  "replicasets.apps": replicaSetStrategy,
  "deployments.apps": deploymentStrategy,
  "statefulsets.apps": statefulSetStrategy,
  "daemonsets.apps": daemonSetStrategy,
  "controllerrevisions.apps": controllerRevisionStrategy,
  "jobs.batch": jobStrategy,
  "cronjobs.batch": cronJobStrategy,
};

const options = { manager: "tester" };

/** Controllers on a store of their own, at the beginning of 2026. */
export interface WorkloadWorld {
  readonly clock: VirtualClock;
  readonly store: Store;
  readonly objects: ObjectApi;
  readonly context: ControllerContext;
  readonly errors: unknown[];
  create<T extends KubeObject>(resource: Resource<T>, object: T): Promise<Stored<T>>;
  /** Changes an object as it is now, and lets the controllers come to rest. */
  change<T extends KubeObject>(
    resource: Resource<T>,
    name: string,
    update: (object: T) => T,
  ): Promise<Stored<T>>;
  get<T extends KubeObject>(resource: Resource<T>, name: string): T;
  list<T extends KubeObject>(resource: Resource<T>): readonly Stored<T>[];
  remove(resource: Resource, name: string): Promise<void>;
  setPodStatus(name: string, status: PodStatus): Promise<void>;
  /** `Normal SuccessfulCreate Created pod: a`, in the order of their names and times. */
  events(): readonly string[];
  settle(): Promise<void>;
  stop(): Promise<void>;
}

export function workloadWorld(controllers: readonly StartController[]): WorkloadWorld {
  const clock = new VirtualClock();
  const store = createMemoryStore();
  const random = seededRandom(7);
  const registry = createRegistry();
  registry.replace(
    "builtin",
    builtinResourceFacts().flatMap((facts) => {
      const strategy = facts.group === "events.k8s.io" ? undefined : strategies[facts.collection];
      return strategy === undefined ? [] : [{ ...facts, strategy, columns: [], selectableFields: [] }];
    }),
  );
  const admission = () => ({ mutating: [], validating: [] });
  const writer = createObjectWriter({
    store,
    registry,
    read: storedObjects(store, registry),
    clock,
    random,
    admission,
  });
  const objects = createObjectApi(writer, store, registry);
  const errors: unknown[] = [];
  const onError = (_controller: string, error: unknown): void => void errors.push(error);
  const running = runControllers(controllers, { objects, store, registry, clock, random, onError });
  const settle = () => clock.advance(10);
  const get = <T extends KubeObject>(resource: Resource<T>, name: string): T => {
    const namespace = resource.scope === "Namespaced" ? "shop" : "";
    const found = objects.get(resource, { namespace, name });
    if (found === undefined) throw new Error(`${resource.kind} ${name} is not there`);
    return found;
  };
  return {
    clock,
    store,
    objects,
    context: running.context,
    errors,
    settle,
    get,
    list: (resource) => objects.list(resource),
    async create(resource, object) {
      const created = await objects.create(resource, object, options);
      await settle();
      return created;
    },
    async change(resource, name, update) {
      const changed = await objects.update(resource, update(get(resource, name)), options);
      await settle();
      return changed;
    },
    async remove(resource, name) {
      await objects.delete(resource, keyOf(get(resource, name)), { ...options, gracePeriodSeconds: 0 });
      await settle();
    },
    async setPodStatus(name, status) {
      await objects.update(Pod, { ...get(Pod, name), status }, { ...options, subresource: "status" });
      await settle();
    },
    events: () => objects.list(Event).map(({ type, reason, message }) => `${type} ${reason} ${message}`),
    stop: () => running.stop(),
  };
}

/** Makes every pod run and be ready, and go as soon as it is deleted, as nodes without containers do. */
export function startHollowPods(outcome: (pod: Pod, now: string) => PodStatus | undefined): StartController {
  return (context) => {
    const loop = startKeyLoop({
      name: "hollow-pods",
      context,
      async reconcile(key) {
        const pod = context.objects.get(Pod, parseLoopKey(key));
        if (pod === undefined) return;
        if (pod.metadata.deletionTimestamp !== undefined) {
          await context.objects.delete(Pod, keyOf(pod), { ...options, gracePeriodSeconds: 0 });
          return;
        }
        if (pod.status?.phase !== "Pending") return;
        const status = outcome(pod, formatTime(context.clock.now()));
        if (status === undefined) return;
        await context.objects.update(Pod, { ...pod, status }, { ...options, subresource: "status" });
      },
    });
    const stop = context.watch(Pod, ({ object }) => loop.enqueue(loopKey(object)));
    return async () => {
      stop();
      await loop.stop();
    };
  };
}

export function readyStatus(_pod: unknown, now: string): PodStatus {
  return {
    phase: "Running",
    startTime: now,
    conditions: [{ type: "Ready", status: "True", lastTransitionTime: now }],
  };
}

export function succeededStatus(pod: Pod, now: string): PodStatus {
  return {
    phase: "Succeeded",
    startTime: now,
    containerStatuses: (pod.spec?.containers ?? []).map(({ name, image = "" }) => ({
      name,
      image,
      imageID: "",
      ready: false,
      restartCount: 0,
      state: { terminated: { exitCode: 0, reason: "Completed", startedAt: now, finishedAt: now } },
    })),
  };
}
