import { mkdir, symlink } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { type WrittenFiles, writtenFiles } from "../../test/support/written-files.ts";
import { IncludingFiles, mergeValues } from "./yaml-include.ts";

interface Outcome {
  /** The content of `main.yaml`, with all that it includes. */
  readonly content: unknown;
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
}

/** Paths in messages are those in the folder. */
async function read(folder: WrittenFiles, name = "main.yaml"): Promise<Outcome> {
  const files = new IncludingFiles();
  const main = await files.read(folder.path(name));
  const content = main === undefined ? undefined : await files.resolved(main.content, main, main.path);
  const inFolder = (line: string): string => line.replaceAll(`${folder.path("")}/`, "");
  return { content, problems: files.problems.map(inFolder), warnings: files.warnings.map(inFolder) };
}

async function readAll(files: Readonly<Record<string, string>>): Promise<Outcome> {
  await using folder = await writtenFiles(files);
  return await read(folder);
}

describe("a YAML file that includes others", () => {
  it("is what they hold, merged in the order of their paths", async () => {
    const { content, problems, warnings } = await readAll({
      "main.yaml": '!include "z.yaml, conf.d/*.yaml, !conf.d/2-old.yaml"\n',
      "z.yaml": "a: z\nmap: {z: z, both: z}\nlist: [1]\n",
      "conf.d/1.yaml": "a: 1\nmap: {one: 1, both: 1}\nlist: [2]\n",
      "conf.d/2-old.yaml": "a: old\n",
      "conf.d/3.yaml": "a: 3\nmap:\n  three: 3\n",
      "conf.d/4.yaml": "# nothing\n",
      "conf.d/.hidden.yaml": "a: hidden\n",
      "conf.d/deep/5.yaml": "a: 5\n",
    });
    expect({ problems, warnings }).toEqual({ problems: [], warnings: [] });
    expect(content).toEqual({ a: "z", map: { z: "z", both: "z", one: 1, three: 3 }, list: [1] });
  });

  it("may include them anywhere, and they further ones, by paths that start at each", async () => {
    const { content } = await readAll({
      "main.yaml": "a:\n  b: !include one/b.yaml\nlist:\n  - !include one/two/c.yaml\n",
      "one/b.yaml": "c: !include 'two/*.yaml'\n",
      "one/two/c.yaml": "deep: true\n",
    });
    expect(content).toEqual({ a: { b: { c: { deep: true } } }, list: [{ deep: true }] });
  });

  it("reads files that a volume mounts as links, each once", async () => {
    await using folder = await writtenFiles({
      "main.yaml": '!include "*.yml, a.yml"\n',
      "..data/a.yml": "n: 1\n",
    });
    await symlink("..data/a.yml", folder.path("a.yml"));
    await symlink("nowhere.yml", folder.path("b.yml"));
    expect(await read(folder)).toEqual({ content: { n: 1 }, problems: [], warnings: [] });
  });

  it("warns of a file that does not exist, unless a pattern names it", async () => {
    const { content, warnings } = await readAll({
      "main.yaml": 'a: 1\nb: !include "gone.yaml, gone-*.yaml, !neither.yaml"\n',
    });
    expect(content).toEqual({ a: 1, b: undefined });
    expect(warnings).toEqual(["main.yaml: includes gone.yaml, which does not exist"]);
  });

  it("is refused if files include each other", async () => {
    const { problems } = await readAll({
      "main.yaml": "a: !include one.yaml\n",
      "one.yaml": "b: !include sub/two.yaml\n",
      "sub/two.yaml": "c: !include ../*.yaml\n",
    });
    expect(problems).toEqual([
      "sub/two.yaml: includes main.yaml, which includes it in turn; remove one of both",
      "sub/two.yaml: includes one.yaml, which includes it in turn; remove one of both",
    ]);
  });

  it("is refused if it includes too much, or what is no YAML file", async () => {
    const many = Array.from({ length: 101 }, (_, index): [string, string] => [
      `many/${index}.yaml`,
      "a: 1\n",
    ]);
    await using folder = await writtenFiles({
      "many.yaml": "!include many/*.yaml\n",
      ...Object.fromEntries(many),
      "main.yaml": '!include "settings.toml, large.yaml, folder, /dev/null"\n',
      "settings.toml": "a = 1\n",
      "large.yaml": `a: ${"x".repeat(1_048_576)}\n`,
    });
    await mkdir(folder.path("folder"));
    expect((await read(folder, "many.yaml")).problems).toEqual([
      expect.stringMatching(/^many\/\d+\.yaml: more than 100 files are included; include fewer$/),
    ]);
    expect((await read(folder)).problems.toSorted()).toEqual([
      "/dev/null: is not a file; name one",
      "folder: is not a file; name one",
      "large.yaml: is larger than 1048576 bytes; divide it",
      "settings.toml: is TOML, which is not read; write the same as YAML",
    ]);
  });

  it("is read as YAML 1.1, apart from times", async () => {
    const { content } = await readAll({
      "main.yaml": [
        "anchor: &a {off: Off, n: y, on: [yes, No, 010, 2024-01-01]}",
        "merged:\n  <<: *a\n  more: 1",
        "none: ~",
      ].join("\n"),
    });
    const anchor = { false: false, n: "y", true: [true, false, 8, "2024-01-01"] };
    expect(content).toEqual({ anchor, merged: { ...anchor, more: 1 }, none: null });
  });

  it("names the line of what is wrong", async () => {
    const { problems } = await readAll({
      "main.yaml": "a: !include one.yaml\nb: !include two.yaml\nc: !include three.yaml\nd: !other x\n",
      "one.yaml": "a: 1\na: 2\n",
      "two.yaml": "a: 1\n---\nb: 1\n",
      "three.yaml": `${Array.from({ length: 12 }, (_, index) => `a${index}: &a${index} [${index === 0 ? "x" : `*a${index - 1}, *a${index - 1}, *a${index - 1}`}]`).join("\n")}\n`,
    });
    expect(problems).toEqual([
      expect.stringMatching(/^main\.yaml:4: Unresolved tag: !other.*; correct it$/),
      "one.yaml:2: is not YAML: Map keys must be unique; correct it",
      "two.yaml:2: a second document begins here; a file holds one",
      expect.stringMatching(/^three\.yaml: cannot be read: Excessive alias count/),
    ]);
  });
});

describe("merging", () => {
  it("goes into maps alone, and nothing replaces nothing", () => {
    const first = { a: [1], b: { c: 1, d: 1 }, e: { f: 1 }, g: 1 };
    const second = { a: [2], b: { c: 2 }, e: 3, g: null, h: null };
    expect(mergeValues(first, second)).toEqual({ a: [2], b: { c: 2, d: 1 }, e: 3, g: 1, h: null });
    expect(first.b).toEqual({ c: 1, d: 1 });
  });

  it("leaves prototypes alone", () => {
    const hostile: unknown = JSON.parse('{"__proto__": {"polluted": true}}');
    const merged = mergeValues(mergeValues({ a: 1 }, hostile), hostile);
    expect(Object.keys(Object(merged))).toEqual(["a", "__proto__"]);
    expect("polluted" in {}).toBe(false);
  });
});
