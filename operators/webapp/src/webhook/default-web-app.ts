import type { Mutation } from "keelson";
import { isRecord, labelValueProblem } from "keelson/low-level";
import { labelsOf } from "../api/labels.ts";
import type { WebApp } from "../api/web-app.ts";

/**
 * Adds the defaults of the spec, and labels by which users find the WebApp; labels of the user stay. The object has not
 * been validated yet: a field of the wrong type is left for the API server to refuse.
 *
 * A WebApp with generateName gets its name after this, so the label with its name is added with its first change. Only
 * users search WebApps by that label; owned objects are created when the WebApp has a name.
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

/** A name or component that is not a valid label value is refused with a message of its own. */
function validLabels(labels: Readonly<Record<string, unknown>>): Record<string, string> {
  const entries = Object.entries(labels).filter(
    (entry): entry is [string, string] =>
      typeof entry[1] === "string" && labelValueProblem(entry[1]) === undefined,
  );
  return Object.fromEntries(entries);
}
