import { findCondition, type KubeObject, type Resource } from "keelson";
import { Deployment } from "keelson/kinds/apps/v1";
import { appliedAnnotation, podTemplatesEqual } from "keelson/object";
import { conditionTypes, type EventReason, eventReasons } from "../api/reasons.ts";
import type { WebAppStatus } from "../api/status.ts";
import type { Scope } from "./scope.ts";

/** Tells users that a child was made or changed. */
export function tellApplied(
  { events, webapp }: Pick<Scope, "events" | "webapp">,
  { kind }: Resource,
  before: KubeObject | undefined,
  after: KubeObject,
): void {
  const [reason, message] = changeOf(kind, before, after);
  events.record(webapp, { type: "Normal", reason, message, related: after });
}

export function tellRemoved({ events, webapp }: Pick<Scope, "events" | "webapp">, { kind }: Resource): void {
  const message = `deleted ${kind} ${webapp.metadata.name}, which is no longer wanted`;
  events.record(webapp, { type: "Normal", reason: eventReasons.removed, message });
}

/** Tells users of what has become of their WebApp, once. */
export function tellTurn({ events, webapp }: Pick<Scope, "events" | "webapp">, status: WebAppStatus): void {
  if (status.phase === "Ready" && webapp.status?.phase !== "Ready") {
    const { availableReplicas: count = 0, url } = status;
    const message = `${count === 1 ? "1 pod is" : `${count} pods are`} available at ${url}`;
    events.record(webapp, { type: "Normal", reason: eventReasons.ready, message });
  }
  const trouble = findCondition(status.conditions, conditionTypes.degraded);
  const known = findCondition(webapp.status?.conditions, conditionTypes.degraded);
  const isNew = trouble?.reason !== known?.reason || trouble?.message !== known?.message;
  if (trouble?.status === "True" && isNew)
    events.record(webapp, { type: "Warning", reason: trouble.reason, message: trouble.message });
}

function changeOf(
  kind: string,
  before: KubeObject | undefined,
  after: KubeObject,
): readonly [EventReason, string] {
  const what = `${kind} ${after.metadata.name}`;
  if (before === undefined) return [eventReasons.created, `created ${what}`];
  // The same was said before, so somebody else has changed it since.
  if (statementOf(before) === statementOf(after))
    return [eventReasons.healed, `${what} had been changed by somebody else, and is as it is wanted again`];
  const scale = scaleOf(before, after);
  if (scale !== undefined)
    return [eventReasons.scaled, `scaled ${what} from ${scale.from} to ${scale.to} pods`];
  return [eventReasons.updated, `updated ${what}`];
}

function statementOf({ metadata }: KubeObject): string | undefined {
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
