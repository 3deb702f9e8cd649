import { draft, type GenericObject, isRecord } from "@keelson/core";
import type { MutableObject } from "../../resource/mutable-object.ts";

/** Where `autoscaling/v1` keeps the metrics it has no fields for. */
export const metricsAnnotation = "autoscaling.alpha.kubernetes.io/metrics";
const behaviorAnnotation = "autoscaling.alpha.kubernetes.io/behavior";

/** Between `autoscaling/v2`, in which autoscalers are kept, and `autoscaling/v1`. What v1 lacks is in annotations. */
export function convertAutoscaler(object: GenericObject): MutableObject {
  return object.apiVersion === "autoscaling/v1" ? toV2(object) : toV1(object);
}

function toV1(object: GenericObject): MutableObject {
  const { metrics, behavior, ...spec } = copyOf(object["spec"]);
  const { currentMetrics, conditions: _conditions, ...status } = copyOf(object["status"]);
  const all = Array.isArray(metrics) ? metrics : [];
  const cpu = all.find(isCpuUtilization);
  const others = all.filter((metric) => metric !== cpu);
  const utilization = utilizationOf(cpu, "target");
  const current = Array.isArray(currentMetrics)
    ? utilizationOf(currentMetrics.find(isCpuUtilization), "current")
    : undefined;
  const converted: MutableObject = {
    apiVersion: "autoscaling/v1",
    kind: object.kind,
    metadata: draft(object.metadata),
    spec: { ...spec, ...(utilization === undefined ? {} : { targetCPUUtilizationPercentage: utilization }) },
    status: {
      currentReplicas: 0,
      ...status,
      ...(current === undefined ? {} : { currentCPUUtilizationPercentage: current }),
    },
  };
  annotate(converted, metricsAnnotation, others.length === 0 ? undefined : others);
  annotate(converted, behaviorAnnotation, behavior);
  return converted;
}

function toV2(object: GenericObject): MutableObject {
  const { targetCPUUtilizationPercentage: utilization, ...spec } = copyOf(object["spec"]);
  const { currentCPUUtilizationPercentage: _current, ...status } = copyOf(object["status"]);
  const metadata = draft(object.metadata);
  const others = readAnnotation(metadata.annotations, metricsAnnotation);
  const behavior = readAnnotation(metadata.annotations, behaviorAnnotation);
  const cpu = {
    type: "Resource",
    resource: { name: "cpu", target: { type: "Utilization", averageUtilization: utilization } },
  };
  const metrics = [...(Array.isArray(others) ? others : []), ...(utilization === undefined ? [] : [cpu])];
  if (metadata.annotations !== undefined) {
    delete metadata.annotations[metricsAnnotation];
    delete metadata.annotations[behaviorAnnotation];
    if (Object.keys(metadata.annotations).length === 0) delete metadata.annotations;
  }
  return {
    apiVersion: "autoscaling/v2",
    kind: object.kind,
    metadata,
    spec: {
      ...spec,
      ...(metrics.length === 0 ? {} : { metrics }),
      ...(behavior === undefined ? {} : { behavior }),
    },
    status: { currentMetrics: null, ...status },
  };
}

function copyOf(value: unknown): Record<string, unknown> {
  return isRecord(value) ? draft(value) : {};
}

function isCpuUtilization(metric: unknown): boolean {
  return utilizationOf(metric, "target") !== undefined || utilizationOf(metric, "current") !== undefined;
}

function utilizationOf(metric: unknown, part: "target" | "current"): unknown {
  if (!isRecord(metric) || metric["type"] !== "Resource" || !isRecord(metric["resource"])) return undefined;
  const { name, [part]: value } = metric["resource"];
  return name === "cpu" && isRecord(value) ? value["averageUtilization"] : undefined;
}

function annotate(object: MutableObject, key: string, value: unknown): void {
  if (value === undefined) return;
  object.metadata.annotations = { ...object.metadata.annotations, [key]: JSON.stringify(value) };
}

/** Undefined also for what somebody else wrote there and is not JSON. */
function readAnnotation(annotations: Readonly<Record<string, string>> | undefined, key: string): unknown {
  const text = annotations?.[key];
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}
