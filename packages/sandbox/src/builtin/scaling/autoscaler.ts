import type { Draft } from "@keelson/core";
import type { HorizontalPodAutoscaler as AutoscalerV1 } from "@keelson/core/kinds/autoscaling/v1";
import type { HorizontalPodAutoscaler, HPAScalingRules } from "@keelson/core/kinds/autoscaling/v2";
import { pathSegmentProblems } from "../../resource/name-problems.ts";
import type { Strategy } from "../../resource/strategy.ts";
import { type FieldProblem, forbiddenField, invalidValue, required } from "../../status/field-problem.ts";
import { builtinStrategy } from "../builtin-strategy.ts";
import type { Given } from "../given.ts";
import { metricsAnnotation } from "./autoscaler-conversion.ts";
import { behaviorProblems } from "./behavior-validation.ts";
import { metricsProblems } from "./metric-validation.ts";

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
