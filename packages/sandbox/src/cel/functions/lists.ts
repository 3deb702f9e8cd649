import { Duration } from "@marcbachmann/cel-js/evaluator";
import { celEquals } from "../list-kinds.ts";
import { failure, type Library, libraryOf } from "./library.ts";

type List = readonly unknown[];

export const listsLibrary: Library = libraryOf([
  ["list.isSorted(): bool", isSorted],
  ["list.sum(): dyn", sum],
  ["list.min(): dyn", (list: List) => extreme(list, "min", -1)],
  ["list.max(): dyn", (list: List) => extreme(list, "max", 1)],
  [
    "list.indexOf(dyn): int",
    (list: List, item: unknown) => BigInt(list.findIndex((one) => celEquals(one, item))),
  ],
  [
    "list.lastIndexOf(dyn): int",
    (list: List, item: unknown) => BigInt(list.findLastIndex((one) => celEquals(one, item))),
  ],
  ["list<T>.slice(int, int): list<T>", slice],
  ["list.flatten(): list", (list: List) => list.flat(1)],
  ["list.flatten(int): list", (list: List, depth: bigint) => list.flat(Number(depth))],
  ["list<T>.distinct(): list<T>", distinct],
  ["list<T>.reverse(): list<T>", (list: List) => [...list].reverse()],
  ["list<T>.sort(): list<T>", (list: List) => [...list].sort(compare)],
]);

const containment = {
  contains: (list: List, items: List): boolean => items.every((item) => includes(list, item)),
  intersects: (list: List, items: List): boolean => items.some((item) => includes(list, item)),
};

type SetFunction = readonly [signature: string, handler: (one: List, other: List) => boolean];

export const setFunctions: readonly SetFunction[] = [
  ["contains(list, list): bool", containment.contains],
  ["equivalent(list, list): bool", (a, b) => containment.contains(a, b) && containment.contains(b, a)],
  ["intersects(list, list): bool", containment.intersects],
];

function includes(list: List, item: unknown): boolean {
  return list.some((one) => celEquals(one, item));
}

function isSorted(list: List): boolean {
  return list.every((item, index) => index === 0 || compare(list[index - 1], item) <= 0);
}

function extreme(list: List, name: string, sign: 1 | -1): unknown {
  if (list.length === 0) throw failure(`${name} called on empty list`);
  return list.reduce((best, item) => (Math.sign(compare(item, best)) === sign ? item : best));
}

function sum(list: List): unknown {
  const [first] = list;
  if (first === undefined) return 0n;
  if (typeof first === "number") return list.reduce((total: number, item) => total + Number(item), 0);
  if (first instanceof Duration) {
    return list.reduce(
      (total: Duration, item) => (item instanceof Duration ? total.addDuration(item) : total),
      new Duration(0),
    );
  }
  return list.reduce((total: bigint, item) => total + (typeof item === "bigint" ? item : 0n), 0n);
}

function slice(list: List, start: bigint, end: bigint): List {
  if (start < 0n || end < 0n) throw failure(`cannot slice(${start}, ${end}), negative indexes not supported`);
  if (start > end)
    throw failure(`cannot slice(${start}, ${end}), start index must be less than or equal to end index`);
  if (end > BigInt(list.length))
    throw failure(`cannot slice(${start}, ${end}), list is length ${list.length}`);
  return list.slice(Number(start), Number(end));
}

function distinct(list: List): List {
  return list.filter((item, index) => list.findIndex((one) => celEquals(one, item)) === index);
}

/** Of values of one kind: numbers, texts by code point, times, durations, false before true. */
function compare(left: unknown, right: unknown): number {
  const [a, b] = [comparable(left), comparable(right)];
  if (a < b) return -1;
  return a > b ? 1 : 0;
}

function comparable(value: unknown): number | bigint | string {
  if (typeof value === "number" || typeof value === "bigint" || typeof value === "string") return value;
  if (typeof value === "boolean" || value instanceof Date) return Number(value);
  if (value instanceof Duration) return value.seconds * 1_000_000_000n + BigInt(value.nanos);
  throw failure("no such overload");
}
