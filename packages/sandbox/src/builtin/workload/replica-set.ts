import type { ReplicaSet } from "@keelson/core/kinds/apps/v1";
import type { PodTemplateSpec, ReplicationController } from "@keelson/core/kinds/core/v1";
import type { Strategy } from "../../resource/strategy.ts";
import { type FieldProblem, invalidValue, required } from "../../status/field-problem.ts";
import { builtinStrategy, type Given } from "../builtin-strategy.ts";
import { setPodTemplateDefaults } from "../pod/pod-defaults.ts";
import { podTemplateProblems } from "../pod/pod-spec-validation.ts";
import { templateWarnings } from "../pod/pod-spec-warnings.ts";
import { nonNegative } from "../value-problems.ts";
import {
  countsProblems,
  immutableSelector,
  inOrder,
  labelsMatchProblems,
  longRunningProblems,
  nameWarnings,
  selectorProblems,
} from "./workload-validation.ts";

const counts = [
  "replicas",
  "fullyLabeledReplicas",
  "readyReplicas",
  "availableReplicas",
  "observedGeneration",
  "terminatingReplicas",
] as const;
const parts = [
  ["fullyLabeledReplicas", "replicas", "status.replicas"],
  ["readyReplicas", "replicas", "status.replicas"],
  ["availableReplicas", "replicas", "status.replicas"],
  ["availableReplicas", "readyReplicas", "readyReplicas"],
] as const;

export const replicaSetStrategy: Strategy = builtinStrategy<ReplicaSet>({
  countsGenerations: true,
  setDefaults(set) {
    set.spec ??= {};
    set.spec.replicas ??= 1;
    set.spec.template ??= {};
    setPodTemplateDefaults(set.spec.template);
  },
  prepareForCreate(set) {
    set.status = { replicas: 0 };
  },
  validate: ({ spec = {} }) => [
    ...nonNegative(spec.replicas, "spec.replicas"),
    ...nonNegative(spec.minReadySeconds, "spec.minReadySeconds"),
    ...selectorProblems(spec, "deployment"),
    ...labelsMatchProblems(spec),
    ...podTemplateProblems(spec.template ?? {}, "spec.template"),
    ...longRunningProblems(spec, "ReplicaSet"),
  ],
  validateUpdate: (set, old) => immutableSelector(set.spec?.selector, old.spec?.selector),
  validateStatusUpdate: ({ status = {} }) => countsProblems(status, counts, parts),
  warnings: (set, old) => [...nameWarnings(set, old), ...templateWarnings(set.spec?.template, set, old)],
});

/** A ReplicationController selects its pods by labels alone, and any text may be in its selector. */
function controlledTemplateProblems(
  template: Given<PodTemplateSpec>,
  selector: Readonly<Record<string, string>>,
): readonly FieldProblem[] {
  const { labels = {} } = template.metadata ?? {};
  const isMatch = Object.entries(selector).every(([name, value]) => labels[name] === value);
  const detail = "`selector` does not match template `labels`";
  return [
    ...(isMatch ? [] : [invalidValue("spec.template.metadata.labels", inOrder(labels), detail)]),
    ...podTemplateProblems(template, "spec.template"),
    ...longRunningProblems({ template }, "ReplicationController"),
  ];
}

export const replicationControllerStrategy: Strategy = builtinStrategy<ReplicationController>({
  countsGenerations: true,
  defaultPropagation: "Orphan",
  setDefaults(controller) {
    controller.spec ??= {};
    const { spec } = controller;
    spec.replicas ??= 1;
    if (spec.template === undefined) return;
    setPodTemplateDefaults(spec.template);
    const labels = spec.template.metadata?.labels;
    if (labels === undefined) return;
    if (Object.keys(spec.selector ?? {}).length === 0) spec.selector = { ...labels };
    if (Object.keys(controller.metadata.labels ?? {}).length === 0)
      controller.metadata.labels = { ...labels };
  },
  prepareForCreate(controller) {
    controller.status = { replicas: 0 };
  },
  validate: ({ spec = {} }) => [
    ...nonNegative(spec.minReadySeconds, "spec.minReadySeconds"),
    ...nonNegative(spec.replicas, "spec.replicas"),
    ...(Object.keys(spec.selector ?? {}).length === 0 ? [required("spec.selector")] : []),
    ...(spec.template === undefined
      ? [required("spec.template")]
      : controlledTemplateProblems(spec.template, spec.selector ?? {})),
  ],
  validateStatusUpdate: ({ status = {} }) => countsProblems(status, counts, parts),
  warnings: (controller, old) => [
    ...nameWarnings(controller, old),
    ...templateWarnings(controller.spec?.template, controller, old),
  ],
});
