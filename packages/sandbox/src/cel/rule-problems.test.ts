import { describe, expect, test } from "vitest";
import type { FieldSchema } from "../schema/field-schema.ts";
import { formatProblem } from "../status/field-problem.ts";
import { celFindings } from "./rule-problems.ts";

const schema: FieldSchema = {
  type: "object",
  "x-kubernetes-validations": [{ rule: "self.metadata.name.startsWith('g')" }],
  properties: {
    spec: {
      type: "object",
      "x-kubernetes-validations": [
        { rule: "!has(self.n) || self.n >= oldSelf.n", message: "n may not shrink" },
        { rule: "!has(self.l) || self.l[5] == 'x'" },
        { rule: "!has(self.ios) || self.ios > 1" },
      ],
      properties: {
        n: { type: "integer", "x-kubernetes-validations": [{ rule: "self != 13" }] },
        l: { type: "array", items: { type: "string" } },
        ios: { "x-kubernetes-int-or-string": true },
        s: {
          type: "array",
          "x-kubernetes-list-type": "set",
          items: { type: "string" },
          "x-kubernetes-validations": [{ rule: "self == oldSelf", message: "set changed" }],
        },
      },
    },
  },
};

const object = (name: string, spec: object): object => ({
  apiVersion: "e.x/v1",
  kind: "G",
  metadata: { name },
  spec,
});

function problemsOf(value: object, old?: object): readonly string[] {
  return celFindings(value, old, schema).problems.map(formatProblem);
}

describe("rules in CEL", () => {
  test("a rule that is not met is reported at its value, which is not printed for objects", () => {
    expect(problemsOf(object("x", { n: 13 }))).toEqual([
      "<nil>: Invalid value: failed rule: self.metadata.name.startsWith('g')",
      "spec.n: Invalid value: 13: failed rule: self != 13",
    ]);
  });

  test("errors of evaluation have the messages of the real server", () => {
    expect(problemsOf(object("g", { l: [] }))).toEqual([
      "spec: Invalid value: \"object\": index out of bounds: 5 evaluating rule: !has(self.l) || self.l[5] == 'x'",
    ]);
    expect(problemsOf(object("g", { ios: "text" }))).toEqual([
      "spec: Invalid value: \"object\": 'no such overload': call arguments did not match a supported operator, function or macro signature for rule: !has(self.ios) || self.ios > 1",
    ]);
  });

  test("transition rules compare with the state before, sets whatever their order", () => {
    const old = object("g", { n: 5, s: ["a", "b"] });
    expect(problemsOf(object("g", { n: 4, s: ["b", "a"] }), old)).toEqual([
      "spec: Invalid value: n may not shrink",
    ]);
    expect(problemsOf(object("g", { n: 5, s: ["b"] }), old)).toEqual(["spec.s: Invalid value: set changed"]);
  });

  test("null is as good as nothing", () => {
    expect(problemsOf(object("g", { n: null, l: null, s: null }), object("g", { n: 5, s: ["a"] }))).toEqual(
      [],
    );
  });

  test("a value that did not change is let pass with a warning", () => {
    const old = object("g", { n: 13 });
    expect(celFindings(object("g", { n: 13, s: [] }), old, schema)).toMatchObject({
      problems: [],
      warnings: ["spec.n: Invalid value: 13: failed rule: self != 13"],
    });
  });

  test("an expression cannot hang the server", () => {
    const bomb: FieldSchema = {
      type: "object",
      properties: { l: { type: "array", items: { type: "string" } } },
      "x-kubernetes-validations": [{ rule: "self.l.all(a, self.l.all(b, self.l.all(c, a+b+c != 'x')))" }],
    };
    const l = Array.from({ length: 300 }, (_, index) => `x${index}`);
    const [problem] = celFindings({ l }, undefined, bomb).problems;
    expect(problem?.detail).toMatch(/^'operation cancelled: actual cost limit exceeded'/);
  });
});
