import type {
  ContainerResourceMetricSource,
  ExternalMetricSource,
  HorizontalPodAutoscalerBehavior,
  HPAScalingPolicy,
  HPAScalingRules,
  MetricIdentifier,
  MetricSpec,
  MetricTarget,
  ObjectMetricSource,
  PodsMetricSource,
  ResourceMetricSource,
} from "@keelson/core/kinds/autoscaling/v2";
import {
  type FieldProblem,
  forbiddenField,
  indexed,
  invalidValue,
  notSupported,
  required,
} from "../../status/field-problem.ts";
import type { Given } from "../builtin-strategy.ts";
import { containerResourceNameProblems, readAmount } from "../pod/resource-requirements.ts";
import { dnsLabel, pathSegment, requiredText } from "../value-problems.ts";

type GivenMetric = Given<MetricSpec>;

const metricTypes = ["ContainerResource", "External", "Object", "Pods", "Resource"];
/** Where a metric of each type says what it is, in the order of the checks: only the first one is looked into. */
const sources = ["object", "external", "pods", "resource", "containerResource"] as const;
const targetTypes = ["Utilization", "Value", "AverageValue"];

export function metricsProblems(metrics: readonly GivenMetric[]): readonly FieldProblem[] {
  return metrics.flatMap((metric, index) => metricProblems(metric, indexed("spec.metrics", index)));
}

function metricProblems(metric: GivenMetric, field: string): readonly FieldProblem[] {
  const { type = "" } = metric;
  const problems: FieldProblem[] = [];
  const unknown = notSupported(`${field}.type`, type, metricTypes);
  const isKnown = metricTypes.includes(type);
  if (type === "") problems.push(required(`${field}.type`, "must specify a metric source type"));
  if (!isKnown) problems.push(unknown);
  const present = sources.filter((source) => metric[source] !== undefined);
  problems.push(...sourceProblems(metric, field));
  const expected = sources.find((source) => source.toLowerCase() === type.toLowerCase());
  if (!isKnown || expected === undefined) problems.push(unknown);
  else if (!present.includes(expected)) {
    const detail = "must populate information for the given metric source";
    problems.push(required(`${field}.${expected}`, detail));
  }
  const superfluous = present.length === 1 ? [] : present.filter((source) => source !== expected);
  return [
    ...problems,
    ...superfluous.map((source) =>
      forbiddenField(`${field}.${source}`, "must populate the given metric source only"),
    ),
  ];
}

function sourceProblems(metric: GivenMetric, field: string): readonly FieldProblem[] {
  const { object, external, pods, resource, containerResource } = metric;
  if (object !== undefined) return objectProblems(object, `${field}.object`);
  if (external !== undefined) return externalProblems(external, `${field}.external`);
  if (pods !== undefined) return podsProblems(pods, `${field}.pods`);
  if (resource !== undefined) return resourceProblems(resource, `${field}.resource`);
  return containerResource === undefined
    ? []
    : containerProblems(containerResource, `${field}.containerResource`);
}

function objectProblems(
  { describedObject: { kind, name } = {}, metric = {}, target = {} }: Given<ObjectMetricSource>,
  field: string,
): readonly FieldProblem[] {
  const place = `${field}.describedObject`;
  const isTargeted = target.value !== undefined || target.averageValue !== undefined;
  const detail = "must set either a target value or averageValue";
  return [
    ...requiredText(kind, `${place}.kind`, pathSegment),
    ...requiredText(name, `${place}.name`, pathSegment),
    ...identifierProblems(metric, `${field}.metric`),
    ...targetProblems(target, `${field}.target`),
    ...(isTargeted ? [] : [required(`${field}.target.averageValue`, detail)]),
  ];
}

function externalProblems(
  { metric = {}, target = {} }: Given<ExternalMetricSource>,
  field: string,
): readonly FieldProblem[] {
  const [hasValue, hasAverage] = [target.value !== undefined, target.averageValue !== undefined];
  const neither = "must set either a target value for metric or a per-pod target";
  const both = "may not set both a target value for metric and a per-pod target";
  return [
    ...identifierProblems(metric, `${field}.metric`),
    ...targetProblems(target, `${field}.target`),
    ...(hasValue || hasAverage ? [] : [required(`${field}.target.averageValue`, neither)]),
    ...(hasValue && hasAverage ? [forbiddenField(`${field}.target.value`, both)] : []),
  ];
}

function podsProblems(
  { metric = {}, target = {} }: Given<PodsMetricSource>,
  field: string,
): readonly FieldProblem[] {
  const detail = "must specify a positive target averageValue";
  return [
    ...identifierProblems(metric, `${field}.metric`),
    ...targetProblems(target, `${field}.target`),
    ...(target.averageValue === undefined ? [required(`${field}.target.averageValue`, detail)] : []),
  ];
}

function resourceProblems(
  { name, target = {} }: Given<ResourceMetricSource>,
  field: string,
): readonly FieldProblem[] {
  return [
    ...(name ? [] : [required(`${field}.name`, "must specify a resource name")]),
    ...shareProblems(target, `${field}.target`),
  ];
}

function containerProblems(
  { name, container, target = {} }: Given<ContainerResourceMetricSource>,
  field: string,
): readonly FieldProblem[] {
  return [
    ...(name
      ? containerResourceNameProblems(name, `${field}.name`)
      : [required(`${field}.name`, "must specify a resource name")]),
    ...(container
      ? dnsLabel(container, `${field}.container`)
      : [required(`${field}.container`, "must specify a container")]),
    ...shareProblems(target, `${field}.target`),
  ];
}

/** Of a resource: a percentage of the requests of pods, or an amount. */
function shareProblems(target: Given<MetricTarget>, field: string): readonly FieldProblem[] {
  const [hasShare, hasAmount] = [target.averageUtilization !== undefined, target.averageValue !== undefined];
  const neither = "must set either a target raw value or a target utilization";
  const both = "may not set both a target raw value and a target utilization";
  return [
    ...targetProblems(target, field),
    ...(hasShare || hasAmount ? [] : [required(`${field}.averageUtilization`, neither)]),
    ...(hasShare && hasAmount ? [forbiddenField(`${field}.averageValue`, both)] : []),
  ];
}

function targetProblems(target: Given<MetricTarget>, field: string): readonly FieldProblem[] {
  const { type = "", averageUtilization } = target;
  const problems: FieldProblem[] = [];
  if (type === "") problems.push(required(`${field}.type`, "must specify a metric target type"));
  if (!targetTypes.includes(type)) {
    const detail = "must be either Utilization, Value, or AverageValue";
    problems.push(invalidValue(`${field}.type`, type, detail));
  }
  for (const name of ["value", "averageValue"] as const) {
    const amount = target[name];
    const quantity = amount === undefined ? undefined : readAmount(amount);
    if (quantity !== undefined && quantity.nanos <= 0n) {
      problems.push(invalidValue(`${field}.${name}`, amount, "must be positive"));
    }
  }
  if (averageUtilization !== undefined && averageUtilization < 1) {
    problems.push(invalidValue(`${field}.averageUtilization`, averageUtilization, "must be greater than 0"));
  }
  return problems;
}

function identifierProblems({ name }: Given<MetricIdentifier>, field: string): readonly FieldProblem[] {
  return name
    ? pathSegment(name, `${field}.name`)
    : [required(`${field}.name`, "must specify a metric name")];
}

const longestWindow = 3600;
const longestPeriod = 1800;
const selectPolicies = ["Disabled", "Max", "Min"];
const policyTypes = ["Percent", "Pods"];

/** How fast an autoscaler may scale. */
export function behaviorProblems(
  { scaleUp, scaleDown }: Given<HorizontalPodAutoscalerBehavior>,
  field: string,
): readonly FieldProblem[] {
  return [
    ...(scaleUp === undefined ? [] : rulesProblems(scaleUp, `${field}.scaleUp`)),
    ...(scaleDown === undefined ? [] : rulesProblems(scaleDown, `${field}.scaleDown`)),
  ];
}

function rulesProblems(rules: Given<HPAScalingRules>, field: string): readonly FieldProblem[] {
  const { stabilizationWindowSeconds: window = 0, selectPolicy, policies = [], tolerance } = rules;
  const problems: FieldProblem[] = [];
  const place = `${field}.stabilizationWindowSeconds`;
  if (window < 0) problems.push(invalidValue(place, window, "must be greater than or equal to zero"));
  if (window > longestWindow) {
    problems.push(invalidValue(place, window, `must be less than or equal to ${longestWindow}`));
  }
  if (selectPolicy !== undefined && !selectPolicies.includes(selectPolicy)) {
    problems.push(notSupported(`${field}.selectPolicy`, selectPolicy, selectPolicies));
  }
  if (policies.length === 0) {
    problems.push(required(`${field}.policies`, "must specify at least one Policy"));
  }
  problems.push(
    ...policies.flatMap((policy, index) => policyProblems(policy, indexed(`${field}.policies`, index))),
  );
  const amount = tolerance === undefined ? undefined : readAmount(tolerance);
  if (amount !== undefined && amount.nanos < 0n) {
    problems.push(invalidValue(`${field}.tolerance`, tolerance, "must be greater than or equal to 0"));
  }
  return problems;
}

function policyProblems(
  { type = "", value = 0, periodSeconds = 0 }: Given<HPAScalingPolicy>,
  field: string,
): readonly FieldProblem[] {
  const place = `${field}.periodSeconds`;
  return [
    ...(policyTypes.includes(type) ? [] : [notSupported(`${field}.type`, type, policyTypes)]),
    ...(value > 0 ? [] : [invalidValue(`${field}.value`, value, "must be greater than zero")]),
    ...(periodSeconds > 0 ? [] : [invalidValue(place, periodSeconds, "must be greater than zero")]),
    ...(periodSeconds > longestPeriod
      ? [invalidValue(place, periodSeconds, `must be less than or equal to ${longestPeriod}`)]
      : []),
  ];
}
