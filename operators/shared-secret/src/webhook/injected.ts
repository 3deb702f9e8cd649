import { formatKey } from "keelson";
import type { Ask } from "./asks.ts";

/** What a pod was given, as its annotation says it: `shop/orders-db:ReadOnly`, with commas. */
export function formatInjected(asks: readonly Ask[]): string {
  return asks.map(({ secret, permission }) => `${formatKey(secret)}:${permission}`).join(",");
}
