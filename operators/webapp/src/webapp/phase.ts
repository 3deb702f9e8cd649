import type { Phase } from "../api/status.ts";
import type { Rollout } from "./rollout.ts";

/** What decides on the phase of a WebApp. */
export interface PhaseFacts {
  readonly isDeleting: boolean;
  /** Of its Deployment; undefined if it has none. */
  readonly rollout: Rollout | undefined;
  /** Something keeps a child from being as it is wanted, or from being asked for. */
  readonly isBlocked: boolean;
  /** As told last; undefined of a WebApp that nobody has looked at. */
  readonly previous: Phase | undefined;
}

/**
 * Where a WebApp is in its life, judged by what is there now:
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
  // What the Deployment tells is of what was asked before, and that was all there: then this is about another number.
  if (!rollout.isObserved)
    return rollout.wasComplete && rollout.total !== rollout.desired ? "Scaling" : "Reconciling";
  if (rollout.isComplete) return "Ready";
  return rollout.wasComplete && isScaling(rollout, previous) ? "Scaling" : "WaitingForPodsReady";
}

/**
 * That all pods exist and some are not available is the end of a change of their number, or a loss of pods that were
 * available. Which of them, the Deployment does not tell: only a change goes through Reconciling or Scaling.
 */
function isScaling({ total, desired }: Rollout, previous: Phase): boolean {
  return total !== desired || previous === "Reconciling" || previous === "Scaling";
}
