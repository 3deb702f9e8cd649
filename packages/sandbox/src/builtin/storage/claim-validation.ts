import type { Draft } from "@keelson/core";
import type { PersistentVolumeClaimSpec } from "@keelson/core/kinds/core/v1";
import { labelSelectorProblems } from "../../resource/label-problems.ts";
import {
  type FieldProblem,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from "../../status/field-problem.ts";
import type { Given } from "../builtin-strategy.ts";
import { normalizeAmounts, readAmount } from "../pod/resource-requirements.ts";
import { dnsSubdomain } from "../value-problems.ts";

const accessModes: readonly string[] = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];
export const volumeModes: readonly string[] = ["Block", "Filesystem"];

/** Of a claim, or of a template of claims. */
export function claimSpecProblems(
  spec: Given<PersistentVolumeClaimSpec>,
  field: string,
): readonly FieldProblem[] {
  const { accessModes: modes = [], storageClassName, volumeMode, resources } = spec;
  const problems: FieldProblem[] = [...accessModesProblems(modes, `${field}.accessModes`)];
  problems.push(...labelSelectorProblems(spec.selector, `${field}.selector`));
  const storage = resources?.requests?.["storage"];
  if (storage === undefined) problems.push(required(`${field}.resources[storage]`));
  else {
    const amount = readAmount(storage);
    if (amount !== undefined && amount.nanos <= 0n) {
      problems.push(invalidValue(`${field}.resources[storage]`, storage, "must be greater than zero"));
    }
  }
  if (storageClassName) problems.push(...dnsSubdomain(storageClassName, `${field}.storageClassName`));
  if (volumeMode !== undefined && !volumeModes.includes(volumeMode)) {
    problems.push(notSupported(`${field}.volumeMode`, volumeMode, volumeModes));
  }
  return problems;
}

export function accessModesProblems(modes: readonly string[], field: string): readonly FieldProblem[] {
  if (modes.length === 0) return [required(field, "at least 1 access mode is required")];
  const unknown = modes.filter((mode) => !accessModes.includes(mode));
  const mixesPod = modes.includes("ReadWriteOncePod") && modes.length > 1;
  return [
    ...unknown.map((mode) => notSupported(field, mode, accessModes)),
    ...(mixesPod ? [forbiddenField(field, "may not use ReadWriteOncePod with other access modes")] : []),
  ];
}

/** Of claims, and of the templates of claims in StatefulSets and ephemeral volumes. */
export function setClaimSpecDefaults(spec: Draft<Given<PersistentVolumeClaimSpec>>): void {
  spec.volumeMode ??= "Filesystem";
  spec.resources ??= {};
  normalizeAmounts(spec.resources.requests);
  normalizeAmounts(spec.resources.limits);
  if (spec.dataSource !== undefined) spec.dataSourceRef ??= { ...spec.dataSource };
  else if (spec.dataSourceRef !== undefined && spec.dataSourceRef.namespace === undefined) {
    spec.dataSource = { ...spec.dataSourceRef };
  }
}
