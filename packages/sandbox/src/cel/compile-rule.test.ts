import { describe, expect, test } from "vitest";
import type { FieldSchema } from "../schema/field-schema.ts";
import { celValue } from "./cel-value.ts";
import { type CompiledRule, compileRule, isProblem, ruleEnvironment } from "./compile-rule.ts";
import { shapeOf } from "./cost/value-shape.ts";

const text: FieldSchema = { type: "string", maxLength: 20 };
const part: FieldSchema = { type: "object", properties: { name: text, size: { type: "integer" } } };
const schema: FieldSchema = {
  type: "object",
  properties: {
    name: text,
    free: { type: "string" },
    count: { type: "integer" },
    ratio: { type: "number" },
    port: { "x-kubernetes-int-or-string": true },
    note: { type: "string", nullable: true },
    parts: { type: "array", maxItems: 5, items: part },
    labels: { type: "object", maxProperties: 5, additionalProperties: text },
    for: text,
    since: { type: "string", format: "date-time" },
    timeout: { type: "string", format: "duration" },
  },
};
const value = {
  name: "web",
  free: "x",
  count: 3,
  ratio: 1.5,
  port: "80",
  parts: [{ name: "a", size: 1 }, { name: "b" }],
  labels: { app: "web", tier: "front" },
  for: "now",
  since: "2024-02-29T12:30:45.123456789Z",
  timeout: "90s",
};

function compiled(rule: string): CompiledRule {
  const environment = ruleEnvironment(schema, false);
  const result = environment && compileRule(rule, environment);
  if (result === undefined || isProblem(result)) throw new Error(result?.problem ?? "no type");
  return result;
}

function resultOf(rule: string): unknown {
  const evaluated = compiled(rule).evaluate({ self: celValue(value, schema), oldSelf: null });
  return evaluated.problem ?? evaluated.value;
}

function problemOf(rule: string): string {
  const environment = ruleEnvironment(schema, false);
  const result = environment && compileRule(rule, environment);
  return result !== undefined && isProblem(result) ? result.problem : "";
}

describe("an expression", () => {
  test.each([
    "self.parts[0] != self.parts[1] && self.parts[0] == self.parts[0]",
    "has(self.parts[0].size) && !has(self.parts[1].size) && !has(self.labels.none)",
    "self.parts.all(p, !has(p.size) || p.size == 1) && self.parts.exists(p, p.size == 1)",
    "self.parts.map(p, p.name) == ['a', 'b'] && self.parts.filter(p, has(p.size)).size() == 1",
    "self.labels.transformMap(k, v, v.size()) == {'app': 3, 'tier': 5}",
    "self.parts.transformList(i, p, i > 0, p.name) == ['b'] && self.labels.all(k, v, k != v)",
    "self.parts.sortBy(p, p.name)[0].name == 'a' && lists.range(3).sum() == 3",
    "self.?note.orValue('none') == 'none' && self.parts[?5].hasValue() == false",
    "self.?name.optMap(n, n + '!').value() == 'web!' && [?self.?note, ?self.?name] == ['web']",
    "type(self.port) == string && (type(self.port) == int ? self.port > 1 : int(self.port) == 80)",
    "self.for == 'now' && self.__for__ == 'now'",
    "dyn(self.count) == 3.0 && self.count < 4u && self.ratio > self.count - 2",
    "self.since.getFullYear() == 2024 && self.since.getHours('Europe/Berlin') == 13",
    "string(self.since) == '2024-02-29T12:30:45.123456789Z' && self.timeout == duration('1m30s')",
    "'%s: %d, %.1f, %s'.format([self.name, self.count, 1234.56, [1]]) == 'web: 3, 1,234.6, [1]'",
    "'a\\u00e9b'.size() == 3 && 'a\\u00e9b'.substring(1, 2) == '\\u00e9' && r'\\d' == '\\\\d'",
    "b'\\xff\\101' == b'\\xffA' && size(bytes('\\u00e9')) == 2",
    "format.dns1123Label().validate(self.name) == optional.none()",
    "[1, 2].sum() == 3 && [[1], [2]].flatten() == [1, 2] && [1, 1].distinct().reverse() == [1]",
    "{1: 'a'}[dyn(1u)] == 'a' && {'a': 1, 'b': 2}.exists(k, k == 'b') && 'app' in self.labels",
    "self.labels['none'] == 'x' || true",
    "false && self.parts[9].name == 'x' ? false : true",
  ])("%s holds", (rule) => {
    expect(resultOf(rule)).toBe(true);
  });

  test.each([
    ["self.parts[9].name == 'x'", "index out of bounds: 9"],
    ["self.labels.none == 'x'", "no such key: none"],
    ["self.count / (self.count - 3) == 1", "division by zero"],
    ["self.count + 9223372036854775807 > 0", "integer overflow"],
    ["self.port > 1", "no such overload"],
    ["optional.none().value() == 1", "optional.none() dereference"],
    ["int(self.name) == 1", "type conversion error from 'string' to 'int'"],
    ["self.parts[9].name == 'x' || self.labels.none == 'x'", "index out of bounds: 9"],
  ])("%s gives no value: %s", (rule, problem) => {
    expect(resultOf(rule)).toBe(problem);
  });

  test.each([
    ["self.name == 1", 10, "found no matching overload for '_==_' applied to '(string, int)'"],
    ["self.note == null", 10, "found no matching overload for '_==_' applied to '(string, null)'"],
    ["self.none == 1", 4, "undefined field 'none'"],
    ["self.name.first == 1", 9, "type 'string' does not support field selection"],
    ["cel.bind(x, 1, x == 1)", 0, "undeclared reference to 'cel' (in container '')"],
    ["self.name.reverse() == ''", 17, "found no matching overload for 'reverse' applied to 'string.()'"],
    [
      "self.labels.sum() == 1",
      15,
      "found no matching overload for 'sum' applied to 'map(string, string).()'",
    ],
    ["[1, 'a'].size() == 2", 4, "expected type 'int' but found 'string'"],
    ["self.name && true", 4, "expected type 'bool' but found 'string'"],
    ["self.name.matches('(')", 18, "invalid matches argument"],
    ["duration('1d') == self.timeout", 9, "invalid duration argument"],
    [
      "'%d'.format(['a']) == ''",
      13,
      "error during formatting: decimal clause can only be used on integers, was given string",
    ],
    ["self.name == 'a", 13, "Syntax error: token recognition error at: ''a'"],
    ["(self.name == 'a'", 17, "Syntax error: missing ')' at '<EOF>'"],
    ["for == 1", 0, "reserved identifier: for"],
  ])("%s is refused at its place", (rule, column, problem) => {
    expect(problemOf(rule)).toContain(
      `compilation failed: ERROR: <input>:1:${column + 1}: ${problem}\n | ${rule}\n | ${".".repeat(column)}^`,
    );
  });

  test("what is wrong is reported all at once, in the order of the text", () => {
    const lines = problemOf("self.a == 1 && self.b == 2").split("\n");
    expect(lines.filter((line) => line.includes("ERROR"))).toEqual([
      "compilation failed: ERROR: <input>:1:5: undefined field 'a'",
      "ERROR: <input>:1:20: undefined field 'b'",
    ]);
  });

  test.each(["int('x') == 1", "self.name.find('(') == ''", "string(b'\\xff') == ''"])(
    "%s cannot be made ready to run",
    (rule) => {
      expect(problemOf(rule)).toMatch(/^program instantiation failed: /);
    },
  );

  test.each([
    ["self.name == 'a'", 3],
    ["self.parts.all(p, p.name != '')", 28],
    ["self.free.contains(self.free)", 98_956_172_333],
    ["self.parts.map(p, p.name).join(',') == ''", 2 ** 64 / 10],
  ])("%s may cost as much as the real server estimates", (rule, cost) => {
    const shape = shapeOf(schema, false);
    expect(Number(shape && compiled(rule).mostCost(shape)) / cost).toBeCloseTo(1, 12);
  });

  test("a chain of macros that use their target twice is no burden", () => {
    const chain = "self.?name".concat(".optMap(x, x)".repeat(200), ".hasValue()");
    const rule = compiled(chain);
    const shape = shapeOf(schema, false);
    expect(shape && rule.mostCost(shape)).toBeGreaterThan(1e12);
    const { problem } = rule.evaluate({ self: celValue(value, schema), oldSelf: null });
    expect(problem).toBe("operation cancelled: actual cost limit exceeded");
  });

  test.each([
    `${"(".repeat(3000)}true${")".repeat(3000)}`,
    Array.from({ length: 3000 }, () => "self.count")
      .join(" + ")
      .concat(" > 0"),
    "dyn(self)".concat(".x".repeat(3000), " == 1"),
    "self.name".concat(".trim()".repeat(3000), " == ''"),
  ])("an expression that is too deep is refused", (rule) => {
    expect(problemOf(rule)).toMatch(/recursion (limit|depth) exceeded/);
  });

  test("conditions may be many", () => {
    expect(resultOf(Array.from({ length: 3000 }, () => "self.count > 0").join(" && "))).toBe(true);
  });

  test("costs what the real server charges for it", () => {
    const { cost } = compiled("self.parts.all(p, p.name != '')").evaluate({
      self: celValue(value, schema),
      oldSelf: null,
    });
    expect(cost).toBe(13);
  });
});
