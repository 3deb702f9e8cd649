import { KeelsonError } from "@keelson/core";

/** A metric that cannot be: its name or one of its labels is not allowed, or its buckets make no sense. */
export class InvalidMetricError extends KeelsonError {
  static override readonly brand: string = "keelson.InvalidMetricError";
  readonly code = "INVALID_METRIC";
  readonly metric: string;

  constructor(metric: string, problem: string) {
    super(`register metric ${metric}: ${problem}`);
    this.metric = metric;
  }
}

/** Two metrics of one name: whoever scrapes them would refuse all. */
export class DuplicateMetricError extends KeelsonError {
  static override readonly brand: string = "keelson.DuplicateMetricError";
  readonly code = "DUPLICATE_METRIC";
  readonly metric: string;

  constructor(metric: string) {
    super(`register metric ${metric}: another one has this name; choose another or use that one`);
    this.metric = metric;
  }
}
