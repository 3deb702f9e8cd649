import { compareQuantities, deepEqual, parseQuantity, type Quantity } from "@keelson/core";
import type { PersistentVolumeClaim, PersistentVolumeClaimSpec } from "@keelson/core/kinds/core/v1";
import type { Strategy } from "../../resource/strategy.ts";
import { type FieldProblem, forbiddenField } from "../../status/field-problem.ts";
import { builtinStrategy, type Given, type GivenObject } from "../builtin-strategy.ts";
import { internalClaimSpec } from "../pod/internal-form.ts";
import { readAmount } from "../pod/resource-requirements.ts";
import { unifiedDiff } from "../unified-diff.ts";
import { immutableField } from "../value-problems.ts";
import { claimSpecProblems, setClaimSpecDefaults } from "./claim-validation.ts";

type GivenClaimSpec = Given<PersistentVolumeClaimSpec>;

export const claimStrategy: Strategy = builtinStrategy<PersistentVolumeClaim>({
  setDefaults(claim) {
    claim.spec ??= {};
    setClaimSpecDefaults(claim.spec);
    claim.status ??= {};
    claim.status.phase ??= "Pending";
  },
  prepareForCreate(claim) {
    claim.status = { phase: "Pending" };
  },
  validate: ({ spec = {} }) => claimSpecProblems(spec, "spec"),
  validateUpdate: claimUpdateProblems,
});

/** A claim is bound once and for all; only of one that is bound what it requests may change. */
function claimUpdateProblems(
  { spec = {}, status }: GivenObject<PersistentVolumeClaim>,
  { spec: old = {}, status: oldStatus }: GivenObject<PersistentVolumeClaim>,
): readonly FieldProblem[] {
  const { volumeName } = spec;
  const before = old.volumeName || volumeName === undefined ? old : { ...old, volumeName };
  const after = status?.phase === "Bound" ? withRequestsOf(spec, old) : spec;
  const problems: FieldProblem[] = [];
  if (!deepEqual(after, before)) {
    const [oldText, text] = [before, after].map((one) =>
      JSON.stringify(internalClaimSpec(one), undefined, 1),
    );
    const detail =
      "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims";
    problems.push(forbiddenField("spec", `${detail}\n${unifiedDiff(oldText ?? "", text ?? "")}`));
  }
  const [size, oldSize] = [storageOf(spec.resources?.requests), storageOf(old.resources?.requests)];
  const isShrunk = compareQuantities(size, oldSize) < 0;
  if (isShrunk && compareQuantities(size, storageOf(oldStatus?.capacity)) <= 0) {
    const detail = "field can not be less than status.capacity";
    problems.push(forbiddenField("spec.resources.requests.storage", detail));
  }
  return [...problems, ...immutableField(spec.volumeMode, old.volumeMode, "volumeMode")];
}

function withRequestsOf(spec: GivenClaimSpec, old: GivenClaimSpec): GivenClaimSpec {
  const { volumeAttributesClassName: _class, ...rest } = spec;
  const { volumeAttributesClassName } = old;
  const storage = old.resources?.requests?.["storage"];
  const { requests } = spec.resources ?? {};
  const resources = { ...spec.resources, requests: { ...requests, ...(storage && { storage }) } };
  return {
    ...rest,
    ...(volumeAttributesClassName === undefined ? {} : { volumeAttributesClassName }),
    ...(requests === undefined ? {} : { resources }),
  };
}

function storageOf(amounts: Readonly<Record<string, string>> | undefined): Quantity {
  return readAmount(amounts?.["storage"] ?? "0") ?? parseQuantity("0");
}
