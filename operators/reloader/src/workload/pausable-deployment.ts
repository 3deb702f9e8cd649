import { isRecord } from "keelson/low-level";
import type { PausableDeployment } from "../timing/accumulate.ts";
import type { Workload } from "./workload.ts";
import { valueAt } from "./workload-kinds.ts";

/** The part of a Deployment that says whether its rollout is paused; undefined for other kinds, which have no such pause. */
export function pausableDeployment({ kind, object, metadata }: Workload): PausableDeployment | undefined {
  if (kind !== "Deployment") return undefined;
  const spec = valueAt(object, "spec");
  return { metadata, spec: { paused: isRecord(spec) && spec.paused === true } };
}
