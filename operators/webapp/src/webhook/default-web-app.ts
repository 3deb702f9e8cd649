import type { Mutation } from "keelson";
import { isRecord, labelValueProblem } from "keelson/low-level";
import { labelsOf } from "../api/labels.ts";
import type { WebApp } from "../api/web-app.ts";

/**
 * Fills in what the user left out: the defaults of the spec, and labels by which the WebApp is found. Theirs stay. Nobody
 * has validated the object yet: what is not of the form that it should have is left for the API server to refuse.
 *
 * A WebApp that is made by generateName gets its name after this, so the label with its name comes with the first change
 * of it. Only people look for WebApps by that label; what belongs to a WebApp is made when it has a name.
 */
export function defaultWebApp({ object }: Pick<Mutation<WebApp>, "object">): void {
  const { spec, metadata } = object;
  if (!isRecord(spec)) return;
  spec.replicas ??= 1;
  spec.port ??= 80;
  spec.serviceType ??= "ClusterIP";
  spec.allowLatest ??= false;
  if (isRecord(spec.ingress)) spec.ingress.path ??= "/";
  if (isRecord(spec.autoscaling)) {
    spec.autoscaling.minReplicas ??= 1;
    spec.autoscaling.targetCPUUtilizationPercentage ??= 80;
  }
  metadata.labels = { ...validLabels(labelsOf(object)), ...metadata.labels };
}

/** A name or component that can be no label has a better complaint of its own. */
function validLabels(labels: Readonly<Record<string, unknown>>): Record<string, string> {
  const entries = Object.entries(labels).filter(
    (entry): entry is [string, string] =>
      typeof entry[1] === "string" && labelValueProblem(entry[1]) === undefined,
  );
  return Object.fromEntries(entries);
}
