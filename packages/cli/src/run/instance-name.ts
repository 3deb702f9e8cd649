import { createHash } from "node:crypto";

const longest = 63;
const separator = "--";

/**
 * What a run of these operators is called unless it is said otherwise. Replicas of the same operators get the same name,
 * runs of others another one, so that they do not take turns by one Lease.
 */
export function instanceName(operators: readonly string[]): string {
  const sorted = operators.toSorted();
  // No name begins or ends with a dash, so two lists give the same text only if a name holds the separator.
  const name = `keelson-${sorted.join(separator)}`;
  if (name.length <= longest && !sorted.some((each) => each.includes(separator))) return name;
  return `keelson-${createHash("sha256").update(sorted.join("\n")).digest("hex").slice(0, 16)}`;
}
