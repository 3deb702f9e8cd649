/** What evaluating a part of an expression costs at most, and what is known of its result. */
export interface Estimate {
  readonly cost: number;
  readonly type: string;
  /** Where in the object the value is: the variable, then fields, `@items`, `@keys` and `@values`. */
  readonly path: readonly string[];
  readonly size: Size | undefined;
  /** Of the elements of lists and maps that the expression makes itself. */
  readonly entries: EntrySizes | undefined;
}

export interface EntrySizes {
  readonly key: Size;
  readonly value: Size;
}

/** Where the values of variables are that macros declare. */
export type LocalVariables = ReadonlyMap<string, readonly string[]>;

export interface Estimator {
  estimate(node: unknown, locals: LocalVariables): Estimate;
  sizeOf(estimate: Estimate): Size;
}

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
  return Math.min(most, one * other);
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
