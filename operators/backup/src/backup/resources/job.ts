import { type ApplyConfiguration, parseDurationMs, type Stored } from "keelson";
import type { Job } from "keelson/kinds/batch/v1";
import type { BackUp } from "../../api/back-up.ts";
import { revisionAnnotation, typeAnnotation } from "../../api/names.ts";
import { makeLabels, makePodTemplate } from "./pod-template.ts";
import { revisionOf } from "./revision.ts";

/** The fields of a Job that can be changed after it was created. */
export interface ChangeableJobSpec {
  readonly parallelism: number;
  readonly completions: number;
  readonly backoffLimit: number;
  readonly activeDeadlineSeconds: number | undefined;
}

export function changeableSpec({ spec }: BackUp): ChangeableJobSpec {
  const { replicas, retries, timeout } = spec;
  const timeoutMs = timeout === undefined ? undefined : parseDurationMs(timeout);
  return {
    // An indexed Job accepts a change of both if they stay equal.
    parallelism: replicas,
    completions: replicas,
    backoffLimit: retries,
    activeDeadlineSeconds: timeoutMs === undefined ? undefined : Math.ceil(timeoutMs / 1000),
  };
}

/** Labels by which the Jobs of a BackUp are found, and annotations that record the spec they were made from. */
export function makeJobMetadata(backup: Stored<BackUp>): {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
} {
  return {
    labels: makeLabels(backup.metadata.name),
    annotations: {
      [revisionAnnotation]: revisionOf(backup),
      [typeAnnotation]: backup.spec.backupType,
    },
  };
}

export function makeJobSpec(backup: Stored<BackUp>): NonNullable<ApplyConfiguration<Job>["spec"]> {
  const { activeDeadlineSeconds, ...rest } = changeableSpec(backup);
  return {
    ...rest,
    ...(activeDeadlineSeconds !== undefined && { activeDeadlineSeconds }),
    completionMode: "Indexed",
    template: makePodTemplate(backup),
  };
}

export function makeJob(
  backup: Stored<BackUp>,
  { name, suspend }: { readonly name: string; readonly suspend: boolean },
): ApplyConfiguration<Job> {
  return {
    metadata: { name, ...makeJobMetadata(backup) },
    spec: { ...makeJobSpec(backup), suspend },
  };
}
