import { KeelsonError } from "@keelson/core";

/** Settings with which the API server would refuse every event. All that is wrong with them is said at once. */
export class InvalidEventRecorderError extends KeelsonError {
  static override readonly brand: string = "keelson.InvalidEventRecorderError";
  readonly code = "INVALID_EVENT_RECORDER";
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`set up an event recorder: ${problems.join("; ")}`);
    this.problems = problems;
  }
}
