import type { EventToRecord } from "keelson/controller";
import { formatDurationMs } from "keelson/low-level";
import { EventReason } from "./api/reasons.ts";
import type { ResourceRef } from "./resource/watched-resource.ts";
import type { CircuitBreaker } from "./timing/circuit-breaker.ts";
import type { Gate } from "./timing/gate.ts";
import type { WorkloadRef } from "./workload/workload-kind.ts";

/** What the operator does when it records an Event. */
const action = "Reload";

/** A workload was reloaded for these resources; for one of them, the text is upstream's. */
export function reloadedEvent(workload: WorkloadRef, resources: readonly ResourceRef[]): EventToRecord {
  return {
    ...{ type: "Normal", reason: EventReason.Reloaded, action },
    message: `Changes detected in ${listed(resources)}, Updated ${described(workload)}`,
  };
}

/** A workload could not be reloaded. The text is upstream's. */
export function reloadFailedEvent(workload: WorkloadRef, error: string): EventToRecord {
  return {
    ...{ type: "Warning", reason: EventReason.ReloadFail, action },
    message: `Update for ${described(workload)} failed with error ${error}`,
  };
}

/** By the mode `notify` a change is reported only. */
export function changeNotifiedEvent(workload: WorkloadRef, resources: readonly ResourceRef[]): EventToRecord {
  return {
    ...{ type: "Normal", reason: EventReason.ChangeNotified, action },
    message: `Changes detected in ${listed(resources)}; ${described(workload)} is not reloaded, by the mode notify`,
  };
}

/**
 * Changes have to wait. Undefined for the reasons that end by themselves after a short time, which would cause an Event for
 * each reload.
 */
export function waitEvent(
  gate: Gate,
  resources: readonly ResourceRef[],
  breaker: CircuitBreaker,
): EventToRecord | undefined {
  if (gate.open) return undefined;
  const changes = `Changes detected in ${listed(resources)}`;
  const until = gate.untilMs === undefined ? undefined : new Date(gate.untilMs).toISOString();
  switch (gate.reason) {
    case "Paused":
      return {
        ...{ type: "Normal", reason: EventReason.ReloadPaused, action },
        message: `${changes} wait for the end of the pause period, at ${until}`,
      };
    case "OutsideWindow":
      if (until === undefined)
        return {
          ...{ type: "Warning", reason: EventReason.WindowNeverOpens, action },
          message: `${changes} wait for a restart window, and none will open: correct the schedule, duration and time zone of the windows`,
        };
      return {
        ...{ type: "Normal", reason: EventReason.ReloadWaiting, action },
        message: `${changes} wait for the restart window that opens at ${until}`,
      };
    case "CircuitOpen":
      return {
        ...{ type: "Warning", reason: EventReason.CircuitOpened, action },
        message: `${changes} wait until ${until}: ${breaker.reloads} reloads within ${formatDurationMs(breaker.periodMs)} are too many`,
      };
    case "RateLimited":
    case "Collecting":
      return undefined;
  }
}

/** The workload may be reloaded again. */
export function circuitClosedEvent(breaker: CircuitBreaker): EventToRecord {
  return {
    ...{ type: "Normal", reason: EventReason.CircuitClosed, action },
    message: `There was no reload for ${formatDurationMs(breaker.periodMs)}; changes are rolled out again`,
  };
}

/** An annotation of the workload cannot be used. */
export function invalidAnnotationEvent(problem: string): EventToRecord {
  return { type: "Warning", reason: EventReason.InvalidAnnotation, action, message: problem };
}

/** The rollout of a Deployment was paused, to collect changes. */
export function rolloutPausedEvent(resources: readonly ResourceRef[], untilMs: number): EventToRecord {
  return {
    ...{ type: "Normal", reason: EventReason.RolloutPaused, action: "Pause" },
    message: `Changes detected in ${listed(resources)}; the rollout is paused until ${new Date(untilMs).toISOString()} to collect further ones`,
  };
}

/** The collected changes of a Deployment are rolled out. */
export function rolloutResumedEvent(): EventToRecord {
  return {
    ...{ type: "Normal", reason: EventReason.RolloutResumed, action: "Resume" },
    message: "The pause period is over; the collected changes are rolled out",
  };
}

function listed(resources: readonly ResourceRef[]): string {
  return resources
    .map(({ kind, name, namespace }) => described({ kind: kind.toUpperCase(), name, namespace }))
    .join(", ");
}

function described({
  kind,
  name,
  namespace,
}: {
  readonly kind: string;
  readonly name: string;
  readonly namespace: string;
}): string {
  return `'${name}' of type '${kind}' in namespace '${namespace}'`;
}
