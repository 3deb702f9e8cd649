import type { PodSpec, SecurityContext } from "@keelson/core/kinds/core/v1";
import { outsideOf } from "../../resource/name-problems.ts";
import { type FieldProblem, indexed, invalidValue, notSupported } from "../../status/field-problem.ts";
import type { Given } from "../given.ts";
import { internalSecurityContext } from "./internal-form.ts";

const largestId = 2147483647;

export function containerSecurityProblems(
  context: Given<SecurityContext> | undefined,
  field: string,
): readonly FieldProblem[] {
  if (context === undefined) return [];
  const { runAsUser, runAsGroup, privileged, allowPrivilegeEscalation, capabilities } = context;
  const problems = [
    ...idProblems(runAsUser, `${field}.runAsUser`),
    ...idProblems(runAsGroup, `${field}.runAsGroup`),
  ];
  if (allowPrivilegeEscalation === false) {
    const printed = internalSecurityContext(context);
    const why = "cannot set `allowPrivilegeEscalation` to false and ";
    if (capabilities?.add?.includes("CAP_SYS_ADMIN") === true) {
      problems.push(invalidValue(field, printed, `${why}\`capabilities.Add\` CAP_SYS_ADMIN`));
    }
    if (privileged === true) problems.push(invalidValue(field, printed, `${why}\`privileged\` to true`));
  }
  return problems;
}

export function podSecurityProblems(spec: Given<PodSpec>, field: string): readonly FieldProblem[] {
  const { securityContext = {}, shareProcessNamespace, hostPID } = spec;
  const { fsGroup, runAsUser, runAsGroup, supplementalGroups = [], fsGroupChangePolicy } = securityContext;
  const problems = [
    ...idProblems(fsGroup, `${field}.fsGroup`),
    ...idProblems(runAsUser, `${field}.runAsUser`),
    ...idProblems(runAsGroup, `${field}.runAsGroup`),
    ...supplementalGroups.flatMap((group, index) =>
      idProblems(group, indexed(`${field}.supplementalGroups`, index)),
    ),
  ];
  if (shareProcessNamespace === true && hostPID === true) {
    const detail = "ShareProcessNamespace and HostPID cannot both be enabled";
    problems.push(invalidValue(`${field}.shareProcessNamespace`, true, detail));
  }
  const policies = ["Always", "OnRootMismatch"];
  if (fsGroupChangePolicy !== undefined && !policies.includes(fsGroupChangePolicy)) {
    problems.push(notSupported(`${field}.fsGroupChangePolicy`, fsGroupChangePolicy, policies));
  }
  return problems;
}

function idProblems(id: number | undefined, field: string): readonly FieldProblem[] {
  return id === undefined || (id >= 0 && id <= largestId)
    ? []
    : [invalidValue(field, id, outsideOf(0, largestId))];
}
