import { expect, test } from "vitest";
import { parseYaml, yamlWarnings } from "./parse-yaml.ts";

test.each([
  ["metadata: {name: a\n", "line 1: did not find expected ',' or '}'"],
  ["metadata: {name: a", "line 1: did not find expected ',' or '}'"],
  ["metadata: {name: a\n\n\n", "line 3: did not find expected ',' or '}'"],
  ["metadata:\n  name: a\ndata: {a: b\nx: y\n", "line 3: did not find expected ',' or '}'"],
  ["metadata:\n  name: a\ndata: [a, b\nx: y\n", "line 3: did not find expected ',' or ']'"],
  ["[a\n", "line 1: did not find expected ',' or ']'"],
  ["{", "line 1: did not find expected node content"],
  ["a:\n  b: {c: ", "line 2: did not find expected node content"],
  ["a: [b,\n", "line 1: did not find expected node content"],
  ["a\n  b: c", "line 2: mapping values are not allowed in this context"],
  ["a: b: c", "mapping values are not allowed in this context"],
  ["x: 1\na: b: c", "line 2: mapping values are not allowed in this context"],
  ["\tmetadata: x", "found character that cannot start any token"],
  ["metadata:\n\tname: x", "line 2: found character that cannot start any token"],
  ["metadata:\n  name: x\n\tfoo: y", "line 3: found a tab character that violates indentation"],
  ['metadata: "a', "found unexpected end of stream"],
  ['metadata:\n  name: "a\n', "line 3: found unexpected end of stream"],
  ["metadata:\n  name: a\n foo: b\n", "line 2: did not find expected key"],
  ["a: |\n  x\n b\n", "line 2: did not find expected key"],
  ["metadata: {name: a}}\n", "did not find expected key"],
  ["- a\nb: c\n", "line 1: did not find expected '-' indicator"],
  ["metadata: {name: a}\nfoo\n", "line 3: could not find expected ':'"],
  ["metadata: {name: a}\nfoo\nbar: x\n", "line 3: could not find expected ':'"],
  ["a: @b\n", "found character that cannot start any token"],
  ["a: *b\n", "unknown anchor 'b' referenced"],
])("%j is refused: %s", (text, problem) => {
  expect(() => parseYaml(text)).toThrow(expect.objectContaining({ message: `yaml: ${problem}` }));
});

test("the first of several documents is parsed, whatever follows", () => {
  expect(parseYaml("a: 1\n---\n\tb: [\n").value).toEqual({ a: 1 });
  expect(parseYaml("").value).toBeNull();
});

test("dates and times are text", () => {
  expect(parseYaml("a: 2020-01-02\nb: 12:30:45\nc: 10\nd: 1.5\ne: yes\n").value).toEqual({
    a: "2020-01-02",
    b: "12:30:45",
    c: 10,
    d: 1.5,
    e: true,
  });
});

test("duplicate keys of a map are reported to strict callers", () => {
  const { value, strictProblem = "" } = parseYaml("data:\n  a: b\n  a: c\ndata: {}\n");
  expect(value).toEqual({ data: {} });
  const lines = ['line 3: key "a" already set in map', 'line 4: key "data" already set in map'];
  expect(strictProblem).toBe(["yaml: unmarshal errors:", ...lines].join("\n  "));
  expect(yamlWarnings(strictProblem)).toEqual(lines);
  expect(yamlWarnings('unknown field "a"')).toEqual(['unknown field "a"']);
});
