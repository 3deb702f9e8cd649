import type { Phase } from "../api/status.ts";
import type { Rollout } from "./rollout.ts";

/** What decides on the phase of a WebApp. */
export interface PhaseFacts {
  readonly isDeleting: boolean;
  /** Of its Deployment; undefined if it does not exist. */
  readonly rollout: Rollout | undefined;
  /** An owned object could not be applied. */
  readonly isBlocked: boolean;
  /** The phase in the status; undefined before the first reconcile. */
  readonly previous: Phase | undefined;
}

/**
 * The phase of a WebApp:
 *
 *     Created ─▶ Reconciling ─▶ WaitingForPodsReady ─▶ Ready ─▶ Deleting
 *                     ▲                                 │ ▲
 *                     └── the spec changes ─────────────┤ │
 *                                                       ▼ │
 *                                                     Scaling
 */
export function phaseOf({ isDeleting, rollout, isBlocked, previous }: PhaseFacts): Phase {
  if (isDeleting) return "Deleting";
  if (previous === undefined) return "Created";
  if (isBlocked || rollout === undefined) return "Reconciling";
  // The status of the Deployment describes its earlier spec. If that was complete, only the number of pods changes now.
  if (!rollout.isObserved)
    return rollout.wasComplete && rollout.total !== rollout.desired ? "Scaling" : "Reconciling";
  if (rollout.isComplete) return "Ready";
  return rollout.wasComplete && isScaling(rollout, previous) ? "Scaling" : "WaitingForPodsReady";
}

/**
 * If all pods exist and some are not available, either their number was changed or available pods were lost. The Deployment
 * does not show which; but only a change goes through Reconciling or Scaling.
 */
function isScaling({ total, desired }: Rollout, previous: Phase): boolean {
  return total !== desired || previous === "Reconciling" || previous === "Scaling";
}
