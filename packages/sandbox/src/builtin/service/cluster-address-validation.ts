import type { ServiceSpec } from "@keelson/core/kinds/core/v1";
import {
  duplicateValue,
  type FieldProblem,
  indexed,
  invalidValue,
  notSupported,
  required,
} from "../../status/field-problem.ts";
import type { Given } from "../builtin-strategy.ts";
import { ipFamilyOf, ipProblems } from "./ip-address.ts";

type GivenSpec = Given<ServiceSpec>;

const families = ["IPv4", "IPv6"];
const familyPolicies = ["PreferDualStack", "RequireDualStack", "SingleStack"];

/** The addresses of a service and their families, in a cluster that has IPv4 only. */
export function clusterAddressProblems(spec: GivenSpec): readonly FieldProblem[] {
  if (spec.type === "ExternalName") return [];
  const { clusterIP = "", clusterIPs = [], ipFamilies = [], ipFamilyPolicy } = spec;
  const problems: FieldProblem[] = [...agreementProblems(clusterIP, clusterIPs)];
  for (const [index, family] of ipFamilies.entries()) {
    const field = indexed("spec.ipFamilies", index);
    if (!families.includes(family)) problems.push(notSupported(field, family, families));
    if (ipFamilies.indexOf(family) < index) problems.push(duplicateValue(field, family));
  }
  if (ipFamilyPolicy !== undefined && !familyPolicies.includes(ipFamilyPolicy)) {
    problems.push(notSupported("spec.ipFamilyPolicy", ipFamilyPolicy, familyPolicies));
  }
  const addresses = addressListProblems(clusterIPs);
  problems.push(...addresses, ...familyMatchProblems(clusterIPs, ipFamilies));
  return problems.length > 0 ? problems : clusterFamilyProblems(spec);
}

function agreementProblems(clusterIP: string, clusterIPs: readonly string[]): readonly FieldProblem[] {
  const field = "spec.clusterIPs";
  if (clusterIP === "") {
    return clusterIPs.length === 0
      ? []
      : [invalidValue(field, clusterIPs, "must be empty when `clusterIP` is not specified")];
  }
  if (clusterIPs.length === 0) return [required(field)];
  return clusterIPs[0] === clusterIP
    ? []
    : [invalidValue(field, clusterIPs, "first value must match `clusterIP`")];
}

function addressListProblems(clusterIPs: readonly string[]): readonly FieldProblem[] {
  const field = "spec.clusterIPs";
  const problems: FieldProblem[] = [];
  for (const [index, address] of clusterIPs.entries()) {
    if (index > 0 || address !== "None") problems.push(...ipProblems(address, indexed(field, index)));
    else if (clusterIPs.length > 1) {
      problems.push(invalidValue(field, clusterIPs, "'None' must be the first and only value"));
    }
  }
  if (clusterIPs.length > 2) problems.push(invalidValue(field, clusterIPs, "may only hold up to 2 values"));
  const [first = "", second = ""] = clusterIPs;
  if (problems.length === 0 && clusterIPs.length === 2 && ipFamilyOf(first) === ipFamilyOf(second)) {
    problems.push(invalidValue(field, clusterIPs, "may specify no more than one IP for each IP family"));
  }
  return problems;
}

function familyMatchProblems(
  clusterIPs: readonly string[],
  ipFamilies: readonly string[],
): readonly FieldProblem[] {
  return clusterIPs.flatMap((address, index) => {
    const [expected, actual] = [ipFamilies[index], ipFamilyOf(address)];
    if (expected === undefined || actual === undefined || expected === actual) return [];
    const detail = `expected an ${expected} value as indicated by \`ipFamilies[${index}]\``;
    return [invalidValue(indexed("spec.clusterIPs", index), address, detail)];
  });
}

/** Only a headless Service without a selector may request a family that the cluster does not have. */
function clusterFamilyProblems(spec: GivenSpec): readonly FieldProblem[] {
  const { clusterIP, selector = {}, ipFamilies = [], ipFamilyPolicy } = spec;
  if (clusterIP === "None" && Object.keys(selector).length === 0) return [];
  return [
    ...(ipFamilyPolicy === "RequireDualStack"
      ? [
          invalidValue(
            "spec.ipFamilyPolicy",
            ipFamilyPolicy,
            "this cluster is not configured for dual-stack services",
          ),
        ]
      : []),
    ...ipFamilies.flatMap((family, index) =>
      family === "IPv4"
        ? []
        : [invalidValue(indexed("spec.ipFamilies", index), family, "not configured on this cluster")],
    ),
  ];
}
