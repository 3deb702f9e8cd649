import { expect, it } from "vitest";
import { levels, splitArguments } from "./levels.ts";

it.each([
  [[], levels, []],
  [["unit"], ["unit"], []],
  [["unit", "cluster", "guardian"], ["unit", "cluster"], ["guardian"]],
  [["guardian", "-t", "unit"], levels, ["guardian", "-t", "unit"]],
  [["cluster", "-t", "unit"], ["cluster"], ["-t", "unit"]],
])("splits %j into levels and the rest", (args, chosen, rest) => {
  expect(splitArguments(args)).toEqual({ chosen, rest });
});
