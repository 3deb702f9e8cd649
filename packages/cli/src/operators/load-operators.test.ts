import { fileURLToPath } from "node:url";
import { defineOperator } from "keelson";
import { describe, expect, it } from "vitest";
import { type BundledOperators, loadOperators, operatorList } from "./load-operators.ts";

const folder = fileURLToPath(new URL("../../test/support/", import.meta.url));
const webapp = defineOperator({ name: "webapp", setup: () => undefined });
const gadgets = defineOperator({ name: "gadgets", setup: () => undefined });
const bundled: BundledOperators = new Map([
  ["webapp", async () => webapp],
  ["gadgets", async () => gadgets],
]);

const load = (...names: readonly string[]) => loadOperators(names, { bundled, folder });

describe("operators", () => {
  it("are bundled ones by their names, and all that modules export, each once", async () => {
    const loaded = await load("webapp", "./gadget-operator.ts", "webapp");
    expect(loaded.map(({ operator, origin }) => [operator.name, origin])).toEqual([
      ["webapp", "webapp"],
      ["gadgets", "./gadget-operator.ts"],
    ]);
    expect(operatorList(loaded)).toBe(
      "webapp   webapp\ngadgets  ./gadget-operator.ts  gadgets.cli.example.com/v1\n",
    );
  });

  it("are found by a path without ./, by an absolute one, and by a URL", async () => {
    for (const name of [
      "gadget-operator.ts",
      `${folder}gadget-operator.ts`,
      `file://${folder}gadget-operator.ts`,
    ])
      expect(await load(name)).toMatchObject([{ operator: { name: "gadgets" } }]);
  });

  it("are looked for among installed packages, which may hold none", async () => {
    await expect(load("@keelson/core")).rejects.toThrow(
      /^load operator @keelson\/core: none of its exports is one: .*; export what defineOperator gives$/,
    );
  });

  it("that do not exist are refused with a list of those that do", async () => {
    await expect(load("webap")).rejects.toThrow(
      "find operator webap: there are webapp, gadgets, and no package of this name is installed; " +
        "did you mean webapp?; name one of these, a package, or a path such as ./my-operator.ts",
    );
    await expect(loadOperators(["webap"], { bundled: new Map(), folder })).rejects.toThrow(
      "find operator webap: no operator comes with this command, and no package of this name is installed; " +
        "name a package, or a path such as ./my-operator.ts",
    );
  });

  it("cannot come from a file that is missing, that holds none, or that fails", async () => {
    await expect(load("./missing.ts")).rejects.toThrow(
      /^load operator \.\/missing\.ts: there is no such file; /,
    );
    await expect(load("./")).rejects.toThrow(/there is no such file/);
    await expect(load("./no-operator.ts")).rejects.toThrow(/none of its exports is one: almost; /);
    await expect(load("./failing-module.ts")).rejects.toMatchObject({
      message: expect.stringMatching(
        /its module failed: Error: this module cannot be loaded \(at .*failing-module\.ts:1:7\)$/,
      ),
      cause: expect.objectContaining({ message: "this module cannot be loaded" }),
    });
  });

  it("cannot share a name", async () => {
    await expect(load("gadgets", "./gadget-operator.ts")).rejects.toThrow(
      "load operators: gadgets and ./gadget-operator.ts both hold one called gadgets; rename one or leave one out",
    );
  });
});
