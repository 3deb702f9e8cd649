import type { Draft } from "@keelson/core";
import type { LimitRange, LimitRangeItem, ResourceQuota } from "@keelson/core/kinds/core/v1";
import type { Strategy } from "../../resource/strategy.ts";
import { builtinStrategy } from "../builtin-strategy.ts";
import type { Given } from "../given.ts";
import { fillAmounts, normalizeAmounts } from "../pod/resource-amounts.ts";
import { limitsProblems } from "./limit-validation.ts";
import { quotaProblems } from "./quota-validation.ts";

/** Kept and completed, but not enforced. */
export const limitRangeStrategy: Strategy = builtinStrategy<LimitRange>({
  initialStatus: "none",
  allowsCreateOnUpdate: true,
  setDefaults(range) {
    range.spec ??= {};
    for (const item of range.spec.limits ?? []) setItemDefaults(item);
  },
  validate: ({ spec = {} }) => limitsProblems(spec.limits ?? []),
});

function setItemDefaults(item: Draft<Given<LimitRangeItem>>): void {
  for (const amounts of [item.max, item.min, item.default, item.defaultRequest, item.maxLimitRequestRatio])
    normalizeAmounts(amounts);
  if (item.type !== "Container") return;
  const limits = item.default ?? {};
  const requests = item.defaultRequest ?? {};
  fillAmounts(item.max, limits);
  fillAmounts(limits, requests);
  fillAmounts(item.min, requests);
  if (Object.keys(limits).length > 0) item.default = limits;
  if (Object.keys(requests).length > 0) item.defaultRequest = requests;
}

export const resourceQuotaStrategy: Strategy = builtinStrategy<ResourceQuota>({
  setDefaults(quota) {
    quota.spec ??= {};
    normalizeAmounts(quota.spec.hard);
    normalizeAmounts(quota.status?.hard);
    normalizeAmounts(quota.status?.used);
  },
  validate: ({ spec = {} }) => quotaProblems(spec),
});
