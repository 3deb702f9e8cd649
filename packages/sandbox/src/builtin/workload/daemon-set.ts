import { deepEqual } from "@keelson/core";
import type { DaemonSet, DaemonSetUpdateStrategy } from "@keelson/core/kinds/apps/v1";
import { labelSelectorProblems } from "../../resource/label-problems.ts";
import type { Strategy } from "../../resource/strategy.ts";
import { type FieldProblem, invalidValue, notSupported, required } from "../../status/field-problem.ts";
import { builtinStrategy, type Given, type GivenDraft } from "../builtin-strategy.ts";
import { setPodTemplateDefaults } from "../pod/pod-defaults.ts";
import { podTemplateProblems } from "../pod/pod-spec-validation.ts";
import { templateWarnings } from "../pod/pod-spec-warnings.ts";
import { atMost100Percent, countOrPercent, countOrPercentValue, nonNegative } from "../value-problems.ts";
import {
  collisionProblems,
  countsProblems,
  immutableSelector,
  isEmptySelector,
  labelsMatchProblems,
  longRunningProblems,
} from "./workload-validation.ts";

/** How often the template changed; kept for clients of a removed API version. */
const templateGeneration = "deprecated.daemonset.template.generation";

export const daemonSetStrategy: Strategy = builtinStrategy<DaemonSet>({
  countsGenerations: true,
  setDefaults,
  prepareForCreate(set) {
    set.status = {
      currentNumberScheduled: 0,
      numberMisscheduled: 0,
      desiredNumberScheduled: 0,
      numberReady: 0,
    };
    const given = Number(set.metadata.annotations?.[templateGeneration] ?? 0);
    const generation = Number.isSafeInteger(given) && given >= 1 ? given : 1;
    set.metadata.annotations = { ...set.metadata.annotations, [templateGeneration]: String(generation) };
  },
  prepareForUpdate(set, old) {
    const before = Number(old.metadata.annotations?.[templateGeneration] ?? 1);
    const isChanged = !deepEqual(set.spec?.template, old.spec?.template);
    const generation = String(isChanged ? before + 1 : before);
    set.metadata.annotations = { ...set.metadata.annotations, [templateGeneration]: generation };
  },
  validate({ spec = {} }) {
    const { selector, template = {}, updateStrategy = {} } = spec;
    return [
      ...labelSelectorProblems(selector, "spec.selector"),
      ...labelsMatchProblems(spec),
      ...(selector !== undefined && isEmptySelector(selector)
        ? [invalidValue("spec.selector", selector, "empty selector is invalid for daemonset")]
        : []),
      ...podTemplateProblems(template, "spec.template"),
      ...longRunningProblems(spec, "DaemonSet"),
      ...nonNegative(spec.minReadySeconds, "spec.minReadySeconds"),
      ...updateStrategyProblems(updateStrategy, "spec.updateStrategy"),
      ...nonNegative(spec.revisionHistoryLimit, "spec.revisionHistoryLimit"),
    ];
  },
  validateUpdate: (set, old) => immutableSelector(set.spec?.selector, old.spec?.selector),
  validateStatusUpdate: ({ status = {} }, old) => [
    ...countsProblems(
      status,
      [
        "currentNumberScheduled",
        "numberMisscheduled",
        "desiredNumberScheduled",
        "numberReady",
        "observedGeneration",
        "updatedNumberScheduled",
        "numberAvailable",
        "numberUnavailable",
        "collisionCount",
      ],
      [],
    ),
    ...collisionProblems(status.collisionCount, old.status?.collisionCount),
  ],
  warnings: (set, old) =>
    deepEqual(set.spec?.template, old?.spec?.template) ? [] : templateWarnings(set.spec?.template, set, old),
});

function setDefaults(set: GivenDraft<DaemonSet>): void {
  set.spec ??= {};
  const { spec } = set;
  spec.updateStrategy ??= {};
  spec.updateStrategy.type ||= "RollingUpdate";
  if (spec.updateStrategy.type === "RollingUpdate") {
    spec.updateStrategy.rollingUpdate ??= {};
    spec.updateStrategy.rollingUpdate.maxUnavailable ??= 1;
    spec.updateStrategy.rollingUpdate.maxSurge ??= 0;
  }
  spec.revisionHistoryLimit ??= 10;
  spec.template ??= {};
  setPodTemplateDefaults(spec.template);
  // Who creates a set says this, too, though the number is counted by the server.
  set.metadata.annotations ??= {};
  set.metadata.annotations[templateGeneration] ??= "0";
}

function updateStrategyProblems(
  { type = "", rollingUpdate }: Given<DaemonSetUpdateStrategy>,
  field: string,
): readonly FieldProblem[] {
  if (type === "OnDelete") return [];
  const { maxUnavailable, maxSurge } = rollingUpdate ?? {};
  if (type !== "RollingUpdate") {
    const printed =
      rollingUpdate === undefined ? null : { MaxUnavailable: maxUnavailable ?? 0, MaxSurge: maxSurge ?? 0 };
    return [notSupported(field, { Type: type, RollingUpdate: printed }, ["RollingUpdate", "OnDelete"])];
  }
  const place = `${field}.rollingUpdate`;
  if (rollingUpdate === undefined) return [required(place)];
  const hasUnavailable = countOrPercentValue(maxUnavailable) !== 0;
  const hasSurge = countOrPercentValue(maxSurge) !== 0;
  return [
    ...countOrPercent(maxUnavailable, `${place}.maxUnavailable`),
    ...countOrPercent(maxSurge, `${place}.maxSurge`),
    ...atMost100Percent(maxUnavailable, `${place}.maxUnavailable`),
    ...atMost100Percent(maxSurge, `${place}.maxSurge`),
    ...(hasUnavailable && hasSurge
      ? [invalidValue(`${place}.maxSurge`, maxSurge, "may not be set when maxUnavailable is non-zero")]
      : []),
    ...(hasUnavailable || hasSurge
      ? []
      : [required(`${place}.maxUnavailable`, "cannot be 0 when maxSurge is 0")]),
  ];
}
