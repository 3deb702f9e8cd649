/** How many elements a list or map, or characters a text, has at least and at most. */
export interface Size {
  readonly min: number;
  readonly max: number;
}

/** The real server counts in 64 bits, and stays at the end of them. */
const most = 2 ** 64;

export const unknownSize: Size = { min: 0, max: most };

export function exactly(count: number): Size {
  return { min: count, max: count };
}

export function sum(...amounts: readonly number[]): number {
  return Math.min(
    most,
    amounts.reduce((total, amount) => total + amount, 0),
  );
}

export function product(one: number, other: number): number {
  return one === 0 || other === 0 ? 0 : Math.min(most, one * other);
}

/** What it costs to go through `count` of something. */
export function scaled(count: number, factor: number): number {
  return Math.min(most, Math.ceil(count * factor));
}

/** What covers both. */
export function either(one: Size, other: Size): Size {
  return { min: Math.min(one.min, other.min), max: Math.max(one.max, other.max) };
}

export function together(one: Size, other: Size): Size {
  return { min: sum(one.min, other.min), max: sum(one.max, other.max) };
}

export function times(one: Size, other: Size): Size {
  return { min: product(one.min, other.min), max: product(one.max, other.max) };
}
