import { createHash } from "node:crypto";
import type { BackUp } from "../../api/back-up.ts";
import { runAgainAnnotation } from "../../api/names.ts";

/**
 * A digest of what a Job cannot take over once it is there, so that a changed one needs another Job. It is made of what
 * users say and not of the Job, so that a newer operator does not run every backup again.
 */
export function revisionOf({ metadata, spec }: BackUp): string {
  const { image, backupType, command, args, resources, env, envFrom, volumes } = spec;
  const { serviceAccountName, imagePullSecrets, podLabels, podAnnotations } = spec;
  const said = {
    ...{ image, backupType, command, args, resources, env, envFrom, volumes },
    ...{ serviceAccountName, imagePullSecrets, podLabels, podAnnotations },
    runAgain: metadata.annotations?.[runAgainAnnotation],
  };
  return createHash("sha256")
    .update(JSON.stringify(inOrder(said)))
    .digest("hex")
    .slice(0, 16);
}

/** The fields by name: objects that say the same give the same text. */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(fields.map(([name, field]) => [name, inOrder(field)]));
}
