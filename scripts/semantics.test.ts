import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../", import.meta.url));
const page = "docs/semantics.md";
const sources = globSync(
  [
    "*.md",
    "docs/*.md",
    "{packages,operators}/*/*.md",
    "{packages,operators,scripts,bench,examples}/**/*.{ts,md}",
  ],
  { cwd: root, exclude: (name) => /(^|\/)(node_modules|dist)(\/|$)/.test(name) },
).filter((file) => file !== page);

const read = (file: string): string => readFileSync(`${root}${file}`, "utf8");

const [statements = "", exceptions = ""] = read(page).split("## Not decided by a test");
const defined = [...statements.matchAll(/^- \*\*((?:law |[A-Z]+)\d+)\*\* /gm)].map(([, id = ""]) => id);
const excepted = [...exceptions.matchAll(/^\| ((?:law |[A-Z]+)\d+) \| \S/gm)].map(([, id = ""]) => id);

/** The ids of the page begin with one of these; other words with digits, such as KEP-5504, are not ids. */
const groups = new Set(defined.map((id) => id.replace(/\d+$/, "")));
const statementIds = new RegExp(`\\b(?:${[...groups].join("|")})\\d+\\b`, "g");
/** `[RF17]`, `[RW1, RW3]`, `[EVR1–EVR3]`: the letters alone decide, so that a group without a definition is found. */
const bracketed = /\[([A-Z]{2,3}\d+(?:(?:, |–)[A-Z]{2,3}\d+)*)\]/g;

function idsOf(text: string): string[] {
  const inBrackets = [...text.matchAll(bracketed)].flatMap(([, list = ""]) => list.split(/, |–/));
  return [...inBrackets, ...(text.match(statementIds) ?? [])];
}

/** The titles of tests are the string literals that carry an id in brackets, or name a law. */
const decided = new Set(
  sources
    .filter((file) => file.endsWith(".test.ts"))
    .flatMap(
      (file) => read(file).match(/(["`])(?:(?!\1)[^\n])*(?:\[[A-Z]{2,3}\d+|law \d)(?:(?!\1)[^\n])*\1/g) ?? [],
    )
    .flatMap(idsOf),
);

describe("docs/semantics.md", () => {
  it("defines each id once", () => {
    expect(defined.filter((id, index) => defined.indexOf(id) !== index)).toEqual([]);
    expect(defined.length).toBeGreaterThan(100);
  });

  it("defines every id that the repository uses", () => {
    const unknown = sources.flatMap((file) =>
      [...new Set(idsOf(read(file)))].filter((id) => !defined.includes(id)).map((id) => `${file}: ${id}`),
    );
    expect(unknown).toEqual([]);
  });

  it("has only statements that a test title names, and those it excepts with a reason", () => {
    expect(defined.filter((id) => !decided.has(id) && !excepted.includes(id))).toEqual([]);
  });

  it("excepts only statements that no test title names", () => {
    expect(excepted.filter((id) => decided.has(id) || !defined.includes(id))).toEqual([]);
  });
});
