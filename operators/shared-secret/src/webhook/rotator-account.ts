import { createHash } from "node:crypto";
import { formatConsumer, type NamedConsumer } from "../api/consumer.ts";

/** The longest name of a ServiceAccount that can also be the value of a label. */
const longestName = 63;

/**
 * The name of the ServiceAccount with which pods of a consumer run if they have a rotator: `web-rotator-1f9a0c2b7d`. It is the
 * same for the same consumer, and differs for workloads of other kinds with the same name. The controller creates it, in the
 * namespace of the consumer.
 */
export function rotatorAccountOf(consumer: NamedConsumer): string {
  const digest = createHash("sha256").update(formatConsumer(consumer)).digest("hex").slice(0, 10);
  const end = `-rotator-${digest}`;
  return `${consumer.name.slice(0, longestName - end.length).replace(/[-.]+$/, "")}${end}`;
}
