import type { Stored } from "@keelson/core";
import type {
  Job,
  JobCondition,
  PodFailurePolicy,
  PodFailurePolicyRule,
  SuccessPolicy,
} from "@keelson/core/kinds/batch/v1";
import type { ContainerStatus, Pod } from "@keelson/core/kinds/core/v1";
import { timeOf } from "../pod-state.ts";
import { parseIndexes } from "./index-set.ts";

export interface FailureVerdict {
  /** Undefined: no rule speaks of this failure. */
  readonly action: PodFailurePolicyRule["action"] | undefined;
  /** Why the whole Job fails; only with the action FailJob. */
  readonly failJobMessage: string | undefined;
}

/** What the first rule that fits says of a pod that failed. */
export function judgeFailure(policy: PodFailurePolicy | undefined, pod: Stored<Pod>): FailureVerdict {
  const { namespace, name } = pod.metadata;
  for (const [index, rule] of (policy?.rules ?? []).entries()) {
    const what = matchOf(rule, pod);
    if (what === undefined) continue;
    const { action } = rule;
    const suffix = `matching ${action} rule at index ${index}`;
    const subject = "container" in what ? `Container ${what.container} for pod` : "Pod";
    const detail =
      "container" in what ? `failed with exit code ${what.exitCode}` : `has condition ${what.condition}`;
    const message = `${subject} ${namespace}/${name} ${detail} ${suffix}`;
    return { action, failJobMessage: action === "FailJob" ? message : undefined };
  }
  return { action: undefined, failJobMessage: undefined };
}

/** Whether a failure counts towards the limit. */
export function isCounted(policy: PodFailurePolicy | undefined, pod: Stored<Pod>): boolean {
  return judgeFailure(policy, pod).action !== "Ignore";
}

type Match = { readonly container: string; readonly exitCode: number } | { readonly condition: string };

function matchOf(
  { onExitCodes, onPodConditions = [] }: PodFailurePolicyRule,
  { status }: Stored<Pod>,
): Match | undefined {
  if (onExitCodes !== undefined) {
    const { containerName, operator, values } = onExitCodes;
    const isMatch = ({ name, state }: ContainerStatus): boolean => {
      const exitCode = state?.terminated?.exitCode ?? 0;
      if (exitCode === 0 || (containerName !== undefined && containerName !== name)) return false;
      return values.includes(exitCode) === (operator === "In");
    };
    const statuses = [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])];
    const found = statuses.find(isMatch);
    return found && { container: found.name, exitCode: found.state?.terminated?.exitCode ?? 0 };
  }
  const condition = (status?.conditions ?? []).find((present) =>
    onPodConditions.some(
      ({ type, status: wanted = "True" }) => type === present.type && wanted === present.status,
    ),
  );
  return condition && { condition: condition.type };
}

/** Why a Job has succeeded although not all of its indexes have; undefined if it has not. */
export function successMessage(
  policy: SuccessPolicy | undefined,
  completions: number,
  succeeded: ReadonlySet<number>,
): string | undefined {
  if (succeeded.size === 0) return undefined;
  const index = (policy?.rules ?? []).findIndex(({ succeededIndexes, succeededCount }) => {
    if (succeededIndexes === undefined)
      return succeededCount !== undefined && succeeded.size >= succeededCount;
    const required = parseIndexes(succeededIndexes, completions);
    if (required.size === 0) return false;
    const reached = [...required].filter((one) => succeeded.has(one)).length;
    return reached === required.size || (succeededCount !== undefined && reached >= succeededCount);
  });
  return index === -1 ? undefined : `Matched rules at index ${index}`;
}

const firstDelayMs = 10_000;
const longestDelayMs = 600_000;

/** When a pod came to its end, as well as that is known. */
export function finishedAt({ status, metadata }: Stored<Pod>): number {
  const ends = (status?.containerStatuses ?? []).flatMap(
    ({ state }) => timeOf(state?.terminated?.finishedAt) ?? [],
  );
  if (ends.length > 0) return Math.max(...ends);
  const ready = status?.conditions?.find(({ type }) => type === "Ready");
  const unready = ready?.status === "False" ? timeOf(ready.lastTransitionTime) : undefined;
  if (unready !== undefined) return unready;
  const deletion = timeOf(metadata.deletionTimestamp);
  if (deletion !== undefined) return deletion - (metadata.deletionGracePeriodSeconds ?? 0) * 1000;
  return timeOf(metadata.creationTimestamp) ?? 0;
}

/** How long no new pod is made after failures in a row: 10 s, 20 s and so on, up to ten minutes. */
export function backoffMs(
  succeeded: readonly Stored<Pod>[],
  failed: readonly Stored<Pod>[],
  now: number,
): number {
  const lastSuccess = Math.max(Number.NEGATIVE_INFINITY, ...succeeded.map(finishedAt));
  const since = failed.map(finishedAt).filter((time) => time > lastSuccess);
  return since.length === 0 ? 0 : remainingMs(since.length, Math.max(...since), now);
}

export function remainingMs(failures: number, lastFailure: number, now: number): number {
  const delay = Math.min(firstDelayMs * 2 ** (failures - 1), longestDelayMs);
  return Math.max(0, lastFailure + delay - now);
}

/** The condition that says how a Job ended; undefined as long as it has not. */
export function terminalCondition({ status }: Stored<Job>): JobCondition | undefined {
  return status?.conditions?.find(
    (condition) =>
      (condition.type === "Complete" || condition.type === "Failed") && condition.status === "True",
  );
}

export function isJobFinished(job: Stored<Job>): boolean {
  return terminalCondition(job) !== undefined;
}
