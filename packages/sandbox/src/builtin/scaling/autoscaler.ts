import { type Draft, draft, type GenericObject, isRecord } from "@keelson/core";
import type { HorizontalPodAutoscaler as AutoscalerV1 } from "@keelson/core/kinds/autoscaling/v1";
import type { HorizontalPodAutoscaler, HPAScalingRules } from "@keelson/core/kinds/autoscaling/v2";
import type { MutableObject } from "../../resource/mutable-object.ts";
import { pathSegmentProblems } from "../../resource/name-problems.ts";
import type { Strategy } from "../../resource/strategy.ts";
import { type FieldProblem, forbiddenField, invalidValue, required } from "../../status/field-problem.ts";
import { builtinStrategy, type Given } from "../builtin-strategy.ts";
import { behaviorProblems, metricsProblems } from "./autoscaler-validation.ts";

const defaultUtilization = 80;

export const autoscalerStrategy: Strategy = builtinStrategy<HorizontalPodAutoscaler>({
  setDefaults(autoscaler) {
    autoscaler.spec ??= {};
    const { spec } = autoscaler;
    spec.minReplicas ??= 1;
    if ((spec.metrics ?? []).length === 0) {
      const target = { type: "Utilization", averageUtilization: defaultUtilization };
      spec.metrics = [{ type: "Resource", resource: { name: "cpu", target } }];
    }
    const { behavior } = spec;
    if (behavior === undefined) return;
    behavior.scaleUp = withDefaults(behavior.scaleUp, scaleUp);
    behavior.scaleDown = withDefaults(behavior.scaleDown, scaleDown);
  },
  prepareForCreate(autoscaler) {
    // The server says null here, not nothing, which no type of ours allows.
    Object.assign(autoscaler, { status: { currentMetrics: null, desiredReplicas: 0 } });
  },
  validate: ({ spec = {} }) => [
    ...sizeProblems(spec),
    ...metricsProblems(spec.metrics ?? []),
    ...zeroProblems(spec),
    ...(spec.behavior === undefined ? [] : behaviorProblems(spec.behavior, "spec.behavior")),
  ],
});

export const autoscalerV1Strategy: Strategy = builtinStrategy<AutoscalerV1>({
  setDefaults(autoscaler) {
    autoscaler.spec ??= {};
    autoscaler.spec.minReplicas ??= 1;
    const hasOtherMetrics = autoscaler.metadata.annotations?.[metricsAnnotation] !== undefined;
    if (!hasOtherMetrics) autoscaler.spec.targetCPUUtilizationPercentage ??= defaultUtilization;
  },
  prepareForCreate(autoscaler) {
    autoscaler.status = { currentReplicas: 0, desiredReplicas: 0 };
  },
  validate: ({ spec = {} }) => [
    ...sizeProblems(spec),
    ...utilizationProblems(spec.targetCPUUtilizationPercentage ?? defaultUtilization),
    ...zeroProblems(spec),
  ],
});

/** It stands for a metric, which is what the server speaks of. */
function utilizationProblems(percentage: number): readonly FieldProblem[] {
  const field = "spec.metrics[0].resource.target.averageUtilization";
  return percentage > 0 ? [] : [invalidValue(field, percentage, "must be greater than 0")];
}

type Rules = Draft<Given<HPAScalingRules>>;

const scaleUp = {
  stabilizationWindowSeconds: 0,
  selectPolicy: "Max",
  policies: [
    { type: "Pods", value: 4, periodSeconds: 15 },
    { type: "Percent", value: 100, periodSeconds: 15 },
  ],
};
const scaleDown = {
  selectPolicy: "Max",
  policies: [{ type: "Percent", value: 100, periodSeconds: 15 }],
};

function withDefaults(rules: Rules = {}, defaults: Rules): Rules {
  const { policies = [], stabilizationWindowSeconds } = defaults;
  rules.selectPolicy ??= defaults.selectPolicy ?? "Max";
  if (stabilizationWindowSeconds !== undefined)
    rules.stabilizationWindowSeconds ??= stabilizationWindowSeconds;
  if ((rules.policies ?? []).length === 0) rules.policies = policies.map((policy) => ({ ...policy }));
  return rules;
}

interface Size {
  readonly minReplicas?: number;
  readonly maxReplicas?: number;
  readonly scaleTargetRef?: { readonly apiVersion?: string; readonly kind?: string; readonly name?: string };
  readonly metrics?: readonly { readonly type?: string }[];
}

function sizeProblems(size: Size): readonly FieldProblem[] {
  const { minReplicas = 1, maxReplicas = 0, scaleTargetRef = {} } = size;
  const problems: FieldProblem[] = [];
  if (minReplicas < 1) {
    const detail = "must be greater than or equal to 1";
    problems.push(invalidValue("spec.minReplicas", minReplicas, detail));
  }
  if (maxReplicas === 0) problems.push(required("spec.maxReplicas", "must be set and greater than 0"));
  if (maxReplicas < 0) {
    const detail = "must be greater than or equal to 1";
    problems.push(invalidValue("spec.maxReplicas", maxReplicas, detail));
  }
  if (maxReplicas < minReplicas) {
    const detail = "must be greater than or equal to `minReplicas`";
    problems.push(invalidValue("spec.maxReplicas", maxReplicas, detail));
  }
  return [...problems, ...targetProblems(scaleTargetRef, "spec.scaleTargetRef")];
}

function targetProblems(target: NonNullable<Size["scaleTargetRef"]>, field: string): readonly FieldProblem[] {
  const problems: FieldProblem[] = [];
  for (const part of ["kind", "name"] as const) {
    const { [part]: value = "" } = target;
    if (value === "") problems.push(required(`${field}.${part}`));
    problems.push(
      ...pathSegmentProblems(value).map((detail) => invalidValue(`${field}.${part}`, value, detail)),
    );
  }
  const { apiVersion = "", kind } = target;
  const [group, version, ...more] = apiVersion.split("/");
  const wrong = (detail: string): readonly FieldProblem[] => [
    ...problems,
    invalidValue(`${field}.apiVersion`, apiVersion, detail),
  ];
  if (more.length > 0) return wrong(`unexpected GroupVersion string: ${apiVersion}`);
  // The one kind without a group that can be scaled.
  const needsGroup = kind !== "ReplicationController";
  const hasGroup = version !== undefined && group !== "";
  return needsGroup && !hasGroup ? wrong("apiVersion must specify API group") : problems;
}

function zeroProblems({ minReplicas, metrics = [] }: Size): readonly FieldProblem[] {
  const detail = "must specify at least one Object or External metric to support scaling to zero replicas";
  return minReplicas === 0 && !metrics.some(({ type }) => type === "Object" || type === "External")
    ? [forbiddenField("spec.metrics", detail)]
    : [];
}

/** Where `autoscaling/v1` keeps the metrics it has no fields for. */
const metricsAnnotation = "autoscaling.alpha.kubernetes.io/metrics";
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
  const remaining = all.filter((metric) => metric !== cpu);
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
  annotate(converted, metricsAnnotation, remaining.length === 0 ? undefined : remaining);
  annotate(converted, behaviorAnnotation, behavior);
  return converted;
}

function toV2(object: GenericObject): MutableObject {
  const { targetCPUUtilizationPercentage: utilization, ...spec } = copyOf(object["spec"]);
  const { currentCPUUtilizationPercentage: _current, ...status } = copyOf(object["status"]);
  const metadata = draft(object.metadata);
  const remaining = readAnnotation(metadata.annotations, metricsAnnotation);
  const behavior = readAnnotation(metadata.annotations, behaviorAnnotation);
  const cpu = {
    type: "Resource",
    resource: { name: "cpu", target: { type: "Utilization", averageUtilization: utilization } },
  };
  const metrics = [
    ...(Array.isArray(remaining) ? remaining : []),
    ...(utilization === undefined ? [] : [cpu]),
  ];
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

/** The value of an annotation; undefined if it is missing or is not JSON. */
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
