import { isControlledBy } from "keelson";
import type { Job, JobCondition } from "keelson/kinds/batch/v1";
import type { BackUp } from "../api/back-up.ts";
import { revisionAnnotation, typeAnnotation } from "../api/names.ts";
import { containerName } from "./resources/pod-template.ts";

/**
 * How far a Job is:
 *
 * - `waiting`: nothing of it has started;
 * - `suspended`: it has no workers, and gets none;
 * - `running`: it has started;
 * - `succeeded`, `failed`: it has ended, and stays so.
 */
export type RunState = "waiting" | "suspended" | "running" | "succeeded" | "failed";

/** A Job of a BackUp, as far as it is of interest. */
export interface Run {
  readonly job: Job;
  readonly name: string;
  readonly uid: string;
  readonly state: RunState;
  readonly revision: string | undefined;
  readonly image: string;
  readonly type: string;
  /** The BackUp controls it itself, not its CronJob. */
  readonly isOwn: boolean;
  readonly isDeleting: boolean;
  readonly start: string;
  /** Undefined until it has ended. */
  readonly end: string | undefined;
  /** Why it failed. */
  readonly reason: string | undefined;
}

export function runOf(job: Job, backup: BackUp): Run {
  const { name = "", uid = "", annotations, creationTimestamp = "", deletionTimestamp } = job.metadata;
  const { startTime, completionTime } = job.status ?? {};
  const failure = conditionOf(job, "Failed");
  return {
    ...{ job, name, uid },
    state: stateOf(job),
    revision: annotations?.[revisionAnnotation],
    image: imageOf(job),
    type: annotations?.[typeAnnotation] ?? "",
    isOwn: isControlledBy(job, backup),
    isDeleting: deletionTimestamp !== undefined,
    start: startTime ?? creationTimestamp,
    end: failure?.lastTransitionTime ?? completionTime ?? conditionOf(job, "Complete")?.lastTransitionTime,
    reason: failure?.reason,
  };
}

export function isFinished({ state }: Run): boolean {
  return state === "succeeded" || state === "failed";
}

function stateOf(job: Job): RunState {
  const { active = 0, startTime } = job.status ?? {};
  if (conditionOf(job, "Complete") !== undefined) return "succeeded";
  if (conditionOf(job, "Failed") !== undefined) return "failed";
  if (job.spec?.suspend === true && active === 0) return "suspended";
  return startTime === undefined ? "waiting" : "running";
}

function conditionOf({ status }: Job, type: string): JobCondition | undefined {
  return status?.conditions?.find((condition) => condition.type === type && condition.status === "True");
}

function imageOf({ spec }: Job): string {
  return spec?.template.spec?.containers.find(({ name }) => name === containerName)?.image ?? "";
}
