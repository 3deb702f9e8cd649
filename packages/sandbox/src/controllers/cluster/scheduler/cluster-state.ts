import { parseQuantity, type Stored } from "@keelson/core";
import { type Container, Node, PersistentVolumeClaim, Pod } from "@keelson/core/kinds/core/v1";
import { StorageClass } from "@keelson/core/kinds/storage/v1";
import type { ObjectApi } from "../../../server/write/object-api.ts";
import type { ControllerContext, ObjectChange } from "../../controller.ts";
import { loopKey } from "../../key-loop.ts";

/** A node with the pods on it. */
export interface NodeState extends NodePods {
  readonly name: string;
  readonly node: Stored<Node>;
  readonly allocatable: Amounts;
}

/** Which pods are on which nodes. As new as the store. */
export interface ClusterState {
  /** In the order of their names. */
  nodes(): readonly NodeState[];
  stop(): void;
}

/** Calls back for changes of pods and nodes, after the state includes them. */
export function watchCluster(
  { watch, objects }: Pick<ControllerContext, "watch" | "objects">,
  onPod: (change: ObjectChange<Pod>) => void,
  onNode: (change: ObjectChange<Node>) => void,
): ClusterState {
  const podsByNode = new Map<string, ReturnType<typeof createNodePods>>();
  let states: readonly NodeState[] | undefined;

  function podsOn(name: string): ReturnType<typeof createNodePods> {
    const pods = podsByNode.get(name) ?? createNodePods();
    podsByNode.set(name, pods);
    return pods;
  }

  function stateOf(node: Stored<Node>): NodeState {
    const { name } = node.metadata;
    const pods = podsOn(name);
    return {
      name,
      node,
      allocatable: amountsOf(node.status?.allocatable),
      get pods() {
        return pods.pods;
      },
      get count() {
        return pods.count;
      },
      requested: pods.requested,
      apart: pods.apart,
    };
  }

  const stops = [
    watch(Node, (change) => {
      states = undefined;
      onNode(change);
    }),
    watch(Pod, (change) => {
      const { type, object } = change;
      const { nodeName } = object.spec ?? {};
      if (nodeName) {
        const isOver = object.status?.phase === "Succeeded" || object.status?.phase === "Failed";
        if (type === "DELETED" || isOver) podsOn(nodeName).remove(object);
        else podsOn(nodeName).put(object);
      }
      onPod(change);
    }),
  ];
  return {
    nodes() {
      states ??= objects.list(Node).map(stateOf);
      return states;
    },
    stop() {
      for (const stop of stops) stop();
    },
  };
}

/** The pods on a node, with sums that cost nothing to read. */
interface NodePods {
  readonly pods: readonly Stored<Pod>[];
  readonly count: number;
  /** The sum of their requests. */
  readonly requested: Amounts;
  /** The pods with a required anti-affinity. */
  readonly apart: ReadonlySet<Stored<Pod>>;
}

function createNodePods(): NodePods & { put(pod: Stored<Pod>): void; remove(pod: Stored<Pod>): void } {
  const byKey = new Map<string, Stored<Pod>>();
  const requested = new Map<string, bigint>();
  const apart = new Set<Stored<Pod>>();
  let list: readonly Stored<Pod>[] | undefined;

  function count(pod: Stored<Pod>, sign: 1n | -1n): void {
    for (const [name, amount] of podRequests(pod)) {
      requested.set(name, (requested.get(name) ?? 0n) + sign * amount);
    }
  }

  function remove(pod: Stored<Pod>): void {
    const before = byKey.get(loopKey(pod));
    if (before === undefined) return;
    byKey.delete(loopKey(pod));
    apart.delete(before);
    count(before, -1n);
    list = undefined;
  }

  return {
    get pods() {
      list ??= [...byKey.values()];
      return list;
    },
    get count() {
      return byKey.size;
    },
    requested,
    apart,
    put(pod) {
      remove(pod);
      byKey.set(loopKey(pod), pod);
      count(pod, 1n);
      if (pod.spec?.affinity?.podAntiAffinity !== undefined) apart.add(pod);
      list = undefined;
    },
    remove,
  };
}

/** Amounts by resource, in billionths. */
export type Amounts = ReadonlyMap<string, bigint>;

const known = new WeakMap<Pod, Amounts>();

/** What a pod needs of a node: the sum of its containers, or what its start needs if that is more. */
export function podRequests(pod: Stored<Pod>): Amounts {
  const before = known.get(pod);
  if (before !== undefined) return before;
  const { containers = [], initContainers = [], overhead } = pod.spec ?? {};
  const total = new Map<string, bigint>();
  for (const container of containers) add(total, amountsOf(container.resources?.requests));
  const sidecars = new Map<string, bigint>();
  const atStart = new Map<string, bigint>();
  for (const container of initContainers) {
    const requests = requestsOf(container);
    if (container.restartPolicy === "Always") {
      add(sidecars, requests);
      raise(atStart, sidecars);
    } else {
      const together = new Map(sidecars);
      add(together, requests);
      raise(atStart, together);
    }
  }
  add(total, sidecars);
  raise(total, atStart);
  add(total, amountsOf(overhead));
  known.set(pod, total);
  return total;
}

function requestsOf({ resources }: Container): Amounts {
  return amountsOf(resources?.requests);
}

function amountsOf(list: Readonly<Record<string, string | number>> | undefined): Amounts {
  return new Map(Object.entries(list ?? {}).map(([name, amount]) => [name, parseQuantity(amount).nanos]));
}

function add(total: Map<string, bigint>, amounts: Amounts): void {
  for (const [name, amount] of amounts) total.set(name, (total.get(name) ?? 0n) + amount);
}

function raise(total: Map<string, bigint>, amounts: Amounts): void {
  for (const [name, amount] of amounts) if (amount > (total.get(name) ?? 0n)) total.set(name, amount);
}

/** What the claims of a pod mean for its scheduling. */
export type ClaimsState =
  | { readonly state: "bound" }
  /** They are bound when a node is chosen. */
  | { readonly state: "waiting"; readonly claims: readonly Stored<PersistentVolumeClaim>[] }
  | { readonly state: "wrong"; readonly reason: string };

export function claimsOf(objects: ObjectApi, { metadata, spec }: Stored<Pod>): ClaimsState {
  const { namespace } = metadata;
  const claims: Stored<PersistentVolumeClaim>[] = [];
  for (const { name: volume, persistentVolumeClaim, ephemeral } of spec?.volumes ?? []) {
    const name = persistentVolumeClaim?.claimName ?? (ephemeral && `${metadata.name}-${volume}`);
    if (name === undefined) continue;
    const claim = objects.get(PersistentVolumeClaim, { namespace, name });
    if (claim === undefined) return wrong(`persistentvolumeclaim ${JSON.stringify(name)} not found`);
    if (claim.metadata.deletionTimestamp !== undefined) {
      return wrong(`persistentvolumeclaim ${JSON.stringify(name)} is being deleted`);
    }
    if (claim.metadata.annotations?.["pv.kubernetes.io/bind-completed"] !== undefined) continue;
    if (!waitsForConsumer(objects, claim)) return wrong("pod has unbound immediate PersistentVolumeClaims");
    claims.push(claim);
  }
  return claims.length === 0 ? { state: "bound" } : { state: "waiting", claims };
}

function wrong(reason: string): ClaimsState {
  return { state: "wrong", reason };
}

/** Whether a claim is bound only when a pod needs it. */
function waitsForConsumer(objects: ObjectApi, { spec }: Stored<PersistentVolumeClaim>): boolean {
  const name = spec?.storageClassName;
  if (!name) return false;
  return objects.get(StorageClass, { name })?.volumeBindingMode === "WaitForFirstConsumer";
}
