import {
  addQuantities,
  compareQuantities,
  formatQuantity,
  parseQuantity,
  type Quantity,
  subtractQuantities,
} from "@keelson/core";

/** Quantities by the names of resources: `cpu`, `requests.memory`, `count/secrets`. */
export type Amounts = ReadonlyMap<string, Quantity>;

/** A resource list of an object. The schema has checked its quantities. */
export type ResourceList = Readonly<Record<string, string>>;

export const zero: Quantity = { nanos: 0n, format: "DecimalSI" };
export const one: Quantity = count(1);

/** A number of objects as a quantity. */
export function count(objects: number): Quantity {
  return { nanos: BigInt(objects) * 1_000_000_000n, format: "DecimalSI" };
}

export function amountsOf(list: ResourceList = {}): Amounts {
  return new Map(Object.entries(list).map(([name, text]) => [name, parseQuantity(text)]));
}

export function listOf(amounts: Amounts): ResourceList {
  return Object.fromEntries([...amounts].map(([name, amount]) => [name, formatQuantity(amount)]));
}

/** The sums by name; a name that only one of them has keeps its amount. */
export function sum(a: Amounts, b: Amounts): Amounts {
  const result = new Map(a);
  for (const [name, amount] of b) {
    const before = result.get(name);
    result.set(name, before === undefined ? amount : addQuantities(before, amount));
  }
  return result;
}

/** The larger amounts by name. */
export function largest(a: Amounts, b: Amounts): Amounts {
  const result = new Map(a);
  for (const [name, amount] of b) {
    const before = result.get(name);
    if (before === undefined || compareQuantities(amount, before) > 0) result.set(name, amount);
  }
  return result;
}

/** What `a` has more than `b`, at least 0. */
export function excess(a: Amounts, b: Amounts): Amounts {
  return new Map(
    [...a].map(([name, amount]) => {
      const rest = subtractQuantities(amount, b.get(name) ?? zero);
      return [name, rest.nanos < 0n ? zero : rest];
    }),
  );
}

/** Only the amounts whose name is among these. */
export function only(amounts: Amounts, names: ReadonlySet<string>): Amounts {
  return new Map([...amounts].filter(([name]) => names.has(name)));
}

export function isSame(a: Amounts, b: Amounts): boolean {
  return a.size === b.size && [...a].every(([name, { nanos }]) => b.get(name)?.nanos === nanos);
}

/** `cpu=500m,pods=1` */
export function describe(amounts: Amounts): string {
  return [...amounts]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, amount]) => `${name}=${formatQuantity(amount)}`)
    .join(",");
}
