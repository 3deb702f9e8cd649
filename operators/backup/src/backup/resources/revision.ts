import { createHash } from "node:crypto";
import type { BackUp } from "../../api/back-up.ts";
import { runAgainAnnotation } from "../../api/names.ts";

/**
 * A digest of the part of a spec that a Job cannot take over once it exists: another digest needs another Job. It is
 * computed from the spec and not from the Job, so that a new version of the operator does not run every backup again.
 */
export function revisionOf({ metadata, spec }: BackUp): string {
  const { image, backupType, command, args, resources, env, envFrom, volumes } = spec;
  const { serviceAccountName, imagePullSecrets, podLabels, podAnnotations } = spec;
  const digested = {
    ...{ image, backupType, command, args, resources, env, envFrom, volumes },
    ...{ serviceAccountName, imagePullSecrets, podLabels, podAnnotations },
    runAgain: metadata.annotations?.[runAgainAnnotation],
  };
  return createHash("sha256")
    .update(JSON.stringify(withSortedFields(digested)))
    .digest("hex")
    .slice(0, 16);
}

/** Equal objects give the same text, whatever the order of their fields. */
function withSortedFields(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withSortedFields);
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(fields.map(([name, field]) => [name, withSortedFields(field)]));
}
