import { KeelsonError } from "keelson";
import { toError } from "keelson/low-level";
import { toLoggableText } from "keelson/telemetry";

/** An error that the log holds already: the process ends with 1, and prints nothing more. */
export class ReportedError extends KeelsonError {
  static override readonly brand: string = "@keelson/cli.ReportedError";
  readonly code = "REPORTED";

  constructor(cause: Error) {
    super(cause.message, { cause });
  }
}

/**
 * The text that a user sees of an error: the message of a KeelsonError, the stack of any other, which is a defect. It holds
 * nothing that looks like a credential, since in a pod it is part of the log.
 */
export function describeFailure(caught: unknown): string {
  // Several at once, such as what ended a manager and what had not ended with it.
  if (caught instanceof AggregateError && caught.errors.length > 0)
    return caught.errors.map(describeFailure).join("\n");
  const error = toError(caught);
  const text = error instanceof KeelsonError ? error.message : (error.stack ?? error.message);
  return `keelson: ${toLoggableText(text)}`;
}

/**
 * Runs a command as this process: ends the process with 0 when it resolves, with 1 and the reason on standard error, unless
 * it is in the log, when it rejects. An operator that leaves something running cannot keep the process alive.
 */
export async function endProcessAfter(command: Promise<void>): Promise<never> {
  let code = 0;
  try {
    await command;
  } catch (error) {
    code = 1;
    if (!(error instanceof ReportedError)) process.stderr.write(`${describeFailure(error)}\n`);
  }
  await Promise.all([process.stdout, process.stderr].map(written));
  process.exit(code);
}

async function written(stream: NodeJS.WriteStream): Promise<void> {
  await new Promise<void>((resolve) => void stream.write("", () => resolve()));
}
