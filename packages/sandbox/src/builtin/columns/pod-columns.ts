import type {
  ContainerState,
  ContainerStateTerminated,
  ContainerStatus,
  Pod,
} from "@keelson/core/kinds/core/v1";
import { ageColumn, ageSince, type KindColumn, nameColumn, orNone } from "./column.ts";

export const podColumns: readonly KindColumn<Pod>[] = [
  nameColumn,
  {
    name: "Ready",
    description: "How many of the containers are ready",
    cell: (pod) => {
      const { readyCount, containerCount } = summarizePod(pod);
      return `${readyCount}/${containerCount}`;
    },
  },
  {
    name: "Status",
    description: "What the containers are doing, summed up",
    cell: (pod) => summarizePod(pod).reason,
  },
  {
    name: "Restarts",
    description: "How often containers were restarted, and when the last of them ended",
    cell: (pod, now) => {
      const { restarts, lastRestart } = summarizePod(pod);
      if (restarts === 0 || lastRestart === undefined) return String(restarts);
      return `${restarts} (${ageSince(lastRestart, now)} ago)`;
    },
  },
  ageColumn,
  {
    name: "IP",
    isWide: true,
    description: "Address of the pod",
    cell: ({ status }) => orNone(status?.podIPs?.[0]?.ip),
  },
  {
    name: "Node",
    isWide: true,
    description: "Node that the pod is bound to",
    cell: ({ spec }) => orNone(spec?.nodeName),
  },
  {
    name: "Nominated Node",
    isWide: true,
    description: "Node on which room is being made for the pod",
    cell: ({ status }) => orNone(status?.nominatedNodeName),
  },
  {
    name: "Readiness Gates",
    isWide: true,
    description: "How many of the readiness gates are open",
    cell: ({ spec, status }) => {
      const gates = spec?.readinessGates ?? [];
      if (gates.length === 0) return "<none>";
      const open = gates.filter(
        ({ conditionType }) =>
          status?.conditions?.find(({ type }) => type === conditionType)?.status === "True",
      );
      return `${open.length}/${gates.length}`;
    },
  },
];

/** What a table shows about the containers of a pod. */
interface PodSummary {
  readonly readyCount: number;
  readonly containerCount: number;
  readonly reason: string;
  readonly restarts: number;
  /** When the last container that was restarted had ended; undefined if none was. */
  readonly lastRestart: string | undefined;
}

interface Restarts {
  count: number;
  last: string | undefined;
}

/** Summarises a pod as the server does: the first init container that is not done decides, then the containers. */
function summarizePod(pod: Pod): PodSummary {
  const { spec, status = {} } = pod;
  const sidecars = new Set(
    (spec?.initContainers ?? [])
      .filter(({ restartPolicy }) => restartPolicy === "Always")
      .map(({ name }) => name),
  );
  const init = summarizeInit(pod, sidecars);
  const containerCount = (spec?.containers.length ?? 0) + sidecars.size;
  const initial = init.reason ?? initialReason(pod);
  const isInitialized = hasTrueCondition(pod, "Initialized");
  if (init.reason !== undefined && !isInitialized) {
    const { readyCount, restarts } = init;
    return withEnd(pod, { readyCount, containerCount, reason: initial, ...restartsOf(restarts) });
  }
  const main = summarizeContainers(status.containerStatuses ?? [], initial, init.sidecarRestarts);
  const reason = main.reason === "Completed" ? completedReason(pod, main) : main.reason;
  const readyCount = init.readyCount + main.readyCount;
  return withEnd(pod, { readyCount, containerCount, reason, ...restartsOf(main.restarts) });
}

function initialReason({ status }: Pod): string {
  const isGated = status?.conditions?.some(
    ({ type, reason }) => type === "PodScheduled" && reason === "SchedulingGated",
  );
  return isGated ? "SchedulingGated" : status?.reason || status?.phase || "";
}

interface InitSummary {
  /** Undefined: all are done. */
  readonly reason: string | undefined;
  readonly readyCount: number;
  readonly restarts: Restarts;
  readonly sidecarRestarts: Restarts;
}

function summarizeInit({ spec, status }: Pod, sidecars: ReadonlySet<string>): InitSummary {
  const restarts: Restarts = { count: 0, last: undefined };
  const sidecarRestarts: Restarts = { count: 0, last: undefined };
  let readyCount = 0;
  for (const [index, container] of (status?.initContainerStatuses ?? []).entries()) {
    const isSidecar = sidecars.has(container.name);
    count(restarts, container);
    if (isSidecar) count(sidecarRestarts, container);
    const { terminated, waiting } = container.state ?? {};
    if (terminated !== undefined && terminated.exitCode === 0) continue;
    if (isSidecar && container.started === true) {
      if (container.ready) readyCount++;
      continue;
    }
    const total = spec?.initContainers?.length ?? 0;
    const reason = initReason(terminated, waiting) ?? `${index}/${total}`;
    return { reason: `Init:${reason}`, readyCount, restarts, sidecarRestarts };
  }
  return { reason: undefined, readyCount, restarts, sidecarRestarts };
}

function initReason(
  terminated: ContainerStateTerminated | undefined,
  waiting: ContainerState["waiting"],
): string | undefined {
  if (terminated !== undefined) return endReason(terminated);
  return waiting?.reason && waiting.reason !== "PodInitializing" ? waiting.reason : undefined;
}

function endReason({ reason, signal, exitCode }: ContainerStateTerminated): string {
  if (reason) return reason;
  return signal ? `Signal:${signal}` : `ExitCode:${exitCode}`;
}

interface MainSummary {
  readonly reason: string;
  readonly errorReason: string;
  readonly hasRunning: boolean;
  readonly readyCount: number;
  readonly restarts: Restarts;
}

/** In reverse order, so that the first container with a reason wins. */
function summarizeContainers(
  statuses: readonly ContainerStatus[],
  initialReason: string,
  restarts: Restarts,
): MainSummary {
  let [reason, errorReason, hasRunning, readyCount] = [initialReason, "", false, 0];
  for (const container of statuses.toReversed()) {
    count(restarts, container);
    const { waiting, terminated, running } = container.state ?? {};
    if (waiting?.reason) reason = waiting.reason;
    else if (terminated !== undefined) {
      reason = endReason(terminated);
      if (terminated.exitCode !== 0) errorReason = reason;
    } else if (container.ready && running !== undefined) {
      hasRunning = true;
      readyCount++;
    }
  }
  return { reason, errorReason, hasRunning, readyCount, restarts };
}

function completedReason(pod: Pod, { hasRunning, errorReason }: MainSummary): string {
  if (hasRunning && hasTrueCondition(pod, "Ready")) return "Running";
  if (errorReason !== "") return errorReason;
  return hasRunning ? "NotReady" : "Completed";
}

function withEnd({ metadata, status }: Pod, summary: PodSummary): PodSummary {
  if (metadata.deletionTimestamp === undefined) return summary;
  if (status?.reason === "NodeLost") return { ...summary, reason: "Unknown" };
  const isDone = status?.phase === "Succeeded" || status?.phase === "Failed";
  return isDone ? summary : { ...summary, reason: "Terminating" };
}

function count(restarts: Restarts, { restartCount, lastState }: ContainerStatus): void {
  restarts.count += restartCount;
  const ended = lastState?.terminated?.finishedAt;
  if (ended !== undefined && (restarts.last === undefined || restarts.last < ended)) restarts.last = ended;
}

function restartsOf({ count, last }: Restarts): Pick<PodSummary, "restarts" | "lastRestart"> {
  return { restarts: count, lastRestart: last };
}

function hasTrueCondition({ status }: Pod, wanted: string): boolean {
  return status?.conditions?.find(({ type }) => type === wanted)?.status === "True";
}
