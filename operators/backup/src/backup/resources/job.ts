import { type ApplyConfiguration, parseDurationMs } from "keelson";
import type { Job } from "keelson/kinds/batch/v1";
import type { BackUp } from "../../api/back-up.ts";
import { revisionAnnotation, typeAnnotation } from "../../api/names.ts";
import { makeLabels, makePodTemplate } from "./pod-template.ts";
import { revisionOf } from "./revision.ts";

/** What of a Job can be changed while it is there. */
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
    // Of an indexed Job both may change, if they do so together.
    parallelism: replicas,
    completions: replicas,
    backoffLimit: retries,
    activeDeadlineSeconds: timeoutMs === undefined ? undefined : Math.ceil(timeoutMs / 1000),
  };
}

/** How Jobs of this BackUp are recognised, and what they were made of. */
export function makeJobMetadata(backup: BackUp): {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
} {
  return {
    labels: makeLabels(backup.metadata.name ?? ""),
    annotations: {
      [revisionAnnotation]: revisionOf(backup),
      [typeAnnotation]: backup.spec.backupType,
    },
  };
}

export function makeJobSpec(backup: BackUp): NonNullable<ApplyConfiguration<Job>["spec"]> {
  const { activeDeadlineSeconds, ...others } = changeableSpec(backup);
  return {
    ...others,
    ...(activeDeadlineSeconds !== undefined && { activeDeadlineSeconds }),
    completionMode: "Indexed",
    template: makePodTemplate(backup),
  };
}

export function makeJob(
  backup: BackUp,
  { name, suspend }: { readonly name: string; readonly suspend: boolean },
): ApplyConfiguration<Job> {
  return {
    metadata: { name, ...makeJobMetadata(backup) },
    spec: { ...makeJobSpec(backup), suspend },
  };
}
