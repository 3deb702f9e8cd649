import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { NotYamlError, parseYaml, yamlText } from "./yaml-text.ts";

describe("the text of YAML documents", () => {
  it("L19: has sorted fields, whatever the order in which they were set", () => {
    const text = "a:\n  k: 1\n  l:\n    - c: 3\n      d: 4\nb: 2\n";
    expect(yamlText({ b: 2, a: { l: [{ d: 4, c: 3 }], k: 1 } })).toBe(text);
    expect(yamlText({ a: { k: 1, l: [{ c: 3, d: 4 }] }, b: 2 })).toBe(text);
  });

  it("separates documents", () => {
    const text = yamlText({ kind: "A" }, { kind: "B" });
    expect(text).toBe("kind: A\n---\nkind: B\n");
    expect(parseAllDocuments(text).map((document) => document.toJS())).toEqual([
      { kind: "A" },
      { kind: "B" },
    ]);
  });

  it("writes what occurs twice twice, and leaves out what is undefined", () => {
    const list = ["x"];
    expect(yamlText({ a: list, b: list, c: undefined })).toBe("a:\n  - x\nb:\n  - x\n");
  });

  it.each([
    "yes",
    "no",
    "on",
    "off",
    "y",
    "0600",
    "1e3",
    "12:30",
    "1_000",
    "~",
    "null",
    "2026-11-18",
    "0x1f",
  ])("quotes %s, which a reader of YAML 1.1 would not take for a text", (text) => {
    expect(yamlText({ text })).toBe(`text: "${text}"\n`);
  });

  it("L16: means the same for readers of YAML 1.1 and 1.2, whatever the texts are", () => {
    // By way of JSON, which has no negative zero.
    const document = fc
      .dictionary(fc.string(), fc.jsonValue({ noUnicodeString: false, maxDepth: 3 }))
      .map((value): object => JSON.parse(JSON.stringify(value)));
    fc.assert(
      fc.property(document, (value) => {
        const text = yamlText(value);
        expect(parse(text)).toEqual(value);
        expect(parse(text, { version: "1.1" })).toEqual(value);
      }),
      { numRuns: 300 },
    );
  });
});

describe("reading YAML", () => {
  it("takes scalars for what they are, or for texts", () => {
    const text = "a: 4e10\nb: true\nc: [1, 0600]\n";
    expect(parseYaml(text, "a file", "typed")).toEqual({ a: 4e10, b: true, c: [1, 384] });
    expect(parseYaml(text, "a file", "texts")).toEqual({ a: "4e10", b: "true", c: ["1", "0600"] });
  });

  it("reads the first document", () => {
    expect(parseYaml("a: b\n---\nc: d\n", "a file", "texts")).toEqual({ a: "b" });
  });

  it.each(["a: [hunter2", "a: hunter2\n  b: c", "a: *hunter2", "\thunter2: a"])(
    "says what is wrong with %o, and quotes nothing of it",
    (text) => {
      const read = (): unknown => parseYaml(text, "a file", "texts");
      expect(read).toThrow(NotYamlError);
      expect(read).toThrow(/^read a file: it (is not YAML: [a-z ]+|refers to an anchor .*)$/);
      expect(read).not.toThrow(/hunter2/);
    },
  );
});
