import { celEquals } from "../language/cel-equality.ts";
import { type CelDuration, Unsigned } from "../language/cel-values.ts";
import { failure } from "../language/evaluation-failure.ts";
import type { Functions } from "../language/function-table.ts";
import { compareValues } from "./compare-values.ts";
import { checkedDuration } from "./times.ts";

type List = readonly unknown[];

type Sum = (list: readonly never[]) => unknown;

const sums: Readonly<Record<string, Sum>> = {
  int: (list: readonly bigint[]) => list.reduce((total, item) => signed(total + item), 0n),
  uint: (list: readonly Unsigned[]) => new Unsigned(list.reduce((total, { value }) => total + value, 0n)),
  double: (list: readonly number[]) => list.reduce((total, item) => total + item, 0),
  duration: (list: readonly CelDuration[]) =>
    checkedDuration(list.reduce((total, { nanoseconds }) => total + nanoseconds, 0n)),
};
const comparable = ["int", "uint", "double", "bool", "duration", "timestamp", "string", "bytes"];

export const lists: Functions = [
  ...comparable.flatMap(
    (type): Functions => [
      [`list<${type}>.isSorted(): bool`, isSorted],
      [`list<${type}>.min(): ${type}`, (list: List) => extreme(list, "min", -1)],
      [`list<${type}>.max(): ${type}`, (list: List) => extreme(list, "max", 1)],
      [`list<${type}>.sort(): list<${type}>`, (list: List) => list.toSorted(compareValues)],
      [`list<T>.@sortByAssociatedKeys(list<${type}>): list<T>`, sortByKeys],
    ],
  ),
  ...Object.entries(sums).map(([type, sum]) => [`list<${type}>.sum(): ${type}`, sum] as const),
  [
    "list<A>.indexOf(A): int",
    (list: List, item: unknown) => BigInt(list.findIndex((one) => celEquals(one, item))),
  ],
  [
    "list<A>.lastIndexOf(A): int",
    (list: List, item: unknown) => BigInt(list.findLastIndex((one) => celEquals(one, item))),
  ],
  ["list<T>.slice(int, int): list<T>", slice],
  ["list<list<T>>.flatten(): list<T>", (list: List) => list.flat(1)],
  ["list<dyn>.flatten(int): list<dyn>", flatten],
  ["list<T>.distinct(): list<T>", distinct],
  ["list<T>.reverse(): list<T>", (list: List) => list.toReversed()],
  [
    "lists.range(int): list<int>",
    (count: bigint) => Array.from({ length: Number(count) }, (_, index) => BigInt(index)),
  ],
];

const containment = {
  contains: (list: List, items: List): boolean => items.every((item) => includes(list, item)),
  intersects: (list: List, items: List): boolean => items.some((item) => includes(list, item)),
};

export const sets: Functions = [
  ["sets.contains(list<T>, list<T>): bool", containment.contains],
  [
    "sets.equivalent(list<T>, list<T>): bool",
    (a: List, b: List) => containment.contains(a, b) && containment.contains(b, a),
  ],
  ["sets.intersects(list<T>, list<T>): bool", containment.intersects],
];

function signed(value: bigint): bigint {
  if (BigInt.asIntN(64, value) !== value) throw failure("integer overflow");
  return value;
}

function includes(list: List, item: unknown): boolean {
  return list.some((one) => celEquals(one, item));
}

function isSorted(list: List): boolean {
  return list.every((item, index) => index === 0 || compareValues(list[index - 1], item) <= 0);
}

function extreme(list: List, name: string, sign: 1 | -1): unknown {
  if (list.length === 0) throw failure(`${name} called on empty list`);
  return list.reduce((best, item) => (Math.sign(compareValues(item, best)) === sign ? item : best));
}

function sortByKeys(list: List, keys: List): List {
  return list
    .map((item, index) => ({ item, key: keys[index] }))
    .toSorted((one, other) => compareValues(one.key, other.key))
    .map(({ item }) => item);
}

function slice(list: List, start: bigint, end: bigint): List {
  if (start < 0n || end < 0n) throw failure(`cannot slice(${start}, ${end}), negative indexes not supported`);
  if (start > end)
    throw failure(`cannot slice(${start}, ${end}), start index must be less than or equal to end index`);
  if (end > BigInt(list.length))
    throw failure(`cannot slice(${start}, ${end}), list is length ${list.length}`);
  return list.slice(Number(start), Number(end));
}

function flatten(list: List, depth: bigint): List {
  if (depth < 0n) throw failure("level must be non-negative");
  return list.flat(Number(depth));
}

function distinct(list: List): List {
  return list.filter((item, index) => list.findIndex((one) => celEquals(one, item)) === index);
}
