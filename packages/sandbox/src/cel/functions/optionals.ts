import { CelDuration, CelTimestamp, isMap, OptionalValue, Unsigned } from "../language/cel-values.ts";
import { failure } from "../language/evaluation-failure.ts";
import type { Functions } from "../language/function-table.ts";

type List = readonly unknown[];

export const optionals: Functions = [
  ["optional.of(V): optional<V>", OptionalValue.of],
  [
    "optional.ofNonZeroValue(V): optional<V>",
    (value: unknown) => (isZero(value) ? OptionalValue.none : OptionalValue.of(value)),
  ],
  ["optional.none(): optional<V>", () => OptionalValue.none],
  ["optional<V>.value(): V", presentValue],
  ["optional<V>.hasValue(): bool", ({ hasValue }: OptionalValue) => hasValue],
  // Evaluated by the language itself: they do not need the other value if there is a first one.
  ["optional<V>.or(optional<V>): optional<V>", () => undefined],
  ["optional<V>.orValue(V): V", () => undefined],
  ["list<V>.last(): optional<V>", (list: List) => elementAt(list, -1)],
  ["list<V>.first(): optional<V>", (list: List) => elementAt(list, 0)],
  ["optional.unwrap(list<optional<V>>): list<V>", present],
  ["list<optional<V>>.unwrapOpt(): list<V>", present],
];

function presentValue({ hasValue, value }: OptionalValue): unknown {
  if (!hasValue) throw failure("optional.none() dereference");
  return value;
}

function elementAt(list: List, index: number): OptionalValue {
  return list.length === 0 ? OptionalValue.none : OptionalValue.of(list.at(index));
}

function present(list: List): List {
  return list.flatMap((value) => {
    if (!(value instanceof OptionalValue)) throw failure(`value ${String(value)} is not optional`);
    return value.hasValue ? [value.value] : [];
  });
}

function isZero(value: unknown): boolean {
  if (value === null || value === false || value === 0n || value === 0 || value === "") return true;
  if (Array.isArray(value) || value instanceof Uint8Array) return value.length === 0;
  if (isMap(value)) return value.size === 0;
  if (value instanceof Unsigned) return value.value === 0n;
  if (value instanceof CelDuration) return value.nanoseconds === 0n;
  if (value instanceof OptionalValue) return !value.hasValue || isZero(value.value);
  return value instanceof CelTimestamp && value.nanoseconds === -62_135_596_800_000_000_000n;
}
