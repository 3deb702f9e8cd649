import { findCondition, type KubeObject, type Resource } from "keelson";
import { Deployment } from "keelson/kinds/apps/v1";
import { appliedAnnotation, podTemplatesEqual } from "keelson/object";
import { conditionTypes, type EventReason, eventReasons } from "../api/reasons.ts";
import type { WebAppStatus } from "../api/status.ts";
import type { Scope } from "./scope.ts";

/** Records that an owned object was created or changed. */
export function recordApplied(
  { context: { events }, webapp }: Scope,
  { kind }: Resource,
  before: KubeObject | undefined,
  after: KubeObject,
): void {
  const [reason, message] = changeOf(kind, before, after);
  events.record(webapp, { type: "Normal", reason, message, related: after });
}

export function recordRemoved({ context: { event }, webapp }: Scope, { kind }: Resource): void {
  event(
    "Normal",
    eventReasons.removed,
    `deleted ${kind} ${webapp.metadata.name}, which is no longer desired`,
  );
}

/** Records, once, that the WebApp became ready or degraded. */
export function recordTransition({ context: { event }, webapp }: Scope, status: WebAppStatus): void {
  if (status.phase === "Ready" && webapp.status?.phase !== "Ready") {
    const { availableReplicas: count = 0, url } = status;
    const message = `${count === 1 ? "1 pod is" : `${count} pods are`} available at ${url}`;
    event("Normal", eventReasons.ready, message);
  }
  const degraded = findCondition(status.conditions, conditionTypes.degraded);
  const before = findCondition(webapp.status?.conditions, conditionTypes.degraded);
  const isNew = degraded?.reason !== before?.reason || degraded?.message !== before?.message;
  if (degraded?.status === "True" && isNew) event("Warning", degraded.reason, degraded.message);
}

function changeOf(
  kind: string,
  before: KubeObject | undefined,
  after: KubeObject,
): readonly [EventReason, string] {
  const what = `${kind} ${after.metadata.name}`;
  if (before === undefined) return [eventReasons.created, `created ${what}`];
  // The same was applied before, so another writer has changed it since.
  if (digestOf(before) === digestOf(after))
    return [eventReasons.healed, `${what} was changed by another writer, and is in the desired state again`];
  const scale = scaleOf(before, after);
  if (scale !== undefined)
    return [eventReasons.scaled, `scaled ${what} from ${scale.from} to ${scale.to} pods`];
  return [eventReasons.updated, `updated ${what}`];
}

function digestOf({ metadata }: KubeObject): string | undefined {
  return metadata.annotations?.[appliedAnnotation];
}

/** If only the number of pods of a Deployment has changed. */
function scaleOf(
  before: KubeObject,
  after: KubeObject,
): { readonly from: number; readonly to: number } | undefined {
  if (!isDeployment(before) || !isDeployment(after)) return undefined;
  const from = before.spec?.replicas ?? 1;
  const to = after.spec?.replicas ?? 1;
  const isSameTemplate = podTemplatesEqual(before.spec?.template ?? {}, after.spec?.template ?? {});
  return from !== to && isSameTemplate ? { from, to } : undefined;
}

function isDeployment(object: KubeObject): object is Deployment {
  return object.kind === Deployment.kind;
}
