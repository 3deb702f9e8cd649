import {
  formatQuantity,
  InvalidQuantityError,
  parseQuantity,
  type Quantity,
  quantityAsStored,
  roundUpQuantity,
} from "@keelson/core";

/** Amounts of resources, by name: `{ cpu: "500m" }`. */
export type ResourceAmounts = Record<string, string>;

/** Writes every amount as the server stores it: `0.5` becomes `500m`, and nothing is finer than a thousandth. */
export function normalizeAmounts(amounts: ResourceAmounts | undefined): void {
  if (amounts === undefined) return;
  for (const [name, amount] of Object.entries(amounts)) {
    const stored = storedAmount(amount);
    if (stored !== amount) amounts[name] = stored;
  }
}

const nanosPerThousandth = 1_000_000n;

/** Most amounts are small and written as they are stored; YAML makes a number of `cpu: 2`. */
function storedAmount(given: string | number): string {
  const amount = String(given);
  if (/^[1-9]\d{0,2}(m|Ki|Mi|Gi)?$/.test(amount)) return amount;
  const quantity = readAmount(amount);
  if (quantity === undefined) return amount;
  return quantity.nanos % nanosPerThousandth === 0n
    ? quantityAsStored(amount)
    : formatQuantity(roundUpQuantity(quantity, -3));
}

/** Adds what the first has and the second lacks. */
export function fillAmounts(from: ResourceAmounts | undefined, into: ResourceAmounts): void {
  for (const [name, amount] of Object.entries(from ?? {})) into[name] ??= amount;
}

/** Undefined for what is not an amount; decoding refuses such texts before anything here sees them. */
export function readAmount(amount: string | number): Quantity | undefined {
  try {
    return parseQuantity(amount);
  } catch (error) {
    if (error instanceof InvalidQuantityError) return undefined;
    throw error;
  }
}
