import { formatTime } from "keelson";
import type { ObjectToWrite } from "keelson/client";
import type { Node, NodeCondition, NodeStatus } from "keelson/kinds/core/v1";
import type { NodeSettings } from "./node-settings.ts";

/** What a node reports about itself. A silent one reports nothing, as if its kubelet were dead. */
export type NodeState = "ready" | "notReady" | "silent";

/** On a Node: the mark of the program that last took it up. */
export const programAnnotation = "hollow.keelson.dev/program";

export function makeNode(settings: NodeSettings, program: string): ObjectToWrite<Node> {
  const { name, labels, taints } = settings;
  const annotations = { ...settings.annotations, [programAnnotation]: program };
  return { metadata: { name, labels, annotations }, spec: taints.length > 0 ? { taints } : {} };
}

/** The status that a kubelet would report. The transition times come from `old`. */
export function makeNodeStatus(
  settings: NodeSettings,
  state: Exclude<NodeState, "silent">,
  old: NodeStatus | undefined,
  nowMs: number,
): NodeStatus {
  const { name, capacity, allocatable, address, kubeletVersion } = settings;
  return {
    capacity,
    allocatable,
    conditions: nodeConditions(state, old, nowMs),
    addresses: [
      { type: "InternalIP", address },
      { type: "Hostname", address: name },
    ],
    daemonEndpoints: { kubeletEndpoint: { Port: 10250 } },
    nodeInfo: {
      architecture: "amd64",
      bootID: `hollow-${name}`,
      containerRuntimeVersion: "hollow://0.1.0",
      kernelVersion: "hollow",
      kubeProxyVersion: "",
      kubeletVersion,
      machineID: `hollow-${name}`,
      operatingSystem: "linux",
      osImage: "Keelson hollow node",
      systemUUID: `hollow-${name}`,
    },
  };
}

const healthy = [
  ["MemoryPressure", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"],
  ["DiskPressure", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"],
  ["PIDPressure", "KubeletHasSufficientPID", "kubelet has sufficient PID available"],
] as const;

function nodeConditions(
  state: Exclude<NodeState, "silent">,
  old: NodeStatus | undefined,
  nowMs: number,
): readonly NodeCondition[] {
  const now = formatTime(nowMs);
  const condition = (type: string, status: "True" | "False", reason: string, message: string) => {
    const before = old?.conditions?.find((each) => each.type === type);
    const lastTransitionTime = (before?.status === status ? before.lastTransitionTime : undefined) ?? now;
    return { type, status, reason, message, lastHeartbeatTime: now, lastTransitionTime };
  };
  return [
    ...healthy.map(([type, reason, message]) => condition(type, "False", reason, message)),
    state === "ready"
      ? condition("Ready", "True", "KubeletReady", "kubelet is posting ready status")
      : condition("Ready", "False", "KubeletNotReady", "the hollow node is set to be not ready"),
  ];
}
