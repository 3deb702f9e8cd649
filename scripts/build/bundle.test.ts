import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { mkdtempDisposable } from "node:fs/promises";
import { SourceMap } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseSync } from "oxc-parser";
import { beforeAll, describe, expect, it } from "vitest";
import { type Bundle, bundlePackage } from "./bundle.ts";
import { type PublishedPackage, publishedPackage, publishedPackages } from "./published-package.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const packages = publishedPackages(root);
const libraries = packages.filter(({ entries }) => entries.includes("index"));

function named(name: string): PublishedPackage {
  const found = packages.find((published) => published.name === name);
  if (found === undefined) throw new Error(`no package ${name}`);
  return found;
}

function textOf({ files }: Bundle, path: string): string {
  const found = files.find((file) => file.path === path);
  if (found === undefined) throw new Error(`no file ${path} among ${files.map((file) => file.path)}`);
  return found.text;
}

/** The names that a module exports, by its text: what `import *` would give. */
function exportsOf(text: string): readonly string[] {
  const { staticExports } = parseSync("index.js", text).module;
  return staticExports.flatMap(({ entries }) => entries.map(({ exportName }) => exportName.name ?? "*"));
}

/** What a module imports when it is loaded, and so do the files of the bundle that it imports. */
function loadedWith(bundle: Bundle, path: string, seen: Set<string> = new Set()): ReadonlySet<string> {
  for (const { moduleRequest } of parseSync(path, textOf(bundle, path)).module.staticImports) {
    if (seen.has(moduleRequest.value)) continue;
    seen.add(moduleRequest.value);
    if (moduleRequest.value.startsWith("./")) loadedWith(bundle, moduleRequest.value.slice(2), seen);
  }
  return seen;
}

describe("the bundle of keelson", () => {
  const keelson = named("keelson");
  let bundle: Bundle;
  beforeAll(async () => {
    bundle = await bundlePackage(keelson);
  });

  it("is the same each time it is made", async () => {
    expect(await bundlePackage(keelson)).toEqual(bundle);
  });

  it("has a file for each public module, one for the thread that renews a lease, and a map for each", () => {
    const paths = bundle.files.map(({ path }) => path);
    expect(paths).toEqual(expect.arrayContaining(["index.js", "kinds/apps/v1.js", "leader/renew-worker.js"]));
    const scripts = paths.filter((path) => path.endsWith(".js"));
    expect(paths.filter((path) => path.endsWith(".js.map"))).toEqual(scripts.map((path) => `${path}.map`));
  });

  it("leads from a place in it to the place in the TypeScript source, whose text it carries", () => {
    const text = textOf(bundle, "index.js");
    const payload = JSON.parse(textOf(bundle, "index.js.map"));
    const source = readFileSync(`${keelson.folder}/src/manager/manager.ts`, "utf8");
    const lineIn = (of: string): number =>
      of.split("\n").findIndex((line) => /^(export class Manager|var Manager = class) /.test(line));
    const entry = new SourceMap(payload).findEntry(lineIn(text), 0);
    expect(entry).toMatchObject({
      originalSource: "../src/manager/manager.ts",
      originalLine: lineIn(source),
    });
    expect(payload.sourcesContent[payload.sources.indexOf("../src/manager/manager.ts")]).toBe(source);
    expect(text).toContain("//# sourceMappingURL=index.js.map");
  });

  it("leaves to later what an operator may never need", () => {
    const loaded = loadedWith(bundle, "index.js");
    expect(loaded).toContain("@keelson/client");
    for (const later of ["@opentelemetry/api", "@peculiar/x509", "reflect-metadata"])
      expect(loaded).not.toContain(later);
  });

  it("keeps `import.meta.url` of a module as it is without a bundle", () => {
    const address = 'new URL("./leader/election-driver.js", import.meta.url).href';
    const texts = bundle.files.filter(({ path }) => !path.includes("/")).map(({ text }) => text);
    expect(texts.some((text) => text.includes(`"./renew-worker.js", ${address})`))).toBe(true);
  });

  it("cannot be made when an import is not among the dependencies", async () => {
    const dependencies = keelson.dependencies.filter((name) => name !== "@keelson/schema");
    await expect(bundlePackage({ ...keelson, dependencies })).rejects.toThrow(
      "build keelson: it imports @keelson/schema; add @keelson/schema to its dependencies",
    );
  });
});

it("what is loaded beside samples is a file of its own, which finds its data in the folder of its source", async () => {
  const folder = `${root}operators/azimuth-capi`;
  const manifest = JSON.parse(readFileSync(`${folder}/package.json`, "utf8"));
  const bundle = await bundlePackage(publishedPackage(folder, manifest));
  const text = textOf(bundle, "sample-neighbours.js");
  expect(exportsOf(text)).toEqual(["startNeighbours"]);
  expect(text).toContain('new URL("../testing/crds.js", import.meta.url).href');
  expect(loadedWith(bundle, "index.js")).not.toContain("./sample-neighbours.js");
});

it("a package with an import that leads nowhere cannot be bundled, and the message names the place", async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "keelson-bundle-"));
  mkdirSync(join(folder.path, "src"));
  writeFileSync(join(folder.path, "src/index.ts"), 'export { hull } from "./hull.ts";\n');
  const broken = { name: "broken", folder: folder.path, entries: ["index"], loaded: [], dependencies: [] };
  await expect(bundlePackage(broken)).rejects.toThrow(/hull\.ts.*src\/index\.ts/s);
});

describe.each(libraries)("the bundle of $name", (library) => {
  let bundle: Bundle;
  beforeAll(async () => {
    bundle = await bundlePackage(library);
  });

  it("exports the names that its sources export", async () => {
    for (const entry of library.entries.filter((path) => !path.startsWith("kinds/"))) {
      const source: object = await import(`${library.folder}/src/${entry}.ts`);
      expect(exportsOf(textOf(bundle, `${entry}.js`)).toSorted()).toEqual(Object.keys(source).sort());
    }
  });

  it("contains no code of other packages", () => {
    const own = ["src", "testing"].map((folder) => `${library.folder}/${folder}/`);
    const foreign = bundle.modules.filter((module) => !own.some((folder) => module.startsWith(folder)));
    // What the compiler puts in place of newer syntax, as tsc would.
    expect(foreign.filter((module) => !/^\0(@oxc-project\+runtime@|rolldown\/runtime)/.test(module))).toEqual(
      [],
    );
    expect(bundle.modules.filter((module) => existsSync(module)).length).toBeGreaterThan(0);
  });

  it("does not import node:http, which would load Node's fetch with it", () => {
    for (const { path, text } of bundle.files)
      if (path.endsWith(".js")) expect(text).not.toMatch(/\b(from|import)\b\s*\(?"node:http"/);
  });

  it("has no syntax that the oldest Node cannot read", () => {
    for (const { path, text } of bundle.files)
      if (path.endsWith(".js")) expect(text).not.toMatch(/^\s*(await )?using \w+ = /m);
  });
});
