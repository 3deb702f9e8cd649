import { KeelsonError } from "keelson";

/** A repository was not reached, or what it responded with cannot be used. Worth another attempt. */
export class RepositoryError extends KeelsonError {
  static override readonly brand: string = "@keelson/azimuth-capi.RepositoryError";
  readonly code = "REPOSITORY";
}

/** A file in the archive of a chart cannot be used. The archive of a version does not change, so a retry does not help. */
export class InvalidChartError extends KeelsonError {
  static override readonly brand: string = "@keelson/azimuth-capi.InvalidChartError";
  readonly code = "INVALID_CHART";
}

/** Why an AppTemplate cannot be synced as it is; the reasons of its Events. */
export type UnusableReason =
  /** `spec.versionRange` is no range. */
  | "InvalidVersionRange"
  /** `spec.chart.repo` is no URL. */
  | "InvalidRepository"
  /** The repository has no version of the chart that is in the range. */
  | "NoMatchingVersions"
  /** The schemas in the chart cannot be read. */
  | "InvalidChart";

/** An AppTemplate cannot be synced before it changes, or the repository does. */
export class UnusableAppTemplateError extends KeelsonError {
  static override readonly brand: string = "@keelson/azimuth-capi.UnusableAppTemplateError";
  readonly code = "UNUSABLE_APP_TEMPLATE";
  readonly reason: UnusableReason;

  constructor(reason: UnusableReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}
