import { compareQuantities, parseQuantity } from "keelson";
import { InvalidQuantityError } from "keelson/low-level";
import type { ResourceRequirements } from "keelson/schema";

/** A message about the first request that is greater than its limit; undefined if none is. */
export function excessiveRequest(resources: ResourceRequirements | undefined): string | undefined {
  const { requests = {}, limits = {} } = resources ?? {};
  for (const [name, request] of Object.entries(requests)) {
    const limit = limits[name];
    if (limit !== undefined && isGreater(request, limit))
      return `resources: the request for ${name} (${request}) is greater than its limit (${limit})`;
  }
  return undefined;
}

function isGreater(amount: number | string, limit: number | string): boolean {
  try {
    return compareQuantities(parseQuantity(amount), parseQuantity(limit)) > 0;
  } catch (error) {
    // The API server refuses an invalid quantity with a message of its own.
    if (error instanceof InvalidQuantityError) return false;
    throw error;
  }
}
