import { expect, it } from "vitest";
import { usageErrorLine } from "./usage-error.ts";

it.each([
  ["error: unknown option '--nope'\n", "keelson: unknown option '--nope'; see --help\n"],
  [
    "error: unknown option '--node'\n(Did you mean --nodes?)\n",
    "keelson: unknown option '--node'; did you mean --nodes? See --help\n",
  ],
  [
    "error: too many arguments for 'sandbox'. Expected 0 arguments but got 1: x.\n",
    "keelson: too many arguments for 'sandbox'. Expected 0 arguments but got 1: x; see --help\n",
  ],
])("tells %j in a line", (text, line) => {
  expect(usageErrorLine(text)).toBe(line);
});
