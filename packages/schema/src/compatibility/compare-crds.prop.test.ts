import fc from "fast-check";
import { expect, it } from "vitest";
import { z } from "zod";
import type { SchemaProblem } from "../errors.ts";
import { Place } from "../structural/place.ts";
import { structuralSchemaOf } from "../structural/structural-schema-of.ts";
import { compareSchemas } from "./compare-schemas.ts";

const small = fc.integer({ min: -2, max: 4 });
const length = fc.integer({ min: 0, max: 3 });
const maybe = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(arbitrary, { nil: undefined, freq: 2 });

const anyString: fc.Arbitrary<z.ZodType> = fc
  .record({ min: maybe(length), max: maybe(length), pattern: maybe(fc.constantFrom(/^a/, /b$/)) })
  .map(({ min, max, pattern }) => {
    let schema = z.string();
    if (min !== undefined) schema = schema.min(min);
    if (max !== undefined) schema = schema.max(max);
    return pattern === undefined ? schema : schema.regex(pattern);
  });

const bound = maybe(fc.record({ value: small, inclusive: fc.boolean() }));

const anyNumber: fc.Arbitrary<z.ZodType> = fc
  .record({ lower: bound, upper: bound, step: maybe(fc.constantFrom(1, 2, 4)), isInteger: fc.boolean() })
  .map(({ lower, upper, step, isInteger }) => {
    let schema = isInteger ? z.number().int() : z.number();
    if (lower !== undefined) schema = lower.inclusive ? schema.min(lower.value) : schema.gt(lower.value);
    if (upper !== undefined) schema = upper.inclusive ? schema.max(upper.value) : schema.lt(upper.value);
    return step === undefined ? schema : schema.multipleOf(step);
  });

const anyEnum: fc.Arbitrary<z.ZodType> = fc
  .uniqueArray(fc.constantFrom("", "a", "ab", "b"), { minLength: 1 })
  .map((values) => z.enum(values));

type Pair = readonly [z.ZodType, z.ZodType];

/** Two schemas that are alike enough for the second to allow all that the first does, now and then. */
const scalarPair: fc.Arbitrary<Pair> = fc.oneof(
  fc.tuple(anyString, anyString),
  fc.tuple(anyNumber, anyNumber),
  fc.tuple(anyEnum, fc.oneof(anyEnum, anyString)),
  fc.tuple(fc.oneof(anyString, anyNumber, anyEnum), fc.constantFrom(z.unknown(), z.boolean())),
);

const wrapped = (arbitrary: fc.Arbitrary<Pair>): fc.Arbitrary<Pair> =>
  fc
    .tuple(arbitrary, fc.boolean(), length, length)
    .map(([[last, next], isList, was, is]) =>
      isList ? [z.array(last).max(was), z.array(next).max(is)] : [last, next],
    );

const objectPair: fc.Arbitrary<Pair> = fc
  .tuple(wrapped(scalarPair), ...Array.from({ length: 6 }, () => fc.boolean()))
  .map(([[last, next], isRequired, wasRequired, isThere, wasThere, isLoose, wasLoose]) => [
    object(last, wasRequired, wasThere, wasLoose),
    object(next, isRequired, isThere, isLoose),
  ]);

function object(x: z.ZodType, isRequired = false, isThere = false, isLoose = false): z.ZodType {
  const shape = isThere ? { x: isRequired ? x : x.optional() } : {};
  return isLoose ? z.looseObject(shape) : z.object(shape);
}

const scalars = ["", "a", "ab", "b", "abc", -3, -2, 0, 1, 2, 2.5, 3, 4, 5, true];
const lists = [[], ...scalars.map((value) => [value]), ["", ""], ["a", "ab"], [0, 4], [2, 2, 2]];
/** Objects with these values in a field, or without it. */
const objects = [{}, ...[...scalars, ...lists].map((x) => ({ x }))];

function incompatibilities([last, next]: Pair): readonly string[] {
  const problems: SchemaProblem[] = [];
  const found: string[] = [];
  const was = structuralSchemaOf(last, Place.root(problems));
  const is = structuralSchemaOf(next, Place.root(problems));
  compareSchemas(was, is, "", (severity, path) => found.push(`${severity} ${path}`));
  expect(problems).toEqual([]);
  return found;
}

/** How many of the pairs nothing is said of; fails if a value that was good is not, or loses something. */
function silentPairs(pairs: fc.Arbitrary<Pair>, values: readonly unknown[]): number {
  let silent = 0;
  fc.assert(
    fc.property(pairs, ([last, next]) => {
      if (incompatibilities([last, next]).length > 0) return;
      silent += 1;
      for (const value of values) {
        const stored = last.safeParse(value);
        if (stored.success) expect(next.parse(stored.data)).toEqual(stored.data);
      }
    }),
    { numRuns: 1500 },
  );
  return silent;
}

it("stays silent only if every value that was good is still good", () => {
  expect(silentPairs(scalarPair, scalars)).toBeGreaterThan(100);
});

it("stays silent only if every object that was good is still good and keeps its fields", () => {
  expect(silentPairs(objectPair, objects)).toBeGreaterThan(100);
});

it("has nothing to say of a schema that did not change", () => {
  fc.assert(
    fc.property(objectPair, ([schema]) => {
      expect(incompatibilities([schema, schema])).toEqual([]);
    }),
  );
});
