import { type Admission, admission } from "keelson";
import { ReloaderConfig } from "../api/reloader-config.ts";
import type { AlertChecks } from "../config/alert-checks.ts";
import type { ReloaderParts } from "../workload/parts.ts";
import { validateConfig } from "./validate-config.ts";

/**
 * The API server calls it after the rules of the schema. ReloaderConfigs can be stored while no operator runs, or without a
 * webhook: what it refuses is not used, and the conditions show it.
 */
export function configAdmission(parts: ReloaderParts, alertChecks: AlertChecks): Admission<ReloaderConfig> {
  return admission(ReloaderConfig, { duringDeletion: "SkipUpdates", failurePolicy: "Ignore" }).validate(
    (call) => validateConfig(call, parts, alertChecks),
  );
}
