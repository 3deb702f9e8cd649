import type { AppArmorProfile, PodSpec, SeccompProfile, SecurityContext } from "@keelson/core/kinds/core/v1";
import { outsideOf } from "../../resource/name-problems.ts";
import {
  type FieldProblem,
  indexed,
  invalidValue,
  notSupported,
  required,
} from "../../status/field-problem.ts";
import type { Given } from "../builtin-strategy.ts";
import { internalSecurityContext } from "./internal-form.ts";
import { innerPathProblems } from "./volume-validation.ts";

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
    ...choiceProblems(context.procMount, ["Default", "Unmasked"], `${field}.procMount`),
    ...profilesProblems(context, field),
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
  const { supplementalGroupsPolicy } = securityContext;
  return [
    ...problems,
    ...choiceProblems(fsGroupChangePolicy, ["Always", "OnRootMismatch"], `${field}.fsGroupChangePolicy`),
    ...choiceProblems(supplementalGroupsPolicy, ["Merge", "Strict"], `${field}.supplementalGroupsPolicy`),
    ...profilesProblems(securityContext, field),
  ];
}

function choiceProblems(
  value: string | undefined,
  known: readonly string[],
  field: string,
): readonly FieldProblem[] {
  return value === undefined || known.includes(value) ? [] : [notSupported(field, value, known)];
}

interface Profiles {
  readonly seccompProfile?: Given<SeccompProfile>;
  readonly appArmorProfile?: Given<AppArmorProfile>;
}

function profilesProblems(
  { seccompProfile, appArmorProfile }: Profiles,
  field: string,
): readonly FieldProblem[] {
  return [
    ...(seccompProfile === undefined ? [] : seccompProblems(seccompProfile, `${field}.seccompProfile`)),
    ...(appArmorProfile === undefined ? [] : appArmorProblems(appArmorProfile, `${field}.appArmorProfile`)),
  ];
}

const profileTypes = ["Localhost", "RuntimeDefault", "Unconfined"];

function seccompProblems(
  { type = "", localhostProfile: file }: Given<SeccompProfile>,
  field: string,
): readonly FieldProblem[] {
  const place = `${field}.localhostProfile`;
  if (type === "Localhost") {
    return file === undefined
      ? [required(place, "must be set when seccomp type is Localhost")]
      : innerPathProblems(file, place);
  }
  const problems =
    type === ""
      ? [required(`${field}.type`, "type is required when seccompProfile is set")]
      : choiceProblems(type, profileTypes, `${field}.type`);
  if (file === undefined) return problems;
  const printed = { Type: type, LocalhostProfile: file };
  return [...problems, invalidValue(place, printed, "can only be set when seccomp type is Localhost")];
}

function appArmorProblems(
  { type = "", localhostProfile: file }: Given<AppArmorProfile>,
  field: string,
): readonly FieldProblem[] {
  const place = `${field}.localhostProfile`;
  if (type === "") return [required(`${field}.type`, "type is required when appArmorProfile is set")];
  if (!profileTypes.includes(type)) return [notSupported(`${field}.type`, type, profileTypes)];
  if (type !== "Localhost") {
    const detail = "can only be set when AppArmor type is Localhost";
    return file === undefined ? [] : [invalidValue(place, file, detail)];
  }
  if (file === undefined || file === "") {
    return [required(place, "must be set when AppArmor type is Localhost")];
  }
  return file.trim() === file ? [] : [invalidValue(place, file, "must not be padded with whitespace")];
}

function idProblems(id: number | undefined, field: string): readonly FieldProblem[] {
  return id === undefined || (id >= 0 && id <= largestId)
    ? []
    : [invalidValue(field, id, outsideOf(0, largestId))];
}
