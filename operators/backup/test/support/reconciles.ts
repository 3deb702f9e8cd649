import type { RunningOperator } from "@keelson/testkit";

/** How many reconciles an operator has done. A higher number means that it received a watch event. */
export async function reconcilesOf(operator: RunningOperator): Promise<number> {
  const lines = (await operator.metrics()).split("\n");
  const totals = lines.filter((line) => line.startsWith("controller_runtime_reconcile_total"));
  return totals.reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
}
