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

/** A counter was to go down: whoever reads it would take that for a restart. */
export class CounterDecreaseError extends KeelsonError {
  static override readonly brand: string = "keelson.CounterDecreaseError";
  readonly code = "COUNTER_DECREASE";
  readonly amount: number;

  constructor(amount: number) {
    super(`count ${amount}: a counter only grows; use a gauge for what goes down`);
    this.amount = amount;
  }
}
