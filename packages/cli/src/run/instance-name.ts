import { createHash } from "node:crypto";

const longest = 63;

/**
 * What a run of these operators is called unless it is said otherwise. Replicas of the same operators get the same name,
 * runs of others another one, so that they do not take turns by one Lease.
 */
export function instanceName(operators: readonly string[]): string {
  const sorted = operators.toSorted();
  const name = `keelson-${sorted.join("-")}`;
  if (name.length <= longest) return name;
  return `keelson-${createHash("sha256").update(sorted.join("\n")).digest("hex").slice(0, 16)}`;
}
