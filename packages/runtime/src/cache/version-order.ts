import { compareResourceVersions, isResourceVersion } from "@keelson/core";

/**
 * Whether what has reached version `reached` has also reached `version`. Versions that are not integers, which some
 * aggregated API servers give, have no order: of those only the same one counts.
 */
export function hasReached(reached: string | undefined, version: string): boolean {
  if (reached === undefined) return false;
  if (reached === version) return true;
  return isOrdered(reached) && isOrdered(version) && compareResourceVersions(reached, version) >= 0;
}

/** Whether a version can be compared with others. */
export function isOrdered(version: string): boolean {
  return isResourceVersion(version);
}

/** The latest of those that can be compared. */
export function latestOf(...versions: readonly (string | undefined)[]): string | undefined {
  let latest: string | undefined;
  for (const version of versions) {
    if (version !== undefined && isOrdered(version) && !hasReached(latest, version)) latest = version;
  }
  return latest;
}
