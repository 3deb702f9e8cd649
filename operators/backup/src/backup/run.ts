import { isControlledBy, type Stored } from "keelson";
import type { Job, JobCondition } from "keelson/kinds/batch/v1";
import type { BackUp } from "../api/back-up.ts";
import { revisionAnnotation, typeAnnotation } from "../api/names.ts";
import { containerName } from "./resources/pod-template.ts";

/**
 * The state of a Job:
 *
 * - `waiting`: none of its workers has started, such as when no node has room for them or the image does not exist;
 * - `suspended`: it is suspended and has no workers;
 * - `running`: workers have started;
 * - `succeeded`, `failed`: it has finished, and does not change any more.
 */
type RunState = "waiting" | "suspended" | "running" | "succeeded" | "failed";

/** One run of a BackUp: its Job, and what the operator reads of it. */
export interface Run {
  readonly job: Stored<Job>;
  readonly name: string;
  readonly uid: string;
  readonly state: RunState;
  readonly revision: string | undefined;
  readonly image: string;
  readonly type: string;
  /** The BackUp controls the Job, not its CronJob. */
  readonly isOwn: boolean;
  readonly isDeleting: boolean;
  readonly start: string;
  /** Undefined until it has finished. */
  readonly end: string | undefined;
  /** Why it failed. */
  readonly reason: string | undefined;
}

export function runOf(job: Stored<Job>, backup: BackUp): Run {
  const { name, uid, annotations, creationTimestamp, deletionTimestamp } = job.metadata;
  const { startTime, completionTime } = job.status ?? {};
  const failure = conditionOf(job, "Failed");
  return {
    ...{ job, name, uid },
    state: stateOf(job, backup),
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

/** A run that has started stays `running` even if its workers are not ready for a while. */
function stateOf(job: Job, { status }: BackUp): RunState {
  const { active = 0, ready = 0, succeeded = 0, failed = 0 } = job.status ?? {};
  if (conditionOf(job, "Complete") !== undefined) return "succeeded";
  if (conditionOf(job, "Failed") !== undefined) return "failed";
  if (job.spec?.suspend === true && active === 0) return "suspended";
  const hasStarted = ready + succeeded + failed > 0;
  const wasRunning = status?.running?.some(({ uid }) => uid === job.metadata.uid) === true;
  return hasStarted || wasRunning ? "running" : "waiting";
}

function conditionOf({ status }: Job, type: string): JobCondition | undefined {
  return status?.conditions?.find((condition) => condition.type === type && condition.status === "True");
}

function imageOf({ spec }: Job): string {
  return spec?.template.spec?.containers.find(({ name }) => name === containerName)?.image ?? "";
}
