import type { Service, ServiceSpec } from "@keelson/core/kinds/core/v1";
import { type FieldProblem, forbiddenField, indexed, invalidValue } from "../../status/field-problem.ts";
import type { Given, GivenObject } from "../given.ts";
import { needsHealthCheck } from "./service-allocation.ts";
import { isHeadless } from "./service-validation.ts";

type GivenSpec = Given<ServiceSpec>;

const changed = "may not change once set";

/** A service keeps its addresses as long as it has any. */
export function serviceUpdateProblems(
  service: GivenObject<Service>,
  old: GivenObject<Service>,
): readonly FieldProblem[] {
  const [spec, before] = [service.spec ?? {}, old.spec ?? {}];
  const problems: FieldProblem[] = [];
  if (spec.type !== "ExternalName" && before.type !== "ExternalName") {
    problems.push(...addressProblems(spec, before), ...familyProblems(spec, before));
  }
  if (needsHealthCheck(old) && needsHealthCheck(service)) {
    if (spec.healthCheckNodePort !== before.healthCheckNodePort) {
      problems.push(forbiddenField("spec.healthCheckNodePort", "field is immutable"));
    }
  }
  const isBalanced = spec.type === "LoadBalancer" && before.type === "LoadBalancer";
  if (isBalanced && spec.loadBalancerClass !== before.loadBalancerClass) {
    problems.push(invalidValue("spec.loadBalancerClass", spec.loadBalancerClass ?? null, changed));
  }
  return problems;
}

function addressProblems(spec: GivenSpec, old: GivenSpec): readonly FieldProblem[] {
  const [now = [], before = []] = [spec.clusterIPs, old.clusterIPs];
  if (isHeadless(spec) && isHeadless(old)) return [];
  if (before.length === now.length) {
    return before.flatMap((address, index) =>
      address === now[index] ? [] : [invalidValue(indexed("spec.clusterIPs", index), now, changed)],
    );
  }
  if (now.length === 0) {
    return [invalidValue("spec.clusterIPs[0]", now, "primary clusterIP can not be unset")];
  }
  return before.length > 0 && now[0] !== before[0] ? [invalidValue("spec.clusterIPs[0]", now, changed)] : [];
}

function familyProblems(spec: GivenSpec, old: GivenSpec): readonly FieldProblem[] {
  const [now = [], before = []] = [spec.ipFamilies, old.ipFamilies];
  if (isHeadless(spec) || isHeadless(old) || before.length === 0 || now.length === 0) return [];
  return now[0] === before[0] ? [] : [invalidValue("spec.ipFamilies[0]", now, changed)];
}
