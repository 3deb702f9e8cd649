import { Node, Pod } from "@keelson/core/kinds/core/v1";
import type { ControllerContext, ObjectChange } from "../../controller.ts";
import { createNodePods, type NodePods } from "./node-pods.ts";
import { type Amounts, amountsOf } from "./pod-requests.ts";

/** A node with the pods on it. */
export interface NodeState extends NodePods {
  readonly name: string;
  readonly node: Node;
  readonly allocatable: Amounts;
}

/** Which pods are on which nodes. As new as the store. */
export interface ClusterState {
  /** In the order of their names. */
  nodes(): readonly NodeState[];
  stop(): void;
}

/** Tells of pods and nodes after it knows of them itself. */
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

  function stateOf(node: Node): NodeState {
    const { name = "" } = node.metadata;
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
