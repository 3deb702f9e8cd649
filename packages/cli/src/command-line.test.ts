import { expect, it } from "vitest";
import { usageErrorLine, withHelpLast } from "./command-line.ts";

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
])("makes one line of %j", (text, line) => {
  expect(usageErrorLine(text)).toBe(line);
});

it("takes help COMMAND for COMMAND --help, if there is such a command", () => {
  expect(withHelpLast(["help", "run"], ["run"])).toEqual(["run", "--help"]);
  expect(withHelpLast(["help", "sail"], ["run"])).toEqual(["sail"]);
  expect(withHelpLast(["help"], ["run"])).toEqual(["help"]);
});
