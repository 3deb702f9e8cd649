import type { KubeObject } from "@keelson/core";
import type { HorizontalPodAutoscaler as AutoscalerV1, Scale } from "@keelson/core/kinds/autoscaling/v1";
import type {
  HorizontalPodAutoscaler,
  MetricSpec,
  MetricStatus,
  MetricTarget,
  MetricValueStatus,
} from "@keelson/core/kinds/autoscaling/v2";
import type { PodDisruptionBudget } from "@keelson/core/kinds/policy/v1";
import type { TableColumn } from "../../resource/served-resource.ts";
import { ageColumn, columnsFor, type KindColumn, nameColumn } from "./column.ts";

export const disruptionBudgetColumns: readonly KindColumn<PodDisruptionBudget>[] = [
  nameColumn,
  {
    name: "Min Available",
    description: "Pods that must stay available",
    cell: ({ spec }) => String(spec?.minAvailable ?? "N/A"),
  },
  {
    name: "Max Unavailable",
    description: "Pods that may be away",
    cell: ({ spec }) => String(spec?.maxUnavailable ?? "N/A"),
  },
  {
    name: "Allowed Disruptions",
    type: "integer",
    description: "Pods that may be taken away now",
    cell: ({ status }) => status?.disruptionsAllowed ?? 0,
  },
  ageColumn,
];

/** In either version: the first has no metrics but that of CPU. */
type Autoscaler = KubeObject & {
  readonly spec?: Partial<NonNullable<HorizontalPodAutoscaler["spec"]>> &
    Partial<NonNullable<AutoscalerV1["spec"]>>;
  readonly status?: Partial<NonNullable<HorizontalPodAutoscaler["status"]>> &
    Partial<NonNullable<AutoscalerV1["status"]>>;
};

export const autoscalerColumns: readonly KindColumn<Autoscaler>[] = [
  nameColumn,
  {
    name: "Reference",
    description: "What is scaled",
    cell: ({ spec }) => `${spec?.scaleTargetRef?.kind ?? ""}/${spec?.scaleTargetRef?.name ?? ""}`,
  },
  { name: "Targets", description: "Metrics, as they are and as they are to be", cell: targetsText },
  { name: "MinPods", description: "Fewest pods", cell: ({ spec }) => String(spec?.minReplicas ?? "<unset>") },
  { name: "MaxPods", description: "Most pods", cell: ({ spec }) => spec?.maxReplicas ?? 0 },
  { name: "Replicas", description: "Pods there", cell: ({ status }) => status?.currentReplicas ?? 0 },
  ageColumn,
];

const mostMetrics = 2;

function targetsText({ spec = {}, status = {} }: Autoscaler): string {
  const target = spec.targetCPUUtilizationPercentage;
  if (spec.metrics === undefined && target !== undefined) {
    return `cpu: ${percent(status.currentCPUUtilizationPercentage) ?? unknown}/${target}%`;
  }
  const metrics = spec.metrics ?? [];
  if (metrics.length === 0) return "<none>";
  const texts = metrics.map((metric, index) => metricText(metric, status.currentMetrics?.[index]));
  const shown = texts.slice(0, mostMetrics).join(", ");
  return texts.length > mostMetrics ? `${shown} + ${texts.length - mostMetrics} more...` : shown;
}

const unknown = "<unknown>";

function metricText(spec: MetricSpec, status: MetricStatus | undefined): string {
  switch (spec.type) {
    case "External":
      return valueText(spec.external?.target, status?.external?.current);
    case "Object":
      return valueText(spec.object?.target, status?.object?.current);
    case "Pods":
      return `${average(status?.pods?.current)}/${spec.pods?.target.averageValue ?? "0"}`;
    case "Resource":
      return `${spec.resource?.name}: ${usageText(spec.resource?.target, status?.resource?.current)}`;
    case "ContainerResource": {
      const { name, target } = spec.containerResource ?? {};
      return `${name}: ${usageText(target, status?.containerResource?.current)}`;
    }
    default:
      return "<unknown type>";
  }
}

function valueText(target: MetricTarget | undefined, current: MetricValueStatus | undefined): string {
  if (target?.averageValue !== undefined) {
    return `${current?.averageValue ?? unknown}/${target.averageValue} (avg)`;
  }
  return `${current === undefined ? unknown : (current.value ?? "0")}/${target?.value ?? "0"}`;
}

function usageText(target: MetricTarget | undefined, current: MetricValueStatus | undefined): string {
  if (target?.averageValue !== undefined) return `${average(current)}/${target.averageValue}`;
  return `${percent(current?.averageUtilization) ?? unknown}/${percent(target?.averageUtilization) ?? "<auto>"}`;
}

function average(current: MetricValueStatus | undefined): string {
  return current === undefined ? unknown : (current.averageValue ?? "0");
}

function percent(value: number | undefined): string | undefined {
  return value === undefined ? undefined : `${value}%`;
}

const counts: readonly KindColumn<Scale>[] = [
  {
    name: "Desired",
    type: "integer",
    description: "How many there are to be",
    cell: ({ spec }) => spec?.replicas ?? 0,
  },
  {
    name: "Available",
    type: "integer",
    description: "How many there are",
    cell: ({ status }) => status?.replicas ?? 0,
  },
];

const builtinColumns = columnsFor([{ ...nameColumn, format: "" }, ...counts, ageColumn]);
const customColumns = columnsFor([nameColumn, ...counts, { ...ageColumn, type: "date" }]);

/** What is printed of a Scale: custom kinds show the same with other types. */
export function scaleColumns(isCustom: boolean): readonly TableColumn[] {
  return isCustom ? customColumns : builtinColumns;
}
