import { KeelsonError, toError, toLoggableText } from "keelson";

/**
 * What a person is shown of an error: the message of one that we made, the whole of one that is a defect; without what
 * looks like a credential, since in a pod this is part of the log.
 */
export function describeFailure(caught: unknown): string {
  // Several at once, such as what ended a manager and what had not ended with it.
  if (caught instanceof AggregateError && caught.errors.length > 0)
    return caught.errors.map(describeFailure).join("\n");
  const error = toError(caught);
  const text = error instanceof KeelsonError ? error.message : (error.stack ?? error.message);
  return `keelson: ${toLoggableText(text)}`;
}
