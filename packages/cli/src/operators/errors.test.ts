import { expect, it } from "vitest";
import { failureInLine } from "./errors.ts";

it("reports what a module threw and where, in one line", () => {
  const thrown = new TypeError("cannot read x\nof undefined");
  thrown.stack =
    "TypeError: cannot read x\n    at setup (file:///home/ann/op.ts:3:9)\n    at file:///elsewhere.ts:1:1";
  expect(failureInLine(thrown)).toBe("TypeError: cannot read x (at file:///home/ann/op.ts:3:9)");
  const unparsed = new SyntaxError("Unexpected token");
  unparsed.stack = "file:///home/ann/op.ts:7\n  cons x\n       ^\n\nSyntaxError: Unexpected token";
  expect(failureInLine(unparsed)).toBe("SyntaxError: Unexpected token (at file:///home/ann/op.ts:7)");
  const nowhere = new Error("lost");
  nowhere.stack = "Error: lost";
  expect(failureInLine(nowhere)).toBe("Error: lost");
});

it("names no place that is not in the module", () => {
  expect(failureInLine("just text")).toBe("Error: just text");
  const unresolved = new Error("Cannot find package 'x' imported from /home/ann/op.ts");
  unresolved.stack = `Error: ${unresolved.message}\n    at getURL (node:internal/modules/package_json_reader:331:9)`;
  expect(failureInLine(unresolved)).toBe(`Error: ${unresolved.message}`);
});
