import { deepEqual, matchesLabels } from "@keelson/core";
import type { PodTemplateSpec } from "@keelson/core/kinds/core/v1";
import {
  type GivenLabelSelector,
  labelSelectorProblems,
  usableSelector,
} from "../../resource/label-problems.ts";
import {
  type FieldProblem,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from "../../status/field-problem.ts";
import type { Given } from "../given.ts";

/** What a workload says of its pods. */
export interface SelectorAndTemplate {
  readonly selector?: GivenLabelSelector;
  readonly template?: Given<PodTemplateSpec>;
}

/** A selector that is there, understood and not empty. `kind` is what the message calls the workload. */
export function selectorProblems({ selector }: SelectorAndTemplate, kind: string): readonly FieldProblem[] {
  if (selector === undefined) return [required("spec.selector")];
  const problems = labelSelectorProblems(selector, "spec.selector");
  return isEmptySelector(selector)
    ? [...problems, invalidValue("spec.selector", selector, `empty selector is invalid for ${kind}`)]
    : problems;
}

export function isEmptySelector({ matchLabels = {}, matchExpressions = [] }: GivenLabelSelector): boolean {
  return Object.keys(matchLabels).length === 0 && matchExpressions.length === 0;
}

/** A workload must select the pods it makes. A missing selector selects none, an empty one is reported elsewhere. */
export function labelsMatchProblems({ selector, template }: SelectorAndTemplate): readonly FieldProblem[] {
  if (selector !== undefined && isEmptySelector(selector)) return [];
  const usable = usableSelector(selector);
  if (selector !== undefined && usable === undefined) return hasUnknownParts(selector);
  const labels = template?.metadata?.labels;
  if (usable !== undefined && matchesLabels(usable, labels)) return [];
  const detail = "`selector` does not match template `labels`";
  return [invalidValue("spec.template.metadata.labels", inOrder(labels), detail)];
}

/** Of a selector whose keys and values are wrong the server can still make one; of unknown operators it cannot. */
function hasUnknownParts(selector: GivenLabelSelector): readonly FieldProblem[] {
  const known = ["In", "NotIn", "Exists", "DoesNotExist"];
  return (selector.matchExpressions ?? []).every(({ operator = "" }) => known.includes(operator))
    ? []
    : [invalidValue("spec.selector", orderedSelector(selector), "invalid label selector")];
}

export function immutableSelector(
  selector: GivenLabelSelector | undefined,
  old: GivenLabelSelector | undefined,
): readonly FieldProblem[] {
  return deepEqual(selector, old)
    ? []
    : [invalidValue("spec.selector", orderedSelector(selector), "field is immutable")];
}

/** A selector as the server prints it; null if there is none. */
export function orderedSelector(selector: GivenLabelSelector | undefined): GivenLabelSelector | null {
  if (selector === undefined) return null;
  const { matchLabels, matchExpressions } = selector;
  return {
    ...(matchLabels === undefined ? {} : { matchLabels: inOrder(matchLabels) ?? {} }),
    ...(matchExpressions === undefined ? {} : { matchExpressions }),
  };
}

/** Labels as the server prints them: by name; null if there are none. */
export function inOrder(
  labels: Readonly<Record<string, string>> | undefined,
): Readonly<Record<string, string>> | null {
  if (labels === undefined) return null;
  return Object.fromEntries(Object.entries(labels).sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** Pods of workloads that run forever are restarted forever. */
export function longRunningProblems(
  { template }: SelectorAndTemplate,
  kind: string,
): readonly FieldProblem[] {
  const { restartPolicy = "", activeDeadlineSeconds } = template?.spec ?? {};
  return [
    ...(restartPolicy === "Always"
      ? []
      : [notSupported("spec.template.spec.restartPolicy", restartPolicy, ["Always"])]),
    ...(activeDeadlineSeconds === undefined
      ? []
      : [
          forbiddenField(
            "spec.template.spec.activeDeadlineSeconds",
            `activeDeadlineSeconds in ${kind} is not Supported`,
          ),
        ]),
  ];
}
