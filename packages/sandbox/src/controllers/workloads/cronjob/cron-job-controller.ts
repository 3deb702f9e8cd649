import {
  controllerOf,
  formatTime,
  isKnownTimeZone,
  keyOf,
  parseCronSchedule,
  type Stored,
  toError,
} from "@keelson/core";
import { CronJob, type CronJobStatus, Job } from "@keelson/core/kinds/batch/v1";
import type { ObjectReference } from "@keelson/core/kinds/core/v1";
import { ApiError } from "../../../status/api-error.ts";
import { type ControllerContext, controllerManager, type StartController } from "../../controller.ts";
import { type KeyLoop, loopKey, parseLoopKey, startKeyLoop } from "../../key-loop.ts";
import { isNamespaceTerminating } from "../../refusals.ts";
import { type ControlledIndex, indexByController, writeStatus } from "../controlled-objects.ts";
import { isJobFinished, terminalCondition } from "../job/job-policies.ts";
import { isBeingDeleted, timeOf } from "../pod-state.ts";
import { dueTime, makeScheduledJob, referenceTo } from "./schedule.ts";

const component = "cronjob-controller";
/** So that the clock is surely past the moment when it is looked again. */
const lookAfterMs = 100;

interface CronJobs {
  readonly context: ControllerContext;
  readonly jobs: ControlledIndex<Job>;
  readonly loop: KeyLoop;
}

/** One run over one CronJob; `status` is written at the end. */
interface CronJobRun {
  readonly context: ControllerContext;
  readonly cronJob: Stored<CronJob>;
  active: readonly ObjectReference[];
  lastScheduleTime: string | undefined;
  lastSuccessfulTime: string | undefined;
}

/** Creates the Jobs of CronJobs at their scheduled times. */
export const startCronJobController: StartController = (context) => {
  const loop = startKeyLoop({ name: component, context, reconcile: (key) => reconcile(cronJobs, key) });
  const jobs = indexByController(context, Job, ({ object }) => {
    const controller = controllerOf(object);
    if (controller?.kind === "CronJob") loop.enqueue(`${object.metadata.namespace}/${controller.name}`);
  });
  const cronJobs: CronJobs = { context, jobs, loop };
  const stopWatch = context.watch(CronJob, ({ object }) => loop.enqueue(loopKey(object)));
  return async () => {
    stopWatch();
    jobs.stop();
    await loop.stop();
  };
};

async function reconcile({ context, jobs, loop }: CronJobs, key: string): Promise<void> {
  const cronJob = context.objects.get(CronJob, parseLoopKey(key));
  if (cronJob === undefined) return;
  const { active = [], lastScheduleTime, lastSuccessfulTime } = cronJob.status ?? {};
  const run: CronJobRun = { context, cronJob, active, lastScheduleTime, lastSuccessfulTime };
  const children = jobs.controlledBy(cronJob);
  try {
    await deleteOldJobs(run, children);
    // Also those just forgotten: one of them may be the last success.
    recordFinishedJobs(run, children);
    const wait = isBeingDeleted(cronJob) ? undefined : await startDueJob(run);
    if (wait !== undefined) loop.enqueueAfter(key, wait);
  } finally {
    const fresh = context.objects.get(CronJob, parseLoopKey(key));
    if (fresh?.metadata.uid === cronJob.metadata.uid) {
      await writeStatus(
        context,
        CronJob,
        { ...cronJob, metadata: fresh?.metadata ?? cronJob.metadata },
        statusOf(run),
      );
    }
  }
}

function statusOf({ active, lastScheduleTime, lastSuccessfulTime }: CronJobRun): CronJobStatus {
  return {
    ...(active.length === 0 ? {} : { active }),
    ...(lastScheduleTime === undefined ? {} : { lastScheduleTime }),
    ...(lastSuccessfulTime === undefined ? {} : { lastSuccessfulTime }),
  };
}

function recordEvent(
  { context, cronJob }: CronJobRun,
  type: "Normal" | "Warning",
  reason: string,
  message: string,
): void {
  context.recordEvent(cronJob, { component, type, reason, message });
}

/** Keeps as many finished Jobs as the history limits allow. */
async function deleteOldJobs(run: CronJobRun, jobs: readonly Stored<Job>[]): Promise<void> {
  const { successfulJobsHistoryLimit, failedJobsHistoryLimit } = run.cronJob.spec;
  const limits = { Complete: successfulJobsHistoryLimit, Failed: failedJobsHistoryLimit };
  for (const [type, limit] of Object.entries(limits)) {
    if (limit === undefined) continue;
    const finished = jobs
      .filter((job) => terminalCondition(job)?.type === type && !isBeingDeleted(job))
      .toSorted((a, b) => startOf(a) - startOf(b));
    for (const job of finished.slice(0, Math.max(0, finished.length - limit))) await deleteJob(run, job);
  }
}

function startOf({ status, metadata }: Stored<Job>): number {
  return timeOf(status?.startTime) ?? timeOf(metadata.creationTimestamp) ?? 0;
}

async function deleteJob(run: CronJobRun, job: Stored<Job>): Promise<void> {
  try {
    const options = { manager: controllerManager, propagationPolicy: "Background" as const };
    await run.context.objects.delete(Job, keyOf(job), options);
  } catch (error) {
    recordEvent(run, "Warning", "FailedDelete", `Deleted job: ${toError(error).message}`);
    throw error;
  }
  run.active = run.active.filter(({ uid }) => uid !== job.metadata.uid);
  recordEvent(run, "Normal", "SuccessfulDelete", `Deleted job ${job.metadata.name}`);
}

/** Records which Jobs are active, have finished, or were deleted. */
function recordFinishedJobs(run: CronJobRun, jobs: readonly Stored<Job>[]): void {
  for (const job of jobs) {
    const isActive = run.active.some(({ uid }) => uid === job.metadata.uid);
    if (!isJobFinished(job)) {
      if (isActive) continue;
      const message = `Saw a job that the controller did not create or forgot: ${job.metadata.name}`;
      recordEvent(run, "Warning", "UnexpectedJob", message);
      continue;
    }
    const type = terminalCondition(job)?.type;
    if (isActive) {
      run.active = run.active.filter(({ uid }) => uid !== job.metadata.uid);
      recordEvent(
        run,
        "Normal",
        "SawCompletedJob",
        `Saw completed job: ${job.metadata.name}, condition: ${type}`,
      );
    }
    const ended = type === "Complete" ? job.status?.completionTime : undefined;
    if ((timeOf(ended) ?? 0) > (timeOf(run.lastSuccessfulTime) ?? 0)) run.lastSuccessfulTime = ended;
  }
  const present = new Set<string | undefined>(jobs.map(({ metadata }) => metadata.uid));
  for (const { uid, name } of run.active) {
    if (present.has(uid)) continue;
    run.active = run.active.filter((reference) => reference.uid !== uid);
    recordEvent(run, "Normal", "MissingJob", `Active job went missing: ${name}`);
  }
}

/** Returns the delay until the next scheduled time; undefined if there is none. */
async function startDueJob(run: CronJobRun): Promise<number | undefined> {
  const { context, cronJob } = run;
  const { schedule: text, timeZone, suspend, startingDeadlineSeconds } = cronJob.spec;
  if (timeZone !== undefined && !isKnownTimeZone(timeZone)) {
    const zone = JSON.stringify(timeZone);
    recordEvent(
      run,
      "Warning",
      "UnknownTimeZone",
      `invalid timeZone: ${zone}: unknown time zone ${timeZone}`,
    );
    return undefined;
  }
  if (suspend === true) return undefined;
  const schedule = parseCronSchedule(text);
  if (schedule === undefined) {
    recordEvent(run, "Warning", "UnparseableSchedule", `unparseable schedule: ${JSON.stringify(text)}`);
    return undefined;
  }
  const now = context.clock.now();
  const { dueMs, missedMany, nextMs } = dueTime(cronJob, schedule, now);
  const wait = nextMs === undefined ? undefined : nextMs + lookAfterMs - now;
  if (dueMs === undefined || timeOf(run.lastScheduleTime) === dueMs) return wait;
  if (missedMany) {
    const advice = "Set or decrease .spec.startingDeadlineSeconds or check clock skew";
    recordEvent(run, "Warning", "TooManyMissedTimes", `too many missed start times. ${advice}`);
  }
  if (startingDeadlineSeconds !== undefined && dueMs + startingDeadlineSeconds * 1000 < now) {
    const time = new Date(dueMs).toUTCString().replace("GMT", "+0000");
    recordEvent(run, "Warning", "MissSchedule", `Missed scheduled time to start a job: ${time}`);
    return wait;
  }
  if (await makeRoom(run)) await createJob(run, dueMs);
  return wait;
}

/** Whether a Job may start beside, or in place of, those that run. */
async function makeRoom(run: CronJobRun): Promise<boolean> {
  const { context, cronJob, active } = run;
  const { concurrencyPolicy } = cronJob.spec;
  if (concurrencyPolicy === "Forbid" && active.length > 0) {
    const message = "Not starting job because prior execution is running and concurrency policy is Forbid";
    recordEvent(run, "Normal", "JobAlreadyActive", message);
    return false;
  }
  if (concurrencyPolicy !== "Replace") return true;
  for (const { namespace, name } of active) {
    if (namespace === undefined || name === undefined) continue;
    const job = context.objects.get(Job, { namespace, name });
    if (job !== undefined) await deleteJob(run, job);
  }
  return true;
}

async function createJob(run: CronJobRun, dueMs: number): Promise<void> {
  const { context, cronJob } = run;
  const wanted = makeScheduledJob(cronJob, dueMs);
  try {
    const created = await context.objects.create(Job, wanted, { manager: controllerManager });
    recordEvent(run, "Normal", "SuccessfulCreate", `Created job ${created.metadata.name}`);
    run.active = [...run.active, referenceTo(created)];
  } catch (error) {
    if (error instanceof ApiError && error.status.reason === "AlreadyExists") {
      const present = context.objects.get(Job, keyOf(wanted));
      const isOwn = present !== undefined && controllerOf(present)?.uid === cronJob.metadata.uid;
      if (!isOwn) return;
      run.active = [...run.active.filter(({ uid }) => uid !== present.metadata.uid), referenceTo(present)];
    } else {
      if (!isNamespaceTerminating(error))
        recordEvent(run, "Warning", "FailedCreate", `Error creating job: ${toError(error).message}`);
      throw error;
    }
  }
  run.lastScheduleTime = formatTime(dueMs);
}
