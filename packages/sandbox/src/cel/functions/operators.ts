import { celEquals, concatLists } from "../language/cel-equality.ts";
import {
  type CelDuration,
  type CelMap,
  type CelTimestamp,
  mapKey,
  Unsigned,
} from "../language/cel-values.ts";
import { failure } from "../language/evaluation-failure.ts";
import type { Functions } from "../language/function-table.ts";
import { compareValues } from "./compare-values.ts";
import { checkedDuration, checkedTimestamp } from "./times.ts";

function signed(value: bigint): bigint {
  if (BigInt.asIntN(64, value) !== value) throw failure("integer overflow");
  return value;
}

function unsigned(value: bigint): Unsigned {
  if (BigInt.asUintN(64, value) !== value) throw failure("unsigned integer overflow");
  return new Unsigned(value);
}

function divisor(value: bigint, problem = "division by zero"): bigint {
  if (value === 0n) throw failure(problem);
  return value;
}

const modulus = "modulus by zero";

const arithmetic: Functions = [
  ["_+_(bytes, bytes): bytes", (a: Uint8Array, b: Uint8Array) => new Uint8Array(Buffer.concat([a, b]))],
  ["_+_(double, double): double", (a: number, b: number) => a + b],
  [
    "_+_(duration, duration): duration",
    (a: CelDuration, b: CelDuration) => checkedDuration(a.nanoseconds + b.nanoseconds),
  ],
  [
    "_+_(duration, timestamp): timestamp",
    (a: CelDuration, b: CelTimestamp) => checkedTimestamp(a.nanoseconds + b.nanoseconds),
  ],
  [
    "_+_(timestamp, duration): timestamp",
    (a: CelTimestamp, b: CelDuration) => checkedTimestamp(a.nanoseconds + b.nanoseconds),
  ],
  ["_+_(int, int): int", (a: bigint, b: bigint) => signed(a + b)],
  ["_+_(list<A>, list<A>): list<A>", concatLists],
  ["_+_(string, string): string", (a: string, b: string) => a + b],
  ["_+_(uint, uint): uint", (a: Unsigned, b: Unsigned) => unsigned(a.value + b.value)],
  ["_-_(double, double): double", (a: number, b: number) => a - b],
  [
    "_-_(duration, duration): duration",
    (a: CelDuration, b: CelDuration) => checkedDuration(a.nanoseconds - b.nanoseconds),
  ],
  ["_-_(int, int): int", (a: bigint, b: bigint) => signed(a - b)],
  [
    "_-_(timestamp, duration): timestamp",
    (a: CelTimestamp, b: CelDuration) => checkedTimestamp(a.nanoseconds - b.nanoseconds),
  ],
  [
    "_-_(timestamp, timestamp): duration",
    (a: CelTimestamp, b: CelTimestamp) => checkedDuration(a.nanoseconds - b.nanoseconds),
  ],
  ["_-_(uint, uint): uint", (a: Unsigned, b: Unsigned) => unsigned(a.value - b.value)],
  ["_*_(double, double): double", (a: number, b: number) => a * b],
  ["_*_(int, int): int", (a: bigint, b: bigint) => signed(a * b)],
  ["_*_(uint, uint): uint", (a: Unsigned, b: Unsigned) => unsigned(a.value * b.value)],
  ["_/_(double, double): double", (a: number, b: number) => a / b],
  ["_/_(int, int): int", (a: bigint, b: bigint) => signed(a / divisor(b))],
  ["_/_(uint, uint): uint", (a: Unsigned, b: Unsigned) => unsigned(a.value / divisor(b.value))],
  ["_%_(int, int): int", (a: bigint, b: bigint) => a % divisor(b, modulus)],
  ["_%_(uint, uint): uint", (a: Unsigned, b: Unsigned) => unsigned(a.value % divisor(b.value, modulus))],
  ["-_(double): double", (a: number) => -a],
  ["-_(int): int", (a: bigint) => signed(-a)],
  ["!_(bool): bool", (a: boolean) => !a],
];

const numbers = ["int", "uint", "double"];
const ordered = ["bool", ...numbers, "string", "bytes", "timestamp", "duration"];

/** In the order in which the real server declares them. */
const pairs = ordered.flatMap((one) =>
  (numbers.includes(one) ? [one, ...numbers.filter((other) => other !== one)] : [one]).map(
    (other) => `${one}, ${other}`,
  ),
);

const orders: Readonly<Record<string, (order: number) => boolean>> = {
  "_<_": (order) => order < 0,
  "_<=_": (order) => order <= 0,
  "_>_": (order) => order > 0,
  "_>=_": (order) => order >= 0,
};

const comparisons: Functions = Object.entries(orders).flatMap(([operator, decide]) =>
  pairs.map(
    (pair) =>
      [`${operator}(${pair}): bool`, (a: unknown, b: unknown) => decide(compareValues(a, b))] as const,
  ),
);

const others: Functions = [
  ["_==_(A, A): bool", celEquals],
  ["_!=_(A, A): bool", (a: unknown, b: unknown) => !celEquals(a, b)],
  [
    "@in(A, list<A>): bool",
    (item: unknown, list: readonly unknown[]) => list.some((one) => celEquals(one, item)),
  ],
  ["@in(A, map<A, B>): bool", isKeyOf],
  // Evaluated by the language itself: they do not need all of their arguments.
  ["_?_:_(bool, A, A): A", () => undefined],
  ["@not_strictly_false(bool): bool", () => undefined],
  ["_[_](list<A>, int): A", () => undefined],
  ["_[_](map<A, B>, A): B", () => undefined],
  ["_[_](optional<list<V>>, int): optional<V>", () => undefined],
  ["_[_](optional<map<K, V>>, K): optional<V>", () => undefined],
  ["_[?_](list<V>, int): optional<V>", () => undefined],
  ["_[?_](optional<list<V>>, int): optional<V>", () => undefined],
  ["_[?_](map<K, V>, K): optional<V>", () => undefined],
  ["_[?_](optional<map<K, V>>, K): optional<V>", () => undefined],
  ["_?._(dyn, string): optional<V>", () => undefined],
  ["cel.@mapInsert(map<K, V>, K, V): map<K, V>", () => undefined],
  ["cel.@mapInsert(map<K, V>, map<K, V>): map<K, V>", () => undefined],
];

function isKeyOf(key: unknown, map: CelMap): boolean {
  const at = mapKey(key);
  return at !== undefined && map.has(at);
}

export const operators: Functions = [...arithmetic, ...comparisons, ...others];
