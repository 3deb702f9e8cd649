import { deepEqual, type KubeObject, matchesLabels } from "@keelson/core";
import type { PodTemplateSpec } from "@keelson/core/kinds/core/v1";
import {
  type GivenLabelSelector,
  labelSelectorProblems,
  usableSelector,
} from "../../resource/label-problems.ts";
import { dnsLabelProblems } from "../../resource/name-problems.ts";
import {
  type FieldProblem,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from "../../status/field-problem.ts";
import type { Given } from "../builtin-strategy.ts";
import { nonNegativeFields } from "../value-problems.ts";

/** What a workload says of its pods. */
export interface SelectorAndTemplate {
  readonly selector?: GivenLabelSelector;
  readonly template?: Given<PodTemplateSpec>;
}

/**
 * The problems of a selector that must be present, valid and not empty. `kind` is what the message calls the workload.
 */
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

type Counts<Name extends string> = Readonly<Partial<Record<Name | "replicas", unknown>>>;

/** Counts in a status: none is negative, and parts are not more than the whole. */
export function countsProblems<Name extends string>(
  status: Counts<Name>,
  counts: readonly Name[],
  parts: readonly (readonly [part: Name, whole: Name | "replicas", wholeName: string])[],
): readonly FieldProblem[] {
  const countOf = (name: Name | "replicas"): number => {
    const value: unknown = status[name];
    return typeof value === "number" ? value : 0;
  };
  return [
    ...nonNegativeFields(status, "status", counts),
    ...parts.flatMap(([part, whole, wholeName]) =>
      countOf(part) > countOf(whole)
        ? [invalidValue(`status.${part}`, countOf(part), `cannot be greater than ${wholeName}`)]
        : [],
    ),
  ];
}

/** How often names of children collided; never less than before. */
export function collisionProblems(
  count: number | undefined,
  old: number | undefined,
): readonly FieldProblem[] {
  return old !== undefined && (count ?? 0) < old
    ? [invalidValue("status.collisionCount", count ?? 0, "cannot be decremented")]
    : [];
}

/** Names of workloads are in the host names of their pods. */
export function nameWarnings(
  { metadata }: Pick<KubeObject, "metadata">,
  old: Pick<KubeObject, "metadata"> | undefined,
): readonly string[] {
  const problems = old === undefined ? dnsLabelProblems(metadata.name ?? "") : [];
  const why =
    "metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended";
  return problems.length === 0 ? [] : [`${why}: [${problems.join(" ")}]`];
}
