import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const root = fileURLToPath(new URL("../", import.meta.url));
const { scripts } = JSON.parse(readFileSync(`${root}package.json`, "utf8"));

const pages = globSync(["*.md", "examples/*.md", "packages/*/*.md", "operators/*/*.md"], { cwd: root });

it.each(pages)("%s names no npm script that does not exist", (page) => {
  const named = [...readFileSync(`${root}${page}`, "utf8").matchAll(/\bnpm run (?:--silent )?([\w:-]+)/g)];
  expect(named.map(([, script]) => script).filter((script) => scripts[script ?? ""] === undefined)).toEqual(
    [],
  );
});

it.each(pages)("%s names no program by npx, which a fresh checkout does not have", (page) => {
  expect(readFileSync(`${root}${page}`, "utf8")).not.toContain("npx keelson");
});
