import { abortable, type Manager, type Operator, WebhooksNotServedError } from "keelson";
import { OperatorSetupError, WebhooksNotConfiguredError } from "./errors.ts";

/** Adds an operator to a manager. Throws an OperatorSetupError, a WebhooksNotConfiguredError, or the signal's reason. */
export async function setUpOperator(
  operator: Operator,
  manager: Manager,
  signal: AbortSignal,
): Promise<void> {
  try {
    await abortable(
      (async () => {
        await operator.setup(manager);
      })(),
      signal,
    );
  } catch (error) {
    if (signal.aborted && error === signal.reason) throw error;
    if (error instanceof WebhooksNotServedError)
      throw new WebhooksNotConfiguredError(operator.name, { cause: error });
    throw new OperatorSetupError(operator.name, { cause: error });
  }
}
