import { formatTime } from "keelson";
import type { Container, ContainerStateTerminated, ContainerStatus } from "keelson/kinds/core/v1";
import { formatDurationMs } from "keelson/low-level";
import {
  containerId,
  imageIdOf,
  isWaitingFor,
  runningStatus,
  terminatedStatus,
  waitingStatus,
} from "./container-status.ts";
import { elapsedSince, type PodSituation, sooner } from "./situation.ts";

/** What is to become of one container. */
export interface ContainerPlan {
  /** Why it cannot start yet; undefined: it can. */
  readonly waitsFor?: { readonly reason: string; readonly message?: string };
  readonly canPull: boolean;
  /** It ends after so long; undefined: never. */
  readonly runMs: number | undefined;
  readonly exitCode: number;
  /** Undefined: never. */
  readonly readyAfterMs: number | undefined;
  readonly restarts: "Always" | "OnFailure" | "Never";
}

export interface ContainerStep {
  readonly status: ContainerStatus;
  readonly againInMs?: number;
}

/** Between a pull that failed and the state that shows that the next one has to wait. */
const pullFailureShownMs = 1000;
const maxBackoffMs = 300_000;

/**
 * Where a container gets to by now. It starts at most once and ends at most once in a step:
 *
 *     waiting ──▶ running ──▶ terminated ──restarts──▶ waiting (CrashLoopBackOff) ──▶ running …
 */
export function advanceContainer(
  container: Container,
  old: ContainerStatus | undefined,
  plan: ContainerPlan,
  situation: PodSituation,
): ContainerStep {
  const startedAt = old?.state?.running?.startedAt;
  if (old !== undefined && startedAt !== undefined) {
    return run(container, old, plan, situation, elapsedSince(startedAt, situation));
  }
  if (old?.state?.terminated !== undefined && !startsAgain(container, old, plan)) return { status: old };
  const lastExit = old?.state?.terminated ?? old?.lastState?.terminated;
  const backoffMs = backoffLeft(lastExit, old, situation);
  if (backoffMs > 0) return crashLoop(container, old, backoffMs, situation);
  if (plan.waitsFor !== undefined) return { status: waitingStatus(container, old, plan.waitsFor) };
  if (!plan.canPull && needsPull(container, old)) return failedPull(container, old, situation);
  const restartCount = lastExit === undefined ? 0 : (old?.restartCount ?? 0) + 1;
  const id = containerId(situation.pod, container, restartCount);
  const status = runningStatus(container, {
    restartCount,
    containerID: id,
    startedAt: formatTime(situation.nowMs),
    lastState: lastExit === undefined ? {} : { terminated: lastExit },
  });
  return run(container, status, plan, situation, 0);
}

function run(
  container: Container,
  status: ContainerStatus,
  plan: ContainerPlan,
  situation: PodSituation,
  elapsedMs: number,
): ContainerStep {
  const isReplaced = status.image !== container.image;
  if (isReplaced || (plan.runMs !== undefined && elapsedMs >= plan.runMs)) {
    const ended = terminatedStatus(status, isReplaced ? 0 : plan.exitCode, situation.nowMs);
    return startsAgain(container, ended, plan) ? { status: ended, againInMs: 0 } : { status: ended };
  }
  // A ready container stays ready: times are not exact enough to be compared twice.
  const ready = plan.readyAfterMs !== undefined && (status.ready || elapsedMs >= plan.readyAfterMs);
  const againInMs = sooner(
    plan.runMs === undefined ? undefined : plan.runMs - elapsedMs,
    ready || plan.readyAfterMs === undefined ? undefined : plan.readyAfterMs - elapsedMs,
  );
  return {
    status: status.ready === ready ? status : { ...status, ready },
    ...(againInMs !== undefined && { againInMs }),
  };
}

/** A container whose image was changed restarts whatever the restart policy of its pod is. */
export function startsAgain(
  container: Container,
  status: ContainerStatus,
  { restarts }: Pick<ContainerPlan, "restarts">,
): boolean {
  const exit = status.state?.terminated;
  if (exit === undefined) return false;
  if (status.image !== container.image) return true;
  return restarts === "Always" || (restarts === "OnFailure" && exit.exitCode !== 0);
}

/** The first restart is at once; only what fails again has to wait. */
function backoffLeft(
  lastExit: ContainerStateTerminated | undefined,
  old: ContainerStatus | undefined,
  situation: PodSituation,
): number {
  const restarts = old?.restartCount ?? 0;
  if (lastExit?.finishedAt === undefined || restarts === 0) return 0;
  return backoffMsAfter(restarts, situation) - elapsedSince(lastExit.finishedAt, situation);
}

function backoffMsAfter(restarts: number, { timing }: PodSituation): number {
  return Math.min(timing.restartBackoffMs * 2 ** (restarts - 1), maxBackoffMs);
}

function crashLoop(
  container: Container,
  old: ContainerStatus | undefined,
  againInMs: number,
  situation: PodSituation,
): ContainerStep {
  const { namespace, name, uid } = situation.pod.metadata;
  const backoff = formatDurationMs(backoffMsAfter(old?.restartCount ?? 1, situation));
  const message = `back-off ${backoff} restarting failed container=${container.name} pod=${name}_${namespace}(${uid})`;
  return { status: waitingStatus(container, old, { reason: "CrashLoopBackOff", message }), againInMs };
}

function needsPull(container: Container, old: ContainerStatus | undefined): boolean {
  if (container.imagePullPolicy === "Never") return false;
  return container.imagePullPolicy === "Always" || old?.imageID !== imageIdOf(container.image ?? "");
}

/** Reports that the pull failed, then that it backs off. A pull that is allowed again is not waited for here. */
function failedPull(
  container: Container,
  old: ContainerStatus | undefined,
  { nowMs, changedAtMs }: PodSituation,
): ContainerStep {
  const image = container.image ?? "";
  const backsOff = {
    reason: "ImagePullBackOff",
    message: `Back-off pulling image "${image}": ErrImagePull: hollow nodes are set to fail it`,
  };
  if (isWaitingFor(old, "ImagePullBackOff")) return { status: waitingStatus(container, old, backsOff) };
  if (isWaitingFor(old, "ErrImagePull")) {
    const leftMs = changedAtMs === undefined ? 0 : changedAtMs + pullFailureShownMs - nowMs;
    if (leftMs <= 0) return { status: waitingStatus(container, old, backsOff) };
    if (old !== undefined) return { status: old, againInMs: leftMs };
  }
  const message = `failed to pull image "${image}": hollow nodes are set to fail it`;
  const status = waitingStatus(container, old, { reason: "ErrImagePull", message });
  return { status, againInMs: pullFailureShownMs };
}
