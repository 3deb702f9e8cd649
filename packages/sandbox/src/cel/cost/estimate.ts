import type { Size } from "./size.ts";

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
