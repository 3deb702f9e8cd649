import { KeelsonError, toError } from "@keelson/core";

/** What a person is shown of an error: the message of one that we made, the whole of one that is a defect. */
export function describeFailure(caught: unknown): string {
  const error = toError(caught);
  return error instanceof KeelsonError
    ? `keelson: ${error.message}`
    : `keelson: ${error.stack ?? error.message}`;
}
