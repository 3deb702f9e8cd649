import { KeelsonError } from "./error.ts";

/** A resource version that is not a positive integer, so that it has no order. */
export class InvalidResourceVersionError extends KeelsonError {
  static override readonly brand: string = "@keelson/core.InvalidResourceVersionError";
  readonly code = "INVALID_RESOURCE_VERSION";
  readonly resourceVersion: string;

  constructor(resourceVersion: string) {
    super(
      `compare resource version ${JSON.stringify(resourceVersion)}: it is not a positive integer without leading ` +
        `zeros; compare only versions that the API server gave to objects and lists`,
    );
    this.resourceVersion = resourceVersion;
  }
}

/**
 * Whether a text is the version of an object or a list. `0` and the empty text are not: in a request they stand for
 * "any version", and no object ever has them.
 */
export function isResourceVersion(text: string): boolean {
  return /^[1-9][0-9]*$/.test(text);
}

/**
 * Which of two versions is the older one. They are integers of any size, and comparable only if both are versions of
 * the same resource on the same server (kubernetes.io/enhancements/5504); before Kubernetes 1.35 nothing but equality
 * was promised. Throws InvalidResourceVersionError for anything else than versions.
 */
export function compareResourceVersions(a: string, b: string): -1 | 0 | 1 {
  for (const version of [a, b]) {
    if (!isResourceVersion(version)) throw new InvalidResourceVersionError(version);
  }
  if (a === b) return 0;
  // Without leading zeros the longer number is the larger one, and digits of the same length sort as text.
  return a.length < b.length || (a.length === b.length && a < b) ? -1 : 1;
}

/** Whether `version` is later than `other`, both being versions of the same resource. */
export function isNewer(version: string, other: string): boolean {
  return compareResourceVersions(version, other) > 0;
}
