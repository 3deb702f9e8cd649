import { KeelsonError } from "@keelson/core";

/** The name, a label or the buckets of a metric are invalid. */
export class InvalidMetricError extends KeelsonError {
  static override readonly brand: string = "keelson.InvalidMetricError";
  readonly code = "INVALID_METRIC";
  readonly metric: string;

  constructor(metric: string, problem: string) {
    super(`register metric ${metric}: ${problem}`);
    this.metric = metric;
  }
}

/** Two metrics have the same name, for which Prometheus would refuse all. */
export class DuplicateMetricError extends KeelsonError {
  static override readonly brand: string = "keelson.DuplicateMetricError";
  readonly code = "DUPLICATE_METRIC";
  readonly metric: string;

  constructor(metric: string) {
    super(`register metric ${metric}: another one has this name; choose another or use that one`);
    this.metric = metric;
  }
}

/** A counter was decreased, which Prometheus would take for a restart. */
export class CounterDecreaseError extends KeelsonError {
  static override readonly brand: string = "keelson.CounterDecreaseError";
  readonly code = "COUNTER_DECREASE";
  readonly amount: number;

  constructor(amount: number) {
    super(`count ${amount}: a counter only increases; use a gauge for a value that decreases`);
    this.amount = amount;
  }
}
