import type { FlowSchema, PriorityLevelConfiguration } from "@keelson/core/kinds/flowcontrol/v1";
import { ageColumn, type Cell, type KindColumn, nameColumn } from "./column.ts";

export const flowSchemaColumns: readonly KindColumn<FlowSchema>[] = [
  nameColumn,
  {
    name: "PriorityLevel",
    description: "Where its requests go",
    cell: ({ spec }) => spec?.priorityLevelConfiguration.name ?? "",
  },
  {
    name: "MatchingPrecedence",
    description: "The lowest goes first",
    cell: ({ spec }) => spec?.matchingPrecedence ?? 0,
  },
  {
    name: "DistinguisherMethod",
    description: "How flows are distinguished",
    cell: ({ spec }) => spec?.distinguisherMethod?.type ?? "<none>",
  },
  ageColumn,
  {
    name: "MissingPL",
    description: "Whether its level is not there",
    cell: ({ status }) => status?.conditions?.find(({ type }) => type === "Dangling")?.status ?? "?",
  },
];

type Queuing = Readonly<Record<"queues" | "handSize" | "queueLengthLimit", number | undefined>>;

export const priorityLevelColumns: readonly KindColumn<PriorityLevelConfiguration>[] = [
  nameColumn,
  { name: "Type", description: "Whether it is limited", cell: ({ spec }) => spec?.type ?? "" },
  {
    name: "NominalConcurrencyShares",
    description: "Its share of what the server can do",
    cell: ({ spec }) =>
      spec?.limited === undefined ? "<none>" : (spec.limited.nominalConcurrencyShares ?? 0),
  },
  queuingColumn("Queues", "queues"),
  queuingColumn("HandSize", "handSize"),
  queuingColumn("QueueLengthLimit", "queueLengthLimit"),
  ageColumn,
];

function queuingColumn(name: string, field: keyof Queuing): KindColumn<PriorityLevelConfiguration> {
  return {
    name,
    description: "How its requests wait",
    cell: ({ spec }): Cell => {
      const queuing = spec?.limited?.limitResponse?.queuing;
      return queuing === undefined ? "<none>" : (queuing[field] ?? 0);
    },
  };
}
