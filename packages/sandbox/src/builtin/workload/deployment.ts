import { type Draft, deepEqual, draft } from "@keelson/core";
import type { Deployment, DeploymentSpec, DeploymentStrategy } from "@keelson/core/kinds/apps/v1";
import type { Strategy } from "../../resource/strategy.ts";
import { type FieldProblem, forbiddenField, invalidValue, notSupported } from "../../status/field-problem.ts";
import { builtinStrategy, type Given } from "../builtin-strategy.ts";
import { setPodTemplateDefaults } from "../pod/pod-defaults.ts";
import { podTemplateProblems } from "../pod/pod-spec-validation.ts";
import { templateWarnings } from "../pod/pod-spec-warnings.ts";
import { atMost100Percent, countOrPercent, countOrPercentValue, nonNegative } from "../value-problems.ts";
import {
  collisionProblems,
  countsProblems,
  immutableSelector,
  labelsMatchProblems,
  longRunningProblems,
  nameWarnings,
  selectorProblems,
} from "./workload-validation.ts";

export const deploymentStrategy: Strategy = builtinStrategy<Deployment>({
  countsGenerations: true,
  isNewGeneration: (deployment, old) =>
    !deepEqual(deployment.spec, old.spec) ||
    !deepEqual(deployment.metadata.annotations ?? {}, old.metadata.annotations ?? {}),
  setDefaults(deployment) {
    deployment.spec ??= {};
    setSpecDefaults(deployment.spec);
  },
  prepareForStatusUpdate(deployment, old) {
    const { labels } = old.metadata;
    if (labels === undefined) delete deployment.metadata.labels;
    else deployment.metadata.labels = draft(labels);
  },
  validate: ({ spec = {} }) => specProblems(spec),
  validateUpdate: (deployment, old) => immutableSelector(deployment.spec?.selector, old.spec?.selector),
  validateStatusUpdate: ({ status = {} }, old) => [
    ...countsProblems(
      status,
      [
        "observedGeneration",
        "replicas",
        "updatedReplicas",
        "readyReplicas",
        "availableReplicas",
        "unavailableReplicas",
        "terminatingReplicas",
        "collisionCount",
      ],
      [
        ["updatedReplicas", "replicas", "status.replicas"],
        ["readyReplicas", "replicas", "status.replicas"],
        ["availableReplicas", "replicas", "status.replicas"],
        ["availableReplicas", "readyReplicas", "readyReplicas"],
      ],
    ),
    ...collisionProblems(status.collisionCount, old.status?.collisionCount),
  ],
  warnings(deployment, old) {
    return [
      ...nameWarnings(deployment, old),
      ...templateWarnings(deployment.spec?.template, deployment, old),
    ];
  },
});

function setSpecDefaults(spec: Draft<Given<DeploymentSpec>>): void {
  spec.replicas ??= 1;
  spec.strategy ??= {};
  const { strategy } = spec;
  strategy.type ||= "RollingUpdate";
  if (strategy.type === "RollingUpdate") {
    strategy.rollingUpdate ??= {};
    strategy.rollingUpdate.maxUnavailable ??= "25%";
    strategy.rollingUpdate.maxSurge ??= "25%";
  }
  spec.revisionHistoryLimit ??= 10;
  spec.progressDeadlineSeconds ??= 600;
  spec.template ??= {};
  setPodTemplateDefaults(spec.template);
}

function specProblems(spec: Given<DeploymentSpec>): readonly FieldProblem[] {
  const { progressDeadlineSeconds: deadline, minReadySeconds = 0, strategy = {}, template = {} } = spec;
  return [
    ...nonNegative(spec.replicas, "spec.replicas"),
    ...selectorProblems(spec, "deployment"),
    ...labelsMatchProblems(spec),
    ...podTemplateProblems(template, "spec.template"),
    ...longRunningProblems(spec, "ReplicaSet"),
    ...strategyProblems(strategy, "spec.strategy"),
    ...nonNegative(minReadySeconds, "spec.minReadySeconds"),
    ...nonNegative(spec.revisionHistoryLimit, "spec.revisionHistoryLimit"),
    ...nonNegative(deadline, "spec.progressDeadlineSeconds"),
    ...(deadline !== undefined && deadline <= minReadySeconds
      ? [invalidValue("spec.progressDeadlineSeconds", deadline, "must be greater than minReadySeconds")]
      : []),
  ];
}

function strategyProblems(strategy: Given<DeploymentStrategy>, field: string): readonly FieldProblem[] {
  const { type = "", rollingUpdate } = strategy;
  if (type === "Recreate") {
    const detail = "may not be specified when strategy `type` is 'Recreate'";
    return rollingUpdate === undefined ? [] : [forbiddenField(`${field}.rollingUpdate`, detail)];
  }
  if (type === "RollingUpdate") return rollingUpdateProblems(rollingUpdate ?? {}, `${field}.rollingUpdate`);
  return [notSupported(field, asServerPrints(strategy), ["Recreate", "RollingUpdate"])];
}

function rollingUpdateProblems(
  { maxUnavailable, maxSurge }: NonNullable<Given<DeploymentStrategy>["rollingUpdate"]>,
  field: string,
): readonly FieldProblem[] {
  const stands = countOrPercentValue(maxUnavailable) === 0 && countOrPercentValue(maxSurge) === 0;
  return [
    ...countOrPercent(maxUnavailable, `${field}.maxUnavailable`),
    ...countOrPercent(maxSurge, `${field}.maxSurge`),
    ...(stands
      ? [invalidValue(`${field}.maxUnavailable`, maxUnavailable, "may not be 0 when `maxSurge` is 0")]
      : []),
    ...atMost100Percent(maxUnavailable, `${field}.maxUnavailable`),
  ];
}

function asServerPrints({ type = "", rollingUpdate }: Given<DeploymentStrategy>): unknown {
  const { maxUnavailable = 0, maxSurge = 0 } = rollingUpdate ?? {};
  const printed = rollingUpdate === undefined ? null : { MaxUnavailable: maxUnavailable, MaxSurge: maxSurge };
  return { Type: type, RollingUpdate: printed };
}
