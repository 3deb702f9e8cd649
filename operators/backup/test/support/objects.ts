import { type Stored, z } from "keelson";
import type { Job } from "keelson/kinds/batch/v1";
import { BackUp } from "../../src/api/back-up.ts";
import type { BackUpSpecInput } from "../../src/api/spec.ts";
import type { BackUpStatus } from "../../src/api/status.ts";
import type { ActualState } from "../../src/backup/actual-state.ts";
import { makeJobMetadata } from "../../src/backup/resources/job.ts";
import { type Run, runOf } from "../../src/backup/run.ts";

const stored = { resourceVersion: "1", creationTimestamp: "2026-01-01T00:00:00Z" };

/** A BackUp as the server returns it. */
export function backUp(spec: BackUpSpecInput, status?: BackUpStatus, annotations = {}): Stored<BackUp> {
  return {
    apiVersion: "backup.keelson.dev/v1",
    kind: "BackUp",
    metadata: { ...stored, namespace: "shop", name: "mine", uid: "uid-of-mine", generation: 1, annotations },
    spec: z.parse(BackUp.schemas.spec, spec),
    ...(status !== undefined && { status }),
  };
}

export interface JobDraft {
  readonly name?: string;
  readonly uid?: string;
  readonly status?: Job["status"];
  readonly suspend?: boolean;
  /** The uid of its controller. Default: that of the BackUp. */
  readonly ownerUid?: string;
  readonly isDeleting?: boolean;
}

/** The run of a Job that was made from a BackUp. */
export function run(madeFrom: Stored<BackUp>, draft: JobDraft = {}): Run {
  const { name = "job-mine", uid = "uid-of-job", status = {}, suspend = false, isDeleting = false } = draft;
  const { ownerUid = "uid-of-mine" } = draft;
  const owner = { apiVersion: "v1", kind: "Owner", name: "owner", uid: ownerUid, controller: true };
  const job: Stored<Job> = {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: {
      ...{ ...stored, namespace: "shop", name, uid },
      ...makeJobMetadata(madeFrom),
      ownerReferences: [owner],
      ...(isDeleting && { deletionTimestamp: "2026-01-01T01:00:00Z" }),
    },
    spec: {
      suspend,
      template: { spec: { containers: [{ name: "backup", image: madeFrom.spec.image }] } },
    },
    status,
  };
  return runOf(job, madeFrom);
}

const startTime = "2026-01-01T00:00:00Z";
const at = (type: string, reason: string) => ({
  ...{ type, reason, status: "True", lastTransitionTime: "2026-01-01T00:01:30Z" },
});

export const running = { startTime, active: 1, ready: 1 };
/** Its worker exists and cannot start. */
export const stuck = { startTime, active: 1, ready: 0 };
export const succeeded = {
  startTime,
  completionTime: "2026-01-01T00:01:30Z",
  conditions: [at("Complete", "")],
};
export const failed = { startTime, conditions: [at("Failed", "BackoffLimitExceeded")] };

/** An actual state with these runs and nothing else. */
export function stateOf(...runs: readonly Run[]): ActualState {
  return { runs, cronJob: undefined, foreign: undefined, orphans: { jobs: [], cronJobs: [] } };
}
