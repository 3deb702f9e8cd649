import type { KubeObject } from "@keelson/core";
import { dnsLabelProblems } from "../../resource/name-problems.ts";
import { type FieldProblem, invalidValue } from "../../status/field-problem.ts";
import { nonNegativeFields } from "../value-problems.ts";

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
