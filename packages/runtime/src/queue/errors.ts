import { KeelsonError } from "@keelson/core";

/** A work queue or rate limiter was given a number that it cannot use. A mistake in the program; do not retry. */
export class InvalidQueueNumberError extends KeelsonError {
  static override readonly brand: string = "keelson.InvalidQueueNumberError";
  readonly code = "INVALID_QUEUE_NUMBER";
  readonly setting: string;
  readonly value: number;

  constructor(setting: string, value: number, expected: string) {
    super(`set ${setting}: ${value} is not ${expected}; pass ${expected}`);
    this.setting = setting;
    this.value = value;
  }
}

export function requireFinite(setting: string, value: number): void {
  if (!Number.isFinite(value)) throw new InvalidQueueNumberError(setting, value, "a finite number");
}

export function requirePositive(setting: string, value: number): void {
  if (!(Number.isFinite(value) && value > 0)) {
    throw new InvalidQueueNumberError(setting, value, "a finite number above 0");
  }
}
