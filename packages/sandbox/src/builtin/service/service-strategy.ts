import type { Service } from "@keelson/core/kinds/core/v1";
import { dnsLabelProblems } from "../../resource/name-problems.ts";
import type { Strategy } from "../../resource/strategy.ts";
import { type FieldProblem, forbiddenField, indexed, required } from "../../status/field-problem.ts";
import { builtinStrategy, type GivenObject } from "../builtin-strategy.ts";
import { ipProblems } from "./ip-address.ts";
import { allocate, allocationProblems } from "./service-allocation.ts";
import {
  dropFieldsOfOldType,
  keepAllocated,
  normalizeClusterIPs,
  setIpFamilies,
  setServiceDefaults,
} from "./service-defaults.ts";
import { serviceProblems, serviceUpdateProblems } from "./service-validation.ts";

export const serviceStrategy: Strategy = builtinStrategy<Service>({
  allowsCreateOnUpdate: true,
  nameProblem: (name) => dnsLabelProblems(name)[0],
  setDefaults: setServiceDefaults,
  prepareForCreate(service, { read }) {
    service.status = { loadBalancer: {} };
    service.spec ??= {};
    normalizeClusterIPs(service.spec, undefined);
    allocate(service, read);
    setIpFamilies(service.spec, undefined);
  },
  prepareForUpdate(service, old, { read }) {
    service.spec ??= {};
    normalizeClusterIPs(service.spec, old.spec);
    keepAllocated(service, old);
    dropFieldsOfOldType(service, old);
    allocate(service, read);
    setIpFamilies(service.spec, old.spec);
  },
  validate: serviceProblems,
  validateCreate: (service, { read }) =>
    serviceProblems(service).length > 0 ? [] : allocationProblems(service, undefined, read),
  validateUpdate(service, old, { read }) {
    const problems = serviceUpdateProblems(service, old);
    return problems.length > 0 ? problems : allocationProblems(service, old, read);
  },
  validateStatusUpdate: balancerStatusProblems,
});

function balancerStatusProblems({ spec, status }: GivenObject<Service>): readonly FieldProblem[] {
  const ingress = status?.loadBalancer?.ingress ?? [];
  const field = "status.loadBalancer.ingress";
  if (spec?.type !== "LoadBalancer") {
    const detail = "may only be used when `spec.type` is 'LoadBalancer'";
    return ingress.length === 0 ? [] : [forbiddenField(field, detail)];
  }
  return ingress.flatMap(({ ip = "", ipMode }, index) => {
    const place = indexed(field, index);
    if (ip === "") {
      const detail = "may not be specified when `ip` is not set";
      return ipMode === undefined ? [] : [forbiddenField(`${place}.ipMode`, detail)];
    }
    const mode =
      ipMode === undefined ? [required(`${place}.ipMode`, "must be specified when `ip` is set")] : [];
    return [...ipProblems(ip, `${place}.ip`), ...mode];
  });
}
