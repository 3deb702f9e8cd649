import { formatTime } from "@keelson/core";
import type { APIService, APIServiceSpec } from "@keelson/core/kinds/apiregistration/v1";
import { dns1035LabelProblems, outsideOf, pathSegmentProblems } from "../../resource/name-problems.ts";
import type { Strategy } from "../../resource/strategy.ts";
import { type FieldProblem, invalidValue, required } from "../../status/field-problem.ts";
import { builtinStrategy, type Given } from "../builtin-strategy.ts";
import { dnsSubdomain } from "../value-problems.ts";

/** An APIService is stored, and has no effect: there is no aggregation here. */
export const apiServiceStrategy: Strategy = builtinStrategy<APIService>({
  allowsUnconditionalUpdate: false,
  setDefaults({ spec }) {
    if (spec?.service !== undefined) spec.service.port ??= 443;
  },
  prepareForCreate(service, { now }) {
    if (service.spec?.service !== undefined) return;
    const available = {
      type: "Available",
      status: "True",
      lastTransitionTime: formatTime(now),
      reason: "Local",
      message: "Local APIServices are always available",
    };
    service.status = { conditions: [available] };
  },
  nameProblem: (name) => pathSegmentProblems(name)[0],
  validate: ({ metadata, spec = {} }) => [
    ...nameProblems(metadata.name ?? "", spec),
    ...groupProblems(spec),
    ...priorityProblems(spec),
    ...serviceProblems(spec),
  ],
});

type GivenSpec = Given<APIServiceSpec>;

function nameProblems(name: string, { version = "", group = "" }: GivenSpec): readonly FieldProblem[] {
  const needed = `${version}.${group}`;
  if (name === needed || pathSegmentProblems(name).length > 0) return [];
  const detail = `must be \`spec.version+"."+spec.group\`: ${JSON.stringify(needed)}`;
  return [invalidValue("metadata.name", name, detail)];
}

function groupProblems({ version = "", group = "" }: GivenSpec): readonly FieldProblem[] {
  const legacy = "only v1 may have an empty group and it better be legacy kube";
  return [
    ...(group === "" && version !== "v1" ? [required("spec.group", legacy)] : []),
    ...(group === "" ? [] : dnsSubdomain(group, "spec.group")),
    ...dns1035LabelProblems(version).map((detail) => invalidValue("spec.version", version, detail)),
  ];
}

const mostGroupPriority = 20_000;
const mostVersionPriority = 1_000;

function priorityProblems(spec: GivenSpec): readonly FieldProblem[] {
  const { groupPriorityMinimum = 0, versionPriority = 0 } = spec;
  const check = (name: string, value: number, most: number): readonly FieldProblem[] =>
    value > 0 && value <= most
      ? []
      : [invalidValue(`spec.${name}`, value, `must be positive and less than ${most}`)];
  return [
    ...check("groupPriorityMinimum", groupPriorityMinimum, mostGroupPriority),
    ...check("versionPriority", versionPriority, mostVersionPriority),
  ];
}

function serviceProblems(spec: GivenSpec): readonly FieldProblem[] {
  const { service, caBundle = "", insecureSkipTLSVerify: isInsecure = false } = spec;
  const bytes = Buffer.from(caBundle, "base64").length;
  const insecure = "spec.insecureSkipTLSVerify";
  if (service === undefined) {
    return [
      ...(bytes > 0
        ? [invalidValue("spec.caBundle", `${bytes} bytes`, "local APIServices may not have a caBundle")]
        : []),
      ...(isInsecure
        ? [invalidValue(insecure, true, "local APIServices may not have insecureSkipTLSVerify")]
        : []),
    ];
  }
  const { namespace, name, port = 443 } = service;
  return [
    ...(namespace ? [] : [required("spec.service.namespace")]),
    ...(name ? [] : [required("spec.service.name")]),
    ...(port < 1 || port > 65535
      ? [invalidValue("spec.service.port", port, `port is not valid: ${outsideOf(1, 65535)}`)]
      : []),
    ...(isInsecure && bytes > 0
      ? [invalidValue(insecure, true, "may not be true if caBundle is present")]
      : []),
  ];
}
