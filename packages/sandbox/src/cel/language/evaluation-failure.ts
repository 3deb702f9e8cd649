/** An expression gives no value; the message is that of the real server. */
export class EvaluationFailure extends Error {}

export function failure(message: string, cause?: unknown): EvaluationFailure {
  return cause === undefined ? new EvaluationFailure(message) : new EvaluationFailure(message, { cause });
}

export const noSuchOverload = "no such overload";
