/** A bound that numbers are held to. */
export interface Bound {
  readonly value: number;
  readonly exclusive: boolean;
}

export interface Range {
  readonly least: number;
  readonly most: number;
}

export const int32: Range = { least: -(2 ** 31), most: 2 ** 31 - 1 };

const largestFloat = (2 - 2 ** -23) * 2 ** 127;
export const float: Range = { least: -largestFloat, most: largestFloat };

/** A lower bound as the least integer that it allows. */
export function roundUp({ value, exclusive }: Bound): Bound {
  const least = Math.ceil(value) + 0; // not -0
  return { value: exclusive && least === value ? least + 1 : least, exclusive: false };
}

/** An upper bound as the greatest integer that it allows. */
export function roundDown({ value, exclusive }: Bound): Bound {
  const most = Math.floor(value);
  return { value: exclusive && most === value ? most - 1 : most, exclusive: false };
}
