import type { Pod } from "@keelson/core/kinds/core/v1";
import { orNone } from "./cell-text.ts";
import { ageColumn, type KindColumn, nameColumn } from "./column.ts";
import { ageSince } from "./human-duration.ts";
import { summarizePod } from "./pod-summary.ts";

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
