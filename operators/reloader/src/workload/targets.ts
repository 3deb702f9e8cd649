import type { Stored } from "keelson";
import type { ReloaderConfig } from "../api/reloader-config.ts";
import type { WorkloadRef } from "./workload-kind.ts";

/** The name of the index of ReloaderConfigs by the workloads that they name. */
export const targetIndex = "targets";

/** The value of the index for a workload. */
export function targetValue({ kind, namespace, name }: WorkloadRef): string {
  return `${kind}/${namespace}/${name}`;
}

/** The workloads that a ReloaderConfig names. */
export function targetsOf({ metadata, spec }: Stored<ReloaderConfig>): readonly WorkloadRef[] {
  return (spec.targets ?? []).map(({ kind, namespace = metadata.namespace, name }) => ({
    kind,
    namespace,
    name,
  }));
}
