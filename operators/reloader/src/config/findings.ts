import { Reason } from "../api/reasons.ts";
import type { ResourceRef } from "../resource/watched-resource.ts";
import type { WorkloadRef } from "../workload/workload-kind.ts";
import type { Observation, ObservedTarget } from "./observation.ts";

/** A problem of a ReloaderConfig. */
export interface Finding {
  readonly reason: Reason;
  /** For the user; no end of a sentence. */
  readonly message: string;
}

/** All problems, the most urgent first. */
export function findingsOf(observation: Observation): readonly Finding[] {
  const { config, targets, missing, unwatched, problems, unresolvedAlerts } = observation;
  const { namespace } = config.metadata;
  const ofSpec = problems.map(({ reason, field, message }) => ({ reason, message: `${field}: ${message}` }));
  return [
    ...ofSpec.filter(({ reason }) => reason === Reason.InvalidSpec),
    ...targets.flatMap((target) => reloadFindings(target, namespace)),
    ...targets.flatMap((target) => presenceFindings(target, namespace)),
    ...missing.map((ref) => ({
      reason: Reason.ResourceNotFound,
      message: `${ref.kind} ${nameIn(ref, namespace)} not found`,
    })),
    ...unwatched.map((ref) => ({
      reason: Reason.ResourceNotWatched,
      message: `${ref.kind} ${nameIn(ref, namespace)} is left out by the settings of the operator`,
    })),
    ...ofSpec.filter(({ reason }) => reason !== Reason.InvalidSpec),
    ...unresolvedAlerts.map((message) => ({ reason: Reason.AlertChannelUnresolved, message })),
  ];
}

function reloadFindings({ workload, records }: ObservedTarget, namespace: string): readonly Finding[] {
  const target = targetName(workload, namespace);
  return records.flatMap(({ status = {} }): readonly Finding[] => {
    if (status.pending?.reason === "CircuitOpen") {
      const until = status.pending.until === undefined ? "" : ` until ${status.pending.until}`;
      const message = `Target ${target} was reloaded too often; changes wait${until}`;
      return [{ reason: Reason.CircuitOpen, message }];
    }
    return status.lastError === undefined
      ? []
      : [
          {
            reason: Reason.ReloadFailed,
            message: `Target ${target} could not be reloaded: ${status.lastError}`,
          },
        ];
  });
}

function presenceFindings(
  { workload, presence, ineligibility }: ObservedTarget,
  namespace: string,
): readonly Finding[] {
  const target = targetName(workload, namespace);
  if (ineligibility !== undefined) return [{ reason: Reason.TargetNotReloadable, message: ineligibility }];
  if (presence === "missing")
    return [{ reason: Reason.TargetNotFound, message: `Target ${target} not found` }];
  if (presence === "exists") return [];
  const message = `Target ${target} cannot exist: the API server does not serve ${workload.kind}s`;
  return [{ reason: Reason.KindNotServed, message }];
}

/** Such as `Deployment/web`, with the namespace if it is another one. */
export function targetName({ kind, ...workload }: WorkloadRef, namespace: string): string {
  return `${kind}/${nameIn(workload, namespace)}`;
}

function nameIn({ namespace, name }: Pick<ResourceRef, "namespace" | "name">, own: string): string {
  return namespace === own ? name : `${name} in namespace ${namespace}`;
}

const mostListed = 10;
const longestMessage = 2048;

/** The messages in one text. */
export function listed(messages: readonly string[]): string {
  const shown = [...new Set(messages)];
  const rest = shown.length - mostListed;
  const text = shown.slice(0, mostListed).join("; ");
  const cut = text.length > longestMessage ? `${text.slice(0, longestMessage)}…` : text;
  return rest > 0 ? `${cut}; and ${rest} more` : cut;
}
