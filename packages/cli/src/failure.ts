import { KeelsonError, toError } from "@keelson/core";

/** What a person is shown of an error: the message of one that we made, the whole of one that is a defect. */
export function describeFailure(caught: unknown): string {
  // Several at once, such as what ended a manager and what had not ended with it.
  if (caught instanceof AggregateError && caught.errors.length > 0)
    return caught.errors.map(describeFailure).join("\n");
  const error = toError(caught);
  return error instanceof KeelsonError
    ? `keelson: ${error.message}`
    : `keelson: ${error.stack ?? error.message}`;
}
