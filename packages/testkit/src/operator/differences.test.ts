import { expect, it } from "vitest";
import { differences } from "./differences.ts";

it("finds nothing between equal values", () => {
  expect(differences({ a: [1, { b: 2 }] }, { a: [1, { b: 2 }] })).toEqual([]);
});

it.each([
  ["a value", { a: { b: 1 } }, { a: { b: 2 } }, ["a.b: 1 was expected, 2 was found"]],
  ["a part that is missing", { a: 1, b: 2 }, { a: 1 }, ["b: 2 was expected, nothing was found"]],
  ["a part too many", { a: [1] }, { a: [1, 2] }, ["a.1: nothing was expected, 2 was found"]],
  ["another type", { a: [] }, { a: {} }, ["a: [] was expected, {} was found"]],
  ["all of it", 1, "1", ['all: 1 was expected, "1" was found']],
  [
    "several places",
    { a: 1, b: 2 },
    { a: 2, b: 1 },
    ["a: 1 was expected, 2 was found", "b: 2 was expected, 1 was found"],
  ],
])("names the place: %s", (_, expected, found, lines) => {
  expect(differences(expected, found)).toEqual(lines);
});

it("shortens what is long", () => {
  const [line = ""] = differences("a".repeat(1000), "b");
  expect(line.length).toBeLessThan(400);
});
