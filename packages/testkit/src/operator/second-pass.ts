import type { Operator } from "keelson";
import type { RecordedWrite } from "./recorded-write.ts";
import { type RunOperatorOptions, runOperator } from "./run-operator.ts";

/**
 * Has another operator look at a world that has settled, until it has reconciled each object once, and gives what it wrote:
 * nothing, if all is as it is wanted. No other one may run.
 */
export async function secondPass(
  operator: Operator,
  options: RunOperatorOptions,
): Promise<readonly RecordedWrite[]> {
  await using running = await runOperator(operator, options);
  await running.idle();
  return [...running.writes];
}
