import type { IPAddress } from "@keelson/core/kinds/networking/v1";
import type { Strategy } from "../../resource/strategy.ts";
import { required } from "../../status/field-problem.ts";
import { builtinStrategy } from "../builtin-strategy.ts";
import { ipProblems } from "../service/ip-address.ts";
import { dnsSubdomain, immutableField, pathSegment } from "../value-problems.ts";

/** An object whose name is the address that another object, such as a Service, uses. */
export const ipAddressStrategy: Strategy = builtinStrategy<IPAddress>({
  initialStatus: "none",
  nameProblem: (name) => ipProblems(name, "metadata.name")[0]?.detail,
  validate({ spec = {} }) {
    const { parentRef } = spec;
    if (parentRef === undefined) return [required("spec.parentRef")];
    const { group = "", resource = "", name = "", namespace = "" } = parentRef;
    const segment = (value: string, field: string) => pathSegment(value, `spec.parentRef.${field}`);
    return [
      ...(group === "" ? [] : dnsSubdomain(group, "spec.parentRef.group")),
      ...(resource === "" ? [required("spec.parentRef.resource")] : segment(resource, "resource")),
      ...(name === "" ? [required("spec.parentRef.name")] : segment(name, "name")),
      ...(namespace === "" ? [] : segment(namespace, "namespace")),
    ];
  },
  validateUpdate: ({ spec }, { spec: old }) =>
    immutableField(spec?.parentRef, old?.parentRef, "spec.parentRef"),
});
