import { deepEqual } from "@keelson/core";
import type { Container, Pod, PodSpec, Toleration } from "@keelson/core/kinds/core/v1";
import { outsideOf } from "../../resource/name-problems.ts";
import { type FieldProblem, forbiddenField, indexed, invalidValue } from "../../status/field-problem.ts";
import type { Given, GivenObject } from "../builtin-strategy.ts";
import { unifiedDiff } from "../unified-diff.ts";
import { internalPodSpec } from "./internal-form.ts";

type GivenSpec = Given<PodSpec>;

const mutableFields = [
  "`spec.containers[*].image`",
  "`spec.initContainers[*].image`",
  "`spec.activeDeadlineSeconds`",
  "`spec.tolerations` (only additions to existing tolerations)",
  "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)",
].join(",");

/** What a change of a pod itself may not touch: almost everything, since pods are replaced, not changed. */
export function podUpdateProblems(
  { spec = {} }: GivenObject<Pod>,
  { spec: old = {} }: GivenObject<Pod>,
): readonly FieldProblem[] {
  for (const list of ["containers", "initContainers"] as const) {
    if ((spec[list] ?? []).length !== (old[list] ?? []).length) {
      return [forbiddenField(`spec.${list}`, "pod updates may not add or remove containers")];
    }
  }
  const deadline = deadlineProblems(spec.activeDeadlineSeconds, old.activeDeadlineSeconds);
  if (deadline.length > 0 && spec.activeDeadlineSeconds !== undefined) return deadline;
  const problems = [
    ...deadline,
    ...lostTolerations(spec.tolerations, old.tolerations),
    ...newGates(spec, old),
  ];
  const rest = withMutableFieldsOf(spec, old);
  return deepEqual(rest, old) ? problems : [...problems, changedFields(rest, old)];
}

function deadlineProblems(deadline: number | undefined, old: number | undefined): readonly FieldProblem[] {
  const field = "spec.activeDeadlineSeconds";
  if (deadline === undefined) {
    return old === undefined
      ? []
      : [invalidValue(field, null, "must not update from a positive integer to nil value")];
  }
  if (deadline < 0 || deadline > 2147483647) return [invalidValue(field, deadline, outsideOf(0, 2147483647))];
  return old !== undefined && old < deadline
    ? [invalidValue(field, deadline, "must be less than or equal to previous value")]
    : [];
}

function lostTolerations(
  tolerations: readonly Given<Toleration>[] = [],
  old: readonly Given<Toleration>[] = [],
): readonly FieldProblem[] {
  const isKept = (before: Given<Toleration>): boolean =>
    tolerations.some(({ tolerationSeconds: _, ...one }) => deepEqual(one, withoutSeconds(before)));
  return old.every(isKept)
    ? []
    : [
        forbiddenField(
          "spec.tolerations",
          "existing toleration can not be modified except its tolerationSeconds",
        ),
      ];
}

function withoutSeconds({ tolerationSeconds: _, ...rest }: Given<Toleration>): Given<Toleration> {
  return rest;
}

function newGates(spec: GivenSpec, old: GivenSpec): readonly FieldProblem[] {
  const before = new Set((old.schedulingGates ?? []).map(({ name }) => name));
  return (spec.schedulingGates ?? []).flatMap(({ name }, index) =>
    before.has(name)
      ? []
      : [
          forbiddenField(
            `${indexed("spec.schedulingGates", index)}.name`,
            `only deletion is allowed, but found new scheduling gate '${name ?? ""}'`,
          ),
        ],
  );
}

/** The new spec with everything that may change set back, so that any difference left is a forbidden one. */
function withMutableFieldsOf(spec: GivenSpec, old: GivenSpec): GivenSpec {
  const {
    activeDeadlineSeconds: _deadline,
    schedulingGates: _gates,
    tolerations: _tolerations,
    ...rest
  } = spec;
  const { activeDeadlineSeconds, schedulingGates, tolerations, terminationGracePeriodSeconds } = old;
  const wasNegative = terminationGracePeriodSeconds !== undefined && terminationGracePeriodSeconds < 0;
  const isGated = (schedulingGates ?? []).length > 0;
  return {
    ...rest,
    ...withImagesOf("containers", spec, old),
    ...withImagesOf("initContainers", spec, old),
    ...(activeDeadlineSeconds === undefined ? {} : { activeDeadlineSeconds }),
    ...(schedulingGates === undefined ? {} : { schedulingGates }),
    ...(tolerations === undefined ? {} : { tolerations }),
    ...(wasNegative && spec.terminationGracePeriodSeconds === 1 ? { terminationGracePeriodSeconds } : {}),
    // The node selector of a pod with scheduling gates may still change.
    ...(isGated && old.nodeSelector !== undefined ? { nodeSelector: old.nodeSelector } : {}),
  };
}

function withImagesOf(
  list: "containers" | "initContainers",
  spec: GivenSpec,
  old: GivenSpec,
): Pick<GivenSpec, "containers" | "initContainers"> {
  const before = old[list];
  return spec[list] === undefined || before === undefined
    ? {}
    : { [list]: spec[list].map((container, index) => withImageOf(container, before[index])) };
}

function withImageOf(container: Given<Container>, old: Given<Container> | undefined): Given<Container> {
  return old?.image === undefined ? container : { ...container, image: old.image };
}

function changedFields(rest: GivenSpec, old: GivenSpec): FieldProblem {
  const [before, after] = [old, rest].map((spec) => JSON.stringify(internalPodSpec(spec), undefined, 1));
  const difference = unifiedDiff(before ?? "", after ?? "");
  return forbiddenField(
    "spec",
    `pod updates may not change fields other than ${mutableFields}\n${difference}`,
  );
}
