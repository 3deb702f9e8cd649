import { controllerOf, formatTime, matchesLabels, type ObjectOfKind, type Stored } from "@keelson/core";
import { Job, type JobStatus } from "@keelson/core/kinds/batch/v1";
import { Pod } from "@keelson/core/kinds/core/v1";
import type { ControllerContext, StartController } from "../../controller.ts";
import { type KeyLoop, loopKey, parseLoopKey, startKeyLoop } from "../../key-loop.ts";
import { type ControlledIndex, claimObjects, indexByController, writeStatus } from "../controlled-objects.ts";
import { createPodControl, type PodControl } from "../pod-control.ts";
import { isBeingDeleted } from "../pod-state.ts";
import {
  completionsReached,
  endOf,
  type JobEnd,
  type JobFacts,
  jobFacts,
  msUntilDeadline,
} from "./job-facts.ts";
import { isTracked, withoutTracking, withTracking } from "./job-pod.ts";
import { isJobFinished } from "./job-policies.ts";
import { executePlan, planPods, removeTracking } from "./manage-pods.ts";
import { countedPods, isAllCounted, trackPods, withJobCondition, withPresentPods } from "./track-status.ts";

const component = "job-controller";
const ownName = "kubernetes.io/job-controller";

interface Jobs {
  readonly context: ControllerContext;
  readonly pods: ControlledIndex<Pod>;
  readonly control: PodControl;
  readonly loop: KeyLoop;
}

/** Runs pods until the work of a Job is done or has failed too often. */
export const startJobController: StartController = (context) => {
  const loop = startKeyLoop({ name: component, context, reconcile: (key) => reconcile(jobs, key) });
  const orphans = startKeyLoop({ name: component, context, reconcile: (key) => letGoOrphan(context, key) });
  const pods = indexByController(context, Pod, ({ type, object, previous }) => {
    for (const key of ownersOf(context, object)) loop.enqueue(key);
    if (previous !== undefined) for (const key of ownersOf(context, previous)) loop.enqueue(key);
    if (type !== "DELETED" && isTracked(object)) orphans.enqueue(loopKey(object));
  });
  const jobs: Jobs = { context, pods, control: createPodControl(context, component), loop };
  const stopWatch = context.watch(Job, ({ type, object }) => {
    loop.enqueue(loopKey(object));
    if (type === "DELETED") for (const pod of pods.controlledBy(object)) orphans.enqueue(loopKey(pod));
  });
  return async () => {
    stopWatch();
    pods.stop();
    await Promise.all([loop.stop(), orphans.stop()]);
  };
};

function ownersOf({ objects }: ControllerContext, pod: Stored<Pod>): readonly string[] {
  const controller = controllerOf(pod);
  const { namespace, labels } = pod.metadata;
  if (controller !== undefined) return controller.kind === "Job" ? [`${namespace}/${controller.name}`] : [];
  if (isBeingDeleted(pod)) return [];
  return objects
    .list(Job, namespace)
    .filter(({ spec }) => matchesLabels(spec?.selector, labels))
    .map(loopKey);
}

/** Removes the tracking finalizer from a pod whose Job does not exist or has finished. */
async function letGoOrphan(context: ControllerContext, key: string): Promise<void> {
  const pod = context.objects.get(Pod, parseLoopKey(key));
  if (pod === undefined || !isTracked(pod)) return;
  const { namespace } = pod.metadata;
  const controller = controllerOf(pod);
  const job = controller && context.objects.get(Job, { namespace, name: controller.name });
  if (job !== undefined && job.metadata.uid === controller?.uid && !isJobFinished(job)) return;
  await removeTracking(context, pod);
}

async function reconcile(jobs: Jobs, key: string): Promise<void> {
  const { context, pods, loop } = jobs;
  const job = context.objects.get(Job, parseLoopKey(key));
  if (job?.spec === undefined || isJobFinished(job)) return;
  const { managedBy = ownName, selector } = job.spec;
  if (managedBy !== ownName) return;
  const owner: ObjectOfKind<Job> = { object: job, resource: Job };
  const owned = await claimObjects(context, {
    owner,
    selector,
    resource: Pod,
    candidates: [...pods.controlledBy(job), ...pods.orphansIn(job.metadata.namespace)],
    whenAdopted: withTracking,
    whenReleased: withoutTracking,
  });
  const facts = jobFacts(job, owned, context.clock.now());
  const deadline = msUntilDeadline(facts);
  let end = endOf(facts);
  let failure: unknown;
  try {
    if (end !== undefined) await Promise.all(facts.active.map((pod) => jobs.control.remove(job, pod)));
    else if (!isBeingDeleted(job)) await goOn(jobs, owner, facts);
  } catch (error) {
    failure = error;
  }
  if (end === undefined && isComplete(facts)) end = completionsReached;
  if (end === undefined && deadline !== undefined) loop.enqueueAfter(key, deadline);
  await track(jobs, facts, end);
  if (failure !== undefined) throw failure;
}

function isComplete({ succeeded, completions, active }: JobFacts): boolean {
  return active.length === 0 && (completions === undefined ? succeeded > 0 : succeeded >= completions);
}

async function goOn(
  { context, control, loop }: Jobs,
  owner: ObjectOfKind<Job>,
  facts: JobFacts,
): Promise<void> {
  const plan = planPods(facts);
  if (plan.waitMs !== undefined) loop.enqueueAfter(loopKey(owner.object), plan.waitMs);
  await executePlan(context, control, owner, facts, plan);
}

async function track({ context, pods }: Jobs, facts: JobFacts, end: JobEnd | undefined): Promise<void> {
  const { job, now } = facts;
  const tracking = trackPods(facts, pods.controlledBy(job), end);
  const first = withEnd(withRunState(context, facts, tracking.status, end), end, now);
  const fresh = context.objects.get(Job, {
    namespace: job.metadata.namespace,
    name: job.metadata.name,
  });
  if (fresh === undefined || fresh.metadata.uid !== job.metadata.uid) return;
  const written = await writeStatus(context, Job, { ...job, metadata: fresh.metadata }, first);
  await Promise.all(tracking.letGo.map((pod) => removeTracking(context, pod)));
  const left = pods.controlledBy(job);
  const tracked = new Set(left.filter(isTracked).flatMap(({ metadata }) => metadata.uid));
  const counted = withPresentPods(countedPods(first, tracked), left);
  const isDone = end !== undefined && isAllCounted(counted);
  const last = isDone ? finished(counted, end, now) : counted;
  await writeStatus(context, Job, written, last);
  if (isDone) tellEnd(context, facts, last, end);
}

/** When the Job began, and whether it is suspended. */
function withRunState(
  context: ControllerContext,
  { job, isSuspended, now }: JobFacts,
  status: JobStatus,
  end: JobEnd | undefined,
): JobStatus {
  const started =
    status.startTime === undefined && !isSuspended ? { ...status, startTime: formatTime(now) } : status;
  if (end !== undefined || isBeingDeleted(job)) return started;
  const next = withJobCondition(
    started,
    isSuspended
      ? { type: "Suspended", status: "True", reason: "JobSuspended", message: "Job suspended" }
      : { type: "Suspended", status: "False", reason: "JobResumed", message: "Job resumed" },
    now,
  );
  if (next === started) return started;
  const [reason, message] = isSuspended ? ["Suspended", "Job suspended"] : ["Resumed", "Job resumed"];
  context.recordEvent(job, { component, type: "Normal", reason, message });
  const { startTime: _startTime, ...unstarted } = next;
  return isSuspended ? unstarted : { ...next, startTime: formatTime(now) };
}

function withEnd(status: JobStatus, end: JobEnd | undefined, now: number): JobStatus {
  return end === undefined ? status : withJobCondition(status, { ...end, status: "True" }, now);
}

function finished(status: JobStatus, { type, reason, message }: JobEnd, now: number): JobStatus {
  const isSuccess = type === "SuccessCriteriaMet";
  const terminal = { type: isSuccess ? "Complete" : "Failed", status: "True", reason, message } as const;
  const done = withJobCondition(status, terminal, now);
  return isSuccess ? { ...done, completionTime: formatTime(now) } : done;
}

function tellEnd(
  context: ControllerContext,
  { job, completions }: JobFacts,
  status: JobStatus,
  end: JobEnd,
): void {
  if (end.type === "FailureTarget") {
    context.recordEvent(job, { component, type: "Warning", reason: end.reason, message: end.message });
    return;
  }
  if (completions !== undefined && (status.succeeded ?? 0) > completions) {
    const message = "Too many succeeded pods running after completion count reached";
    context.recordEvent(job, { component, type: "Warning", reason: "TooManySucceededPods", message });
  }
  context.recordEvent(job, { component, type: "Normal", reason: "Completed", message: "Job completed" });
}
