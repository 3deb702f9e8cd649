import type { AzimuthSettings } from "../settings.ts";

/** Names of labels, annotations and finalizers that depend on settings. */
export interface ConfiguredNames {
  /** On Clusters: what the operator has to do before they are deleted. */
  readonly finalizer: string;
  /** On Clusters: the spec that was handled last. The Azimuth API compares it with the current one. */
  readonly lastHandledAnnotation: string;
  /** On Leases: the Cluster still needs it. Without a path, which other programs rely on. */
  readonly leaseFinalizer: string;
  /** On Clusters: the name of their template. */
  readonly templateLabel: string;
}

export function configuredNames({
  apiGroup,
  annotationPrefix,
}: Pick<AzimuthSettings, "apiGroup" | "annotationPrefix">): ConfiguredNames {
  return {
    finalizer: `${annotationPrefix}/finalizer`,
    lastHandledAnnotation: `${annotationPrefix}/last-handled-configuration`,
    leaseFinalizer: apiGroup,
    templateLabel: `${apiGroup}/cluster-template`,
  };
}
