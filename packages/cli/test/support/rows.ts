import type { Row } from "../../src/dev/row.ts";

/** A row of a sample in the namespace default that is settled, with what differs. */
export function makeRow(title: string, changes: Partial<Row> = {}): Row {
  return {
    ...{ id: `${changes.namespace ?? "default"} ${title}`, title, namespace: "default" },
    ...{ phase: "Ready", ready: "3/3", isSettled: true, problem: undefined, createdMs: 0, event: undefined },
    ...changes,
  };
}
