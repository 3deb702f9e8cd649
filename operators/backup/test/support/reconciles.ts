import type { RunningOperator } from "@keelson/testkit";

/** How many passes an operator has made. When there are more, it has heard of something. */
export async function reconcilesOf(operator: RunningOperator): Promise<number> {
  const lines = (await operator.metrics()).split("\n");
  const totals = lines.filter((line) => line.startsWith("controller_runtime_reconcile_total"));
  return totals.reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
}
