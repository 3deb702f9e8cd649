import type { Stored } from "keelson";
import type { BackUp } from "../api/back-up.ts";
import type { ActualState, Orphans } from "./actual-state.ts";
import type { CronJobStep, JobToRemove, Plan, Update } from "./plan.ts";
import { jobName, replacementName } from "./resources/names.ts";
import { revisionOf } from "./resources/revision.ts";
import { isFinished, type Run } from "./run.ts";
import { missingRuns } from "./vanished-runs.ts";

/** A run, compared with the spec. */
interface ComparedRun {
  readonly run: Run;
  readonly isOutdated: boolean;
  /** Its Job is the one that the BackUp should own. */
  readonly isDesired: boolean;
}

/**
 * Decides on the next steps for a BackUp:
 *
 * - without a schedule it needs one Job, `job-<name>`, which is not created again once its revision has run;
 * - with a schedule it needs a CronJob, and a Job that replaces a run that was deleted because of another spec;
 * - a run that is no longer desired is deleted: at once if none of its workers has started; if it has finished, as soon as
 *   the status records it; otherwise as updatePolicy says. A run of the current revision is never deleted before it
 *   finishes.
 */
export function decide(backup: Stored<BackUp>, state: ActualState): Plan {
  const { jobs, cronJobs } = state.orphans;
  return jobs.length + cronJobs.length > 0 ? adoption(state.orphans) : decideOwn(backup, state);
}

/** The runs of a BackUp are known only after the adoption, whose watch events enqueue the BackUp. */
function adoption(orphans: Orphans): Plan {
  return {
    ...{ adopt: orphans, create: [], holds: false, remove: [], keep: [], cronJob: { kind: "none" } },
    ...{ update: undefined, hasMore: false },
  };
}

function decideOwn(backup: Stored<BackUp>, state: ActualState): Plan {
  const { metadata, spec } = backup;
  const { name } = metadata;
  const revision = revisionOf(backup);
  const desiredName = spec.schedule === undefined ? jobName(name) : replacementName(name, revision);
  const compared = state.runs.map((run): ComparedRun => {
    const isOutdated = run.revision !== revision;
    return { run, isOutdated, isDesired: run.isOwn && run.name === desiredName && !isOutdated };
  });
  const removable = compared.filter((each) => isRemovable(each, backup));
  const remove = removable
    .filter(({ run }) => isRecorded(backup, run) && !run.isDeleting)
    .map(({ run }) => removalOf(run));
  const isLeaving = (run: Run): boolean => run.isDeleting || remove.some((removal) => removal.run === run);
  const staying = compared.filter(({ run }) => !isLeaving(run));
  const hasMissing = missingRuns(backup, state.runs).length > 0;
  const facts = { compared, staying, remove, desiredName, revision, hasMissing };
  return {
    ...(spec.schedule === undefined
      ? decideOnce(backup, state, facts)
      : decideScheduled(backup, facts, spec.schedule)),
    remove,
    update: updateOf(backup, compared, isLeaving),
    adopt: state.orphans,
    hasMore: state.runs.some((run) => !isRecorded(backup, run)),
  };
}

interface RunFacts {
  /** All runs. */
  readonly compared: readonly ComparedRun[];
  /** Runs that are not being deleted, and that the plan does not delete. */
  readonly staying: readonly ComparedRun[];
  readonly remove: readonly JobToRemove[];
  /** The name of the Job that the BackUp should own, if it should own one. */
  readonly desiredName: string;
  readonly revision: string;
  /** A run that the status records as under way is not in the cache. No other run starts until the status records its end. */
  readonly hasMissing: boolean;
}

type DesiredObjects = Pick<Plan, "create" | "holds" | "keep" | "cronJob">;

function decideOnce(
  backup: BackUp,
  { cronJob }: ActualState,
  { compared, staying, desiredName, revision, hasMissing }: RunFacts,
): DesiredObjects {
  const { suspend } = backup.spec;
  const isNameFree = !compared.some(({ run }) => run.name === desiredName);
  const hasOtherRun = compared.some(({ run, isDesired }) => !isDesired && !isFinished(run));
  const isDone = backup.status?.finishedRevision === revision;
  const isDue = isNameFree && !hasOtherRun && !isDone;
  const ofSchedule = staying.filter(({ run }) => !run.isOwn);
  return {
    create: isDue && !hasMissing ? [{ name: desiredName, suspend }] : [],
    holds: isDue && hasMissing,
    keep: ownUnfinished(staying).map(({ run }) => ({ run, suspend })),
    cronJob: cronJob === undefined ? { kind: "none" } : formerCronJob(backup, ofSchedule),
  };
}

/** The CronJob of a BackUp that has no schedule any more. Its Jobs are deleted with it, so it stays until they have finished. */
function formerCronJob(backup: BackUp, jobs: readonly ComparedRun[]): CronJobStep {
  const isNeeded = jobs.some(({ run }) => !isFinished(run) || !isRecorded(backup, run));
  return isNeeded ? { kind: "suspend" } : { kind: "remove" };
}

function decideScheduled(
  { metadata: { name }, spec }: Stored<BackUp>,
  { compared, staying, remove, desiredName, revision, hasMissing }: RunFacts,
  schedule: string,
): DesiredObjects {
  const isReplaced = ({ run }: JobToRemove): boolean =>
    run.revision !== revision && !isFinished(run) && (run.state === "running" || run.name !== jobName(name));
  const hasReplacement = compared.some(({ run }) => run.name === desiredName);
  // It is created before the run is deleted that it replaces, and starts after that: a crash in between loses no run.
  const create = remove.some(isReplaced) && !hasReplacement ? [{ name: desiredName, suspend: true }] : [];
  const hasOtherRun = (own: Run): boolean =>
    hasMissing || compared.some(({ run }) => run !== own && !isFinished(run));
  const own = ownUnfinished(staying);
  return {
    create,
    holds: false,
    keep: own.map(({ run, isDesired }) => ({
      run,
      suspend: spec.suspend || (isDesired && hasOtherRun(run)),
    })),
    cronJob: { kind: "apply", schedule, suspend: spec.suspend || own.length + create.length > 0 },
  };
}

function ownUnfinished(runs: readonly ComparedRun[]): readonly ComparedRun[] {
  return runs.filter(({ run }) => run.isOwn && !isFinished(run));
}

/** Whether a run is to be deleted as soon as the status records it. */
function isRemovable({ run, isOutdated, isDesired }: ComparedRun, { spec }: BackUp): boolean {
  const replaces = spec.updatePolicy === "Replace" && isOutdated;
  const hasStarted = run.state !== "suspended" && run.state !== "waiting";
  // A run that cannot start would block every later run of its schedule.
  if (!run.isOwn) return hasStarted ? replaces && !isFinished(run) : isOutdated;
  if (isFinished(run)) return spec.schedule !== undefined || !isDesired;
  return hasStarted ? replaces : !isDesired;
}

function removalOf(run: Run): JobToRemove {
  return { run, propagation: isFinished(run) ? "Background" : "Foreground" };
}

/** A run that has started stays until the status records it. */
function isRecorded({ status }: BackUp, run: Run): boolean {
  const isIn = (entries: readonly { readonly uid: string }[] = []): boolean =>
    entries.some(({ uid }) => uid === run.uid);
  if (isFinished(run)) return isIn(status?.history);
  return run.state !== "running" || isIn(status?.running);
}

function updateOf(
  { spec }: BackUp,
  compared: readonly ComparedRun[],
  isLeaving: (run: Run) => boolean,
): Update | undefined {
  const outdated = compared.filter(
    ({ run, isOutdated }) => isOutdated && (!isFinished(run) || (run.isOwn && isLeaving(run))),
  );
  if (outdated.length === 0) return undefined;
  return {
    isOfImage: outdated.some(({ run }) => run.image !== spec.image),
    waits: !outdated.some(({ run }) => isLeaving(run)),
  };
}
