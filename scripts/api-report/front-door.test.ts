import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const report = readFileSync(new URL("../../packages/runtime/api-report.md", import.meta.url), "utf8");
const manifest: { exports: Readonly<Record<string, unknown>> } = JSON.parse(
  readFileSync(new URL("../../packages/runtime/package.json", import.meta.url), "utf8"),
);

/** The names of each module of `keelson`, by the headings and declarations of the report. */
const modules = report
  .split(/^## /m)
  .slice(1)
  .map((part) => ({
    name: /^`([^`]+)`/.exec(part)?.[1] ?? "",
    count: Number(/: (\d+) names/.exec(part)?.[1]),
    names: new Set(
      [...part.matchAll(/^(?:abstract )?(?:class|function|const|interface|type) (\w+)/gm)].map(
        ([, name]) => name,
      ),
    ),
  }));

describe("keelson", () => {
  it("exports at most 120 names, types included; what few operators need is behind subpaths", () => {
    expect(modules.find(({ name }) => name === "keelson")?.count).toBeLessThanOrEqual(120);
  });

  it("has each name in one module", () => {
    const names = modules.flatMap((module) => [...module.names]);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });

  it("has a README that names every module", () => {
    const readme = readFileSync(new URL("../../packages/runtime/README.md", import.meta.url), "utf8");
    const subpaths = Object.keys(manifest.exports).map((subpath) => `keelson${subpath.slice(1)}`);
    expect(subpaths.filter((subpath) => !readme.includes(`\`${subpath.replace("/*", "")}`))).toEqual([]);
  });
});
