/** The place of the first key that is not before the given one. */
export function lowerBound(keys: readonly string[], key: string): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const found = keys[middle];
    if (found !== undefined && found < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The half-open range of the keys of a namespace, after a key. Keys of a namespace begin with `namespace/`. */
export function keyRange(
  keys: readonly string[],
  { namespace, after }: { readonly namespace?: string; readonly after?: string },
): readonly [number, number] {
  let start = namespace === undefined ? 0 : lowerBound(keys, `${namespace}/`);
  // "0" is the character after "/".
  const end = namespace === undefined ? keys.length : lowerBound(keys, `${namespace}0`);
  if (after !== undefined) {
    const place = lowerBound(keys, after);
    start = Math.max(start, keys[place] === after ? place + 1 : place);
  }
  return [start, Math.max(start, end)];
}
