import fc from "fast-check";
import { expect, it } from "vitest";
import { z } from "zod";
import type { SchemaProblem } from "../errors.ts";
import { SchemaPosition } from "../structural/schema-position.ts";
import { structuralSchemaOf } from "../structural/structural-schema-of.ts";
import { compareSchemas } from "./compare-schemas.ts";

const small = fc.integer({ min: -2, max: 4 });
const length = fc.integer({ min: 0, max: 3 });
const maybe = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(arbitrary, { nil: undefined, freq: 2 });

interface TextLimits {
  readonly min: number | undefined;
  readonly max: number | undefined;
  readonly patterns: readonly RegExp[];
}

const textLimits: fc.Arbitrary<TextLimits> = fc.record({
  min: maybe(length),
  max: maybe(length),
  patterns: fc.subarray([/^a/, /b$/]),
});

function makeString({ min, max, patterns }: TextLimits): z.ZodType {
  let schema = z.string();
  if (min !== undefined) schema = schema.min(min);
  if (max !== undefined) schema = schema.max(max);
  return patterns.reduce((limited, pattern) => limited.regex(pattern), schema);
}

const anyString: fc.Arbitrary<z.ZodType> = textLimits.map(makeString);

interface NumberLimits {
  readonly lower: { readonly value: number; readonly inclusive: boolean } | undefined;
  readonly upper: { readonly value: number; readonly inclusive: boolean } | undefined;
  readonly step: number | undefined;
  readonly kind: "int32" | "int" | "float32" | "number";
}

const bound = maybe(fc.record({ value: small, inclusive: fc.boolean() }));

const numberLimits: fc.Arbitrary<NumberLimits> = fc.record({
  lower: bound,
  upper: bound,
  step: maybe(fc.constantFrom(1, 2, 4)),
  kind: fc.constantFrom("int32", "int", "float32", "number"),
});

const makeKind = { int32: z.int32, int: z.int, float32: z.float32, number: z.number };

function makeNumber({ lower, upper, step, kind }: NumberLimits): z.ZodType {
  let schema: z.ZodNumber = makeKind[kind]();
  if (lower !== undefined) schema = lower.inclusive ? schema.min(lower.value) : schema.gt(lower.value);
  if (upper !== undefined) schema = upper.inclusive ? schema.max(upper.value) : schema.lt(upper.value);
  return step === undefined ? schema : schema.multipleOf(step);
}

const anyNumber: fc.Arbitrary<z.ZodType> = numberLimits.map(makeNumber);

const words = ["", "a", "ab", "b"];
const someWords = fc.uniqueArray(fc.constantFrom(...words), { minLength: 1 });
const anyEnum: fc.Arbitrary<z.ZodType> = someWords.map((values) => z.enum(values));

type Pair = readonly [z.ZodType, z.ZodType];

/** How much a limit is relaxed; undefined if it is dropped. */
const slack = maybe(fc.integer({ min: 0, max: 2 }));

/** Two schemas, of which the second allows all that the first does. */
const looserPair: fc.Arbitrary<Pair> = fc.oneof(
  fc.tuple(textLimits, slack, slack, fc.subarray([/^a/, /b$/])).map(([last, down, up, kept]): Pair => {
    const next = {
      min: down === undefined || last.min === undefined ? undefined : Math.max(0, last.min - down),
      max: up === undefined || last.max === undefined ? undefined : last.max + up,
      patterns: last.patterns.filter((pattern) => kept.includes(pattern)),
    };
    return [makeString(last), makeString(next)];
  }),
  fc
    .tuple(numberLimits, slack, slack, maybe(fc.constantFrom(1, 2)), fc.constantFrom(0, 1, 2, 3))
    .map(([last, down, up, divisor, wider]): Pair => {
      const kinds = ["int32", "int", "float32", "number"] as const;
      const next = {
        lower: last.lower && down !== undefined ? widen(last.lower, -down) : undefined,
        upper: last.upper && up !== undefined ? widen(last.upper, up) : undefined,
        step: last.step && divisor !== undefined ? last.step / divisor : undefined,
        kind: kinds[Math.max(wider, kinds.indexOf(last.kind))] ?? "number",
      };
      const isWhole = next.kind.startsWith("int");
      return [makeNumber(last), makeNumber({ ...next, step: isWhole && next.step === 0.5 ? 1 : next.step })];
    }),
  fc.tuple(someWords, someWords).map(([some, more]): Pair => [z.enum(some), z.enum([...some, ...more])]),
  fc.tuple(someWords, slack).map(([some, up = 0]): Pair => {
    const lengths = some.map((word) => word.length);
    return [
      z.enum(some),
      makeString({ min: Math.min(...lengths), max: Math.max(...lengths) + up, patterns: [] }),
    ];
  }),
);

/** A bound moved outward, or left where it is and included. */
function widen<B extends { readonly value: number; readonly inclusive: boolean }>(of: B, by: number): B {
  return { ...of, value: of.value + by, inclusive: by === 0 ? true : of.inclusive };
}

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
  const was = structuralSchemaOf(last, SchemaPosition.root(problems));
  const is = structuralSchemaOf(next, SchemaPosition.root(problems));
  compareSchemas(was, is, "", (severity, path) => found.push(`${severity} ${path}`));
  expect(problems).toEqual([]);
  return found;
}

/** How many of the pairs have no finding; fails if a value that was good is not, or loses something. */
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

it("stays silent whenever limits are loosened or dropped", () => {
  fc.assert(
    fc.property(looserPair, fc.boolean(), ([last, next], isList) => {
      const pair: Pair = isList ? [z.array(last).max(1), z.array(next).max(2)] : [last, next];
      expect(incompatibilities(pair)).toEqual([]);
    }),
    { numRuns: 1500 },
  );
});

it("reports nothing for a schema that did not change", () => {
  fc.assert(
    fc.property(objectPair, ([schema]) => {
      expect(incompatibilities([schema, schema])).toEqual([]);
    }),
  );
});
