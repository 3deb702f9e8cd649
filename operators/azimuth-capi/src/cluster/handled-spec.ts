import { deepEqual, mergePatch, type Stored } from "keelson";
import { isRecord, labelValueProblem } from "keelson/low-level";
import { parseJson } from "keelson/object";
import type { Cluster } from "../api/cluster.ts";
import type { ConfiguredNames } from "../api/configured-names.ts";
import type { ClusterContext, ClusterParts } from "./parts.ts";

/**
 * Whether the current spec of a Cluster was handled. Only a changed spec is handed to Helm: neither a template that is edited
 * in place nor another version of the operator's chart upgrades clusters by itself.
 */
export function isHandled(
  { metadata, spec }: Stored<Cluster>,
  { lastHandledAnnotation }: ConfiguredNames,
): boolean {
  const text = metadata.annotations?.[lastHandledAnnotation];
  if (text === undefined) return false;
  try {
    const handled: unknown = parseJson(text);
    return isRecord(handled) && deepEqual(handled.spec, spec);
  } catch {
    // Not ours, or damaged: the spec is handled again, which changes nothing that is right.
    return false;
  }
}

/** Whether any spec of a Cluster was handled. */
export function isProvisioned(
  { metadata }: Stored<Cluster>,
  { lastHandledAnnotation }: ConfiguredNames,
): boolean {
  return metadata.annotations?.[lastHandledAnnotation] !== undefined;
}

/** Records that the spec which this reconcile has read is handled, and which template it has. */
export async function recordHandled(
  { object, client }: ClusterContext,
  { names, kinds, settings }: ClusterParts,
): Promise<void> {
  const { namespace, name, uid } = object.metadata;
  const { templateName } = object.spec;
  // A name that is no label value is still found by the spec.
  const isLabel = labelValueProblem(templateName) === undefined;
  const patch = mergePatch({
    metadata: {
      uid,
      ...(isLabel && { labels: { [names.templateLabel]: templateName } }),
      annotations: { [names.lastHandledAnnotation]: JSON.stringify({ spec: object.spec }) },
    },
  });
  const fieldOwner = settings.easykubeFieldManager;
  await client.patch(kinds.Cluster, { namespace, name }, patch, { fieldOwner });
}
