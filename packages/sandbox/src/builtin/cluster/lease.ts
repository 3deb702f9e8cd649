import type { Lease } from "@keelson/core/kinds/coordination/v1";
import type { Strategy } from "../../resource/strategy.ts";
import { invalidValue } from "../../status/field-problem.ts";
import { builtinStrategy } from "../builtin-strategy.ts";
import { nonNegative } from "../value-problems.ts";

export const leaseStrategy: Strategy = builtinStrategy<Lease>({
  initialStatus: "none",
  allowsCreateOnUpdate: true,
  allowsUnconditionalUpdate: false,
  setDefaults(lease) {
    lease.spec ??= {};
  },
  validate({ spec = {} }) {
    const { leaseDurationSeconds: duration, leaseTransitions } = spec;
    return [
      ...(duration !== undefined && duration <= 0
        ? [invalidValue("spec.leaseDurationSeconds", duration, "must be greater than 0")]
        : []),
      ...nonNegative(leaseTransitions, "spec.leaseTransitions"),
    ];
  },
});
