import type { Draft } from "@keelson/core";
import type {
  ResourceClaim,
  ResourceClaimSpec,
  ResourceClaimTemplate,
} from "@keelson/core/kinds/resource/v1";
import type { Strategy } from "../../resource/strategy.ts";
import { builtinStrategy, type Given } from "../builtin-strategy.ts";
import { immutableField } from "../value-problems.ts";

export const resourceClaimStrategy: Strategy = builtinStrategy<ResourceClaim>({
  setDefaults: ({ spec }) => setRequestDefaults(spec),
  validateUpdate: ({ spec }, { spec: old }) => immutableField(spec, old, "spec"),
});

export const resourceClaimTemplateStrategy: Strategy = builtinStrategy<ResourceClaimTemplate>({
  initialStatus: "none",
  setDefaults: ({ spec }) => setRequestDefaults(spec?.spec),
  validateUpdate: ({ spec }, { spec: old }) => immutableField(spec, old, "spec"),
});

function setRequestDefaults(spec: Draft<Given<ResourceClaimSpec>> | undefined): void {
  for (const { exactly, firstAvailable = [] } of spec?.devices?.requests ?? []) {
    for (const request of exactly === undefined ? firstAvailable : [exactly, ...firstAvailable]) {
      request.allocationMode ||= "ExactCount";
      if (request.allocationMode === "ExactCount") request.count ||= 1;
    }
  }
}
