import type { PodFailurePolicy, PodFailurePolicyRule } from "@keelson/core/kinds/batch/v1";
import type { ContainerStatus, Pod } from "@keelson/core/kinds/core/v1";

export interface FailureVerdict {
  /** Undefined: no rule speaks of this failure. */
  readonly action: PodFailurePolicyRule["action"] | undefined;
  /** Why the whole Job fails; only with the action FailJob. */
  readonly failJobMessage: string | undefined;
}

/** What the first rule that fits says of a pod that failed. */
export function judgeFailure(policy: PodFailurePolicy | undefined, pod: Pod): FailureVerdict {
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
export function isCounted(policy: PodFailurePolicy | undefined, pod: Pod): boolean {
  return judgeFailure(policy, pod).action !== "Ignore";
}

type Match = { readonly container: string; readonly exitCode: number } | { readonly condition: string };

function matchOf(
  { onExitCodes, onPodConditions = [] }: PodFailurePolicyRule,
  { status }: Pod,
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
