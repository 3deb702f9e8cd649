import { mergeConditions } from "keelson";
import { formatLabelSelector } from "keelson/low-level";
import { selectorLabels } from "../api/labels.ts";
import type { WebAppStatus } from "../api/status.ts";
import { conditionsOf } from "./conditions.ts";
import { phaseOf } from "./phase.ts";
import { type Rollout, rolloutOf } from "./rollout.ts";
import type { Scope } from "./scope.ts";
import { urlOf } from "./url.ts";

/** The status of a WebApp after a reconcile. */
export function statusOf(
  { webapp, deployment, service, problems, isApplied }: Omit<Scope, "context">,
  nowMs: number,
): WebAppStatus {
  const { deletionTimestamp, generation = 1 } = webapp.metadata;
  const isDeleting = deletionTimestamp !== undefined;
  const rollout = deployment === undefined ? undefined : rolloutOf(deployment);
  const { phase: previous, conditions } = webapp.status ?? {};
  const phase = phaseOf({ isDeleting, rollout, isBlocked: problems.length > 0 || !isApplied, previous });
  if (phase === "Created") return { phase };
  const updates = conditionsOf({ isDeleting, rollout, problems, isApplied }, generation);
  return {
    observedGeneration: generation,
    phase,
    url: urlOf(webapp, service),
    ...counts(rollout),
    selector: formatLabelSelector({ matchLabels: selectorLabels(webapp) }),
    conditions: mergeConditions(conditions, updates, nowMs),
  };
}

function counts(
  rollout: Rollout | undefined,
): Pick<WebAppStatus, "replicas" | "readyReplicas" | "availableReplicas"> {
  const { total = 0, ready = 0, available = 0 } = rollout ?? {};
  return { replicas: total, readyReplicas: ready, availableReplicas: available };
}
