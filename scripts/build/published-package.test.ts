import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { publishedPackage } from "./published-package.ts";

const folder = fileURLToPath(new URL("../../packages/core", import.meta.url));

function entry(name: string): Readonly<Record<string, string>> {
  return {
    "@keelson/source": `./src/${name}.ts`,
    types: `./dist/${name}.d.ts`,
    default: `./dist/${name}.js`,
  };
}

it("finds every module that a star stands for, tests excepted", () => {
  const { entries } = publishedPackage(folder, {
    name: "x",
    exports: { ".": entry("index"), "./*": entry("kinds/*") },
  });
  expect(entries).toEqual(expect.arrayContaining(["index", "kinds/core/v1", "kinds/autoscaling/v2"]));
  expect(entries.filter((name) => name.includes("test"))).toEqual([]);
});

it("counts optional peers among what may be imported, and programs among the entries", () => {
  const found = publishedPackage(folder, {
    name: "x",
    bin: { x: "./dist/clock.js" },
    dependencies: { a: "1.0.0" },
    peerDependencies: { b: "^1.0.0" },
  });
  expect(found).toEqual({ name: "x", folder, entries: ["clock"], loaded: [], dependencies: ["a", "b"] });
});

it("refuses a public module without a source", () => {
  expect(() => publishedPackage(folder, { name: "x", exports: { ".": entry("nothing") } })).toThrow(
    "build x: it publishes dist/nothing.js, but there is no src/nothing.ts",
  );
});

it("refuses a star that stands for nothing", () => {
  expect(() => publishedPackage(folder, { name: "x", exports: { "./*": entry("nothing/*") } })).toThrow(
    "build x: it publishes dist/nothing/*.js, but there is no such source",
  );
});

it("refuses targets that are not where the build puts them", () => {
  const elsewhere = { ...entry("index"), default: "./lib/index.js" };
  expect(() => publishedPackage(folder, { name: "x", exports: { ".": elsewhere } })).toThrow(
    "build x: package.json publishes ./lib/index.js; the build makes ./dist/NAME.js",
  );
  const mismatched = { ...entry("index"), types: "./dist/clock.d.ts" };
  expect(() => publishedPackage(folder, { name: "x", exports: { ".": mismatched } })).toThrow(
    "build x: package.json exports ./dist/clock.d.ts as types; write ./dist/index.d.ts",
  );
});
