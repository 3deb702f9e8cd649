import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
const page = readFileSync(`${root}ARCHITECTURE.md`, "utf8");
const sections = new Map(page.split(/^## /m).map((text) => [text.slice(0, text.indexOf("\n")), text]));

/** The files that a text names, such as `client/src/patch.ts`; a link has its name twice. */
function filesIn(text: string): readonly string[] {
  return [...new Set(text.match(/[\w./-]+\.(?:ts|mjs|json|md)\b/g) ?? [])];
}

/** Below which folder a section's paths are. */
const folders: Readonly<Record<string, string>> = {
  "The way of an event": "packages/",
  "The way of a write through the sandbox": "packages/sandbox/src/",
};

describe("ARCHITECTURE.md", () => {
  it.each([...sections])("names only files that exist: %s", (title, text) => {
    const folder = folders[title] ?? "";
    expect(filesIn(text).filter((file) => !existsSync(`${root}${folder}${file}`))).toEqual([]);
  });

  it("leads from the bytes of an event to the status patch through at most 60 files", () => {
    const files = filesIn(sections.get("The way of an event") ?? "");
    expect(files.length).toBeGreaterThan(30);
    expect(files.length).toBeLessThanOrEqual(60);
  });

  it("names only npm scripts that exist", () => {
    const { scripts } = JSON.parse(readFileSync(`${root}package.json`, "utf8"));
    const named = [...page.matchAll(/`npm run ([\w:-]+)`/g)].map(([, script = ""]) => script);
    expect(named.filter((script) => scripts[script] === undefined)).toEqual([]);
  });
});
