import { expect, it } from "vitest";
import { type Random, randomUuid, seededRandom } from "./random.ts";
import { systemRandom } from "./system-random.ts";

const take = (random: Random, count: number): readonly number[] =>
  Array.from({ length: count }, () => random.next());

it("takes the same way twice for the same seed, and another one for another seed", () => {
  expect(take(seededRandom(7), 50)).toEqual(take(seededRandom(7), 50));
  expect(take(seededRandom(7), 50)).not.toEqual(take(seededRandom(8), 50));
});

it("returns the numbers of mulberry32, which a recorded run depends on", () => {
  expect(take(seededRandom(1), 3)).toEqual([0.6270739405881613, 0.002735721180215478, 0.5274470399599522]);
});

it.each([seededRandom(0), seededRandom(-1), seededRandom(2 ** 40), systemRandom])(
  "stays within 0 and 1, and spreads over all of it",
  (random) => {
    const numbers = take(random, 2000);
    expect(numbers.every((number) => number >= 0 && number < 1)).toBe(true);
    const tenths = new Set(numbers.map((number) => Math.floor(number * 10)));
    expect(tenths.size).toBe(10);
  },
);

it("makes UUIDs of version 4, another one each time", () => {
  const random = seededRandom(7);
  const made = Array.from({ length: 200 }, () => randomUuid(random));
  for (const uuid of made)
    expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(new Set(made).size).toBe(made.length);
});
