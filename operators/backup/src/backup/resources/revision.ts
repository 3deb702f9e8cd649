import { createHash } from "node:crypto";
import { formatJson, sortFields } from "keelson/object";
import type { BackUp } from "../../api/back-up.ts";
import { runAgainAnnotation } from "../../api/names.ts";

/**
 * A digest of the part of a spec that a Job cannot take over once it exists: another digest needs another Job. It is
 * computed from the spec and not from the Job, so that a new version of the operator does not run every backup again.
 */
export function revisionOf(backup: BackUp): string {
  const { spec } = backup;
  const { image, backupType, command, args, resources, env, envFrom, volumes } = spec;
  const { serviceAccountName, imagePullSecrets, podLabels, podAnnotations } = spec;
  const digested = {
    ...{ image, backupType, command, args, resources, env, envFrom, volumes },
    ...{ serviceAccountName, imagePullSecrets, podLabels, podAnnotations },
    runAgain: runAgainOf(backup),
  };
  return createHash("sha256")
    .update(formatJson(sortFields(digested)))
    .digest("hex")
    .slice(0, 16);
}

/** The last value of the annotation: to remove it starts no run. */
export function runAgainOf({ metadata, status }: BackUp): string | undefined {
  return metadata.annotations?.[runAgainAnnotation] ?? status?.runAgain;
}
