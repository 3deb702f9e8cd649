import type { BackUp } from "../api/back-up.ts";
import { vanishedFrom } from "./history.ts";
import type { CronJobStep, JobToRemove, Plan, Update } from "./plan.ts";
import { jobName, replacementName } from "./resources/names.ts";
import { revisionOf } from "./resources/revision.ts";
import { isFinished, type Run } from "./run.ts";
import type { Orphans, World } from "./world.ts";

/** What is known of a run in relation to what is wanted now. */
interface Judged {
  readonly run: Run;
  readonly isOutdated: boolean;
  /** It is the Job that this BackUp is to have. */
  readonly isWanted: boolean;
}

/**
 * Decides what a BackUp needs next:
 *
 * - without a schedule one Job, `job-<name>`; it is not made again once its revision has run;
 * - with a schedule a CronJob, and a Job in place of a run that was ended because of another spec;
 * - a run that is not wanted any more goes: at once if none of its workers has started, and if the status tells of it
 *   when it has ended, or else as updatePolicy says. One of the current revision may always end.
 */
export function decide(backup: BackUp, world: World): Plan {
  const { jobs, cronJobs } = world.orphans;
  return jobs.length + cronJobs.length > 0 ? adoption(world.orphans) : decideOwn(backup, world);
}

/** What there is of its own is known for certain only then, and is heard of. */
function adoption(orphans: Orphans): Plan {
  return {
    ...{ adopt: orphans, create: [], holds: false, remove: [], keep: [], cronJob: { kind: "none" } },
    ...{ update: undefined, hasMore: false },
  };
}

function decideOwn(backup: BackUp, world: World): Plan {
  const { metadata, spec } = backup;
  const { name = "" } = metadata;
  const revision = revisionOf(backup);
  const wantedName = spec.schedule === undefined ? jobName(name) : replacementName(name, revision);
  const judged = world.runs.map((run): Judged => {
    const isOutdated = run.revision !== revision;
    return { run, isOutdated, isWanted: run.isOwn && run.name === wantedName && !isOutdated };
  });
  const removable = judged.filter((each) => isRemovable(each, backup));
  const isRecorded = ({ run }: Judged): boolean => isTold(backup, run);
  const remove = removable.filter((each) => isRecorded(each) && !each.run.isDeleting).map(removalOf);
  const isLeaving = (run: Run): boolean => run.isDeleting || remove.some((removal) => removal.run === run);
  const staying = judged.filter(({ run }) => !isLeaving(run));
  const hasVanished = vanishedFrom(backup, world.runs).length > 0;
  const needed = { judged, staying, remove, wantedName, revision, isRecorded, hasVanished };
  return {
    ...(spec.schedule === undefined
      ? decideOnce(backup, world, needed)
      : decideScheduled(backup, needed, spec.schedule)),
    remove,
    update: updateOf(backup, judged, isLeaving),
    adopt: world.orphans,
    hasMore: judged.some((each) => !isRecorded(each)),
  };
}

interface Needed {
  /** All runs. */
  readonly judged: readonly Judged[];
  /** Those that are neither on their way out nor about to be. */
  readonly staying: readonly Judged[];
  readonly remove: readonly JobToRemove[];
  /** Of the Job that this BackUp is to have, if it is to have one. */
  readonly wantedName: string;
  readonly revision: string;
  /** A run that has started and that the status does not tell of must stay. */
  readonly isRecorded: (judged: Judged) => boolean;
  /** There was a run that is gone, or not heard of. Until the status tells of its end nothing else starts. */
  readonly hasVanished: boolean;
}

type Wanted = Pick<Plan, "create" | "holds" | "keep" | "cronJob">;

function decideOnce(
  { spec, status }: BackUp,
  { cronJob }: World,
  { judged, staying, wantedName, revision, isRecorded, hasVanished }: Needed,
): Wanted {
  const { suspend } = spec;
  const nameIsFree = !judged.some(({ run }) => run.name === wantedName);
  const othersRun = judged.some(({ run, isWanted }) => !isWanted && !isFinished(run));
  const isDone = status?.finishedRevision === revision;
  const isDue = nameIsFree && !othersRun && !isDone;
  const ofSchedule = staying.filter(({ run }) => !run.isOwn);
  return {
    create: isDue && !hasVanished ? [{ name: wantedName, suspend }] : [],
    holds: isDue && hasVanished,
    keep: ownUnfinished(staying).map(({ run }) => ({ run, suspend })),
    cronJob: cronJob === undefined ? { kind: "none" } : leftOver(ofSchedule, isRecorded),
  };
}

/** The CronJob of a BackUp that has no schedule any more. Its Jobs go with it, so one that may end keeps it. */
function leftOver(jobs: readonly Judged[], isRecorded: (judged: Judged) => boolean): CronJobStep {
  const isNeeded = jobs.some((each) => !isFinished(each.run) || !isRecorded(each));
  return isNeeded ? { kind: "suspend" } : { kind: "remove" };
}

function decideScheduled(
  { metadata: { name = "" }, spec }: BackUp,
  { judged, staying, remove, wantedName, revision, hasVanished }: Needed,
  schedule: string,
): Wanted {
  const takesPlaceOf = ({ run }: JobToRemove): boolean =>
    run.revision !== revision && !isFinished(run) && (run.state === "running" || run.name !== jobName(name));
  const hasReplacement = judged.some(({ run }) => run.name === wantedName);
  // It is there before the run goes whose place it takes, and starts when that is gone: nothing is lost in between.
  const create = remove.some(takesPlaceOf) && !hasReplacement ? [{ name: wantedName, suspend: true }] : [];
  const othersRun = (own: Run): boolean =>
    hasVanished || judged.some(({ run }) => run !== own && !isFinished(run));
  const own = ownUnfinished(staying);
  return {
    create,
    holds: false,
    keep: own.map(({ run, isWanted }) => ({ run, suspend: spec.suspend || (isWanted && othersRun(run)) })),
    cronJob: { kind: "apply", schedule, suspend: spec.suspend || own.length + create.length > 0 },
  };
}

function ownUnfinished(judged: readonly Judged[]): readonly Judged[] {
  return judged.filter(({ run }) => run.isOwn && !isFinished(run));
}

/** Whether a run is to go, as soon as the status tells of it. */
function isRemovable({ run, isOutdated, isWanted }: Judged, { spec }: BackUp): boolean {
  const replaces = spec.updatePolicy === "Replace" && isOutdated;
  const hasStarted = run.state !== "suspended" && run.state !== "waiting";
  // One that cannot start would keep its schedule from every other run, for ever.
  if (!run.isOwn) return hasStarted ? replaces && !isFinished(run) : isOutdated;
  if (isFinished(run)) return spec.schedule !== undefined || !isWanted;
  return hasStarted ? replaces : !isWanted;
}

function removalOf({ run }: Judged): JobToRemove {
  return { run, propagation: isFinished(run) ? "Background" : "Foreground" };
}

function isTold({ status }: BackUp, run: Run): boolean {
  const isIn = (entries: readonly { readonly uid: string }[] = []): boolean =>
    entries.some(({ uid }) => uid === run.uid);
  if (isFinished(run)) return isIn(status?.history);
  return run.state !== "running" || isIn(status?.running);
}

function updateOf(
  { spec }: BackUp,
  judged: readonly Judged[],
  isLeaving: (run: Run) => boolean,
): Update | undefined {
  const concerned = judged.filter(
    ({ run, isOutdated }) => isOutdated && (!isFinished(run) || (run.isOwn && isLeaving(run))),
  );
  if (concerned.length === 0) return undefined;
  return {
    isOfImage: concerned.some(({ run }) => run.image !== spec.image),
    waits: !concerned.some(({ run }) => isLeaving(run)),
  };
}
