import type { Taint } from "keelson/kinds/core/v1";
import { formatAddress } from "../pod/pod-memory.ts";

/** The options of a hollow node. */
export interface HollowNodeOptions {
  readonly name: string;
  /** Beside those that every node has. They and the taints are given when the Node is made. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly taints?: readonly Taint[];
  /** What differs from the default: 32 cpu, 256Gi memory, 500 pods, 1Ti ephemeral-storage. */
  readonly capacity?: Readonly<Record<string, string>>;
  /** What pods may use of the capacity. Default: all of it. */
  readonly allocatable?: Readonly<Record<string, string>>;
  /** Its internal address. Default: one of 172.16.0.0/12, by its place in the list. */
  readonly address?: string;
  /** The version that it reports for its kubelet. Default: that of the API server. */
  readonly kubeletVersion?: string;
}

/** A hollow node with everything decided. */
export interface NodeSettings {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly taints: readonly Taint[];
  readonly capacity: Readonly<Record<string, string>>;
  readonly allocatable: Readonly<Record<string, string>>;
  readonly address: string;
  readonly kubeletVersion: string;
}

/** The label of hollow nodes; nodes without it are real or of another program. */
export const nodeLabel = "hollow.keelson.dev/node";

const defaultCapacity = { cpu: "32", memory: "256Gi", pods: "500", "ephemeral-storage": "1Ti" };
const firstNodeAddress = (172 << 24) + (16 << 16) + 1;

/** A number stands for so many nodes that are named `hollow-1`, `hollow-2` and so on. */
export function resolveNodes(
  nodes: number | readonly HollowNodeOptions[],
  kubeletVersion: string,
): readonly NodeSettings[] {
  const list =
    typeof nodes === "number"
      ? Array.from({ length: nodes }, (_, index) => ({ name: `hollow-${index + 1}` }))
      : nodes;
  return list.map((node, index) => resolveNode(node, index, kubeletVersion));
}

function resolveNode(options: HollowNodeOptions, index: number, kubeletVersion: string): NodeSettings {
  const { name, labels = {}, annotations = {}, taints = [] } = options;
  const capacity = { ...defaultCapacity, ...options.capacity };
  return {
    name,
    labels: {
      "kubernetes.io/arch": "amd64",
      "kubernetes.io/os": "linux",
      "kubernetes.io/hostname": name,
      ...labels,
      [nodeLabel]: "true",
    },
    annotations,
    taints,
    capacity,
    allocatable: { ...capacity, ...options.allocatable },
    address: options.address ?? formatAddress(firstNodeAddress + index),
    kubeletVersion: options.kubeletVersion ?? kubeletVersion,
  };
}
