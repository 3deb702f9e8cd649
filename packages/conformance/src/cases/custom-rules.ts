import type { CaseGroup, ConformanceCase } from "../conformance-case.ts";
import { widget, widgets } from "./custom-kinds.ts";
import { widgetCase } from "./custom-objects.ts";
import type { Fields } from "./manifests.ts";

const string: Fields = { type: "string", maxLength: 50 };
const integer: Fields = { type: "integer" };

interface RuleCase {
  /** Of `spec.value`. */
  readonly schema: Fields;
  readonly rules: readonly Fields[];
  readonly tried: readonly unknown[];
}

const rules: Readonly<Record<string, RuleCase>> = {
  "a rule on a number": { schema: integer, rules: [{ rule: "self > 3" }], tried: [4, 3] },
  "a rule with a message": {
    schema: integer,
    rules: [{ rule: "self > 3", message: "must be more" }],
    tried: [3],
  },
  "a rule with a computed message": {
    schema: string,
    rules: [{ rule: "self == 'a'", messageExpression: "'not a: ' + self" }],
    tried: ["b"],
  },
  "a rule with a reason and a field": {
    schema: { type: "object", properties: { a: string } },
    rules: [{ rule: "has(self.a)", reason: "FieldValueRequired", fieldPath: ".a", message: "a is missing" }],
    tried: [{}, { a: "x" }],
  },
  "a rule that forbids": {
    schema: string,
    rules: [{ rule: "self == 'a'", reason: "FieldValueForbidden" }],
    tried: ["b"],
  },
  "several rules": {
    schema: integer,
    rules: [{ rule: "self > 3" }, { rule: "self % 2 == 0" }],
    tried: [1, 4],
  },
  "rules on strings": {
    schema: string,
    rules: [{ rule: "self.startsWith('a') && self.matches('^[a-z]+$') && self.size() < 5" }],
    tried: ["abc", "b", "a1", "abcdef"],
  },
  "rules with patterns in the syntax of Go": {
    schema: string,
    rules: [{ rule: "self.matches('^(?i:a)[[:alpha:]]$')" }, { rule: "!self.matches('^(a+)+b$')" }],
    tried: ["Ab", "b1", "a".repeat(45)],
  },
  "rules on fields of an object": {
    schema: { type: "object", properties: { min: integer, max: integer } },
    rules: [{ rule: "!has(self.min) || !has(self.max) || self.min <= self.max" }],
    tried: [{ min: 1, max: 2 }, { min: 3, max: 2 }, {}],
  },
  "rules on lists": {
    schema: { type: "array", maxItems: 5, items: string },
    rules: [{ rule: "self.all(x, x != 'bad')" }, { rule: "self.exists_one(x, x == 'main')" }],
    tried: [["main"], ["main", "bad"], [], ["main", "main"]],
  },
  "rules on maps": {
    schema: { type: "object", maxProperties: 5, additionalProperties: string },
    rules: [{ rule: "self.all(k, k.startsWith('x') && self[k] != '')" }],
    tried: [{ xa: "1" }, { a: "1" }],
  },
  "a rule that fails while it runs": {
    schema: { type: "array", maxItems: 5, items: integer },
    rules: [{ rule: "self[5] > 1" }],
    tried: [[1]],
  },
  "rules on integers or strings": {
    schema: { "x-kubernetes-int-or-string": true },
    rules: [{ rule: "type(self) == int ? self < 10 : self.endsWith('%')" }],
    tried: [5, 50, "50%", "x"],
  },
  "rules on durations": {
    schema: { type: "string", format: "duration", maxLength: 20 },
    rules: [{ rule: "self > duration('1m')" }],
    tried: ["2m", "30s"],
  },
};

function ruleCase([name, { schema, rules: given, tried }]: readonly [string, RuleCase]): ConformanceCase {
  const value = { ...schema, "x-kubernetes-validations": given };
  return widgetCase(name, { spec: { value } }, async (stage) => {
    for (const [index, attempt] of tried.entries()) {
      await stage.create(
        widgets(stage, "?dryRun=All"),
        widget(stage, `w${index}`, { spec: { value: attempt } }),
      );
    }
  });
}

export const customRuleCases: CaseGroup = {
  title: "rules of custom objects",
  cases: [
    ...Object.entries(rules).map(ruleCase),
    widgetCase(
      "a rule that compares with the past is kept at updates",
      {
        spec: {
          fixed: {
            ...string,
            "x-kubernetes-validations": [{ rule: "self == oldSelf", message: "never changes" }],
          },
        },
      },
      async (stage) => {
        await stage.create(widgets(stage), widget(stage, "a", { spec: { fixed: "x" } }));
        await stage.patch(widgets(stage, "/a"), { spec: { fixed: "y" } });
        await stage.patch(widgets(stage, "/a"), { metadata: { labels: { a: "b" } } });
        await stage.patch(widgets(stage, "/a"), { spec: { fixed: null } });
      },
    ),
    widgetCase(
      "a rule that compares with a past that may be missing",
      {
        spec: {
          once: {
            ...string,
            "x-kubernetes-validations": [
              { rule: "!oldSelf.hasValue() || self == oldSelf.value()", optionalOldSelf: true },
            ],
          },
        },
      },
      async (stage) => {
        await stage.create(widgets(stage), widget(stage, "a", { spec: { once: "x" } }));
        await stage.patch(widgets(stage, "/a"), { spec: { once: "y" } });
      },
    ),
    widgetCase(
      "a rule on the whole object sees its name",
      {
        schema: {
          type: "object",
          "x-kubernetes-validations": [{ rule: "self.metadata.name.startsWith('w') && self.spec.size < 5" }],
          properties: { spec: { type: "object", properties: { size: integer } } },
        },
      },
      async (stage) => {
        await stage.create(widgets(stage), widget(stage, "wide", { spec: { size: 1 } }));
        await stage.create(widgets(stage), widget(stage, "narrow", { spec: { size: 1 } }));
        await stage.create(widgets(stage), widget(stage, "wider", { spec: { size: 9 } }));
        await stage.create(widgets(stage), widget(stage, "widest", {}));
      },
    ),
    widgetCase(
      "an update that changes nothing that is wrong passes",
      { spec: { a: string, value: { ...integer, "x-kubernetes-validations": [{ rule: "self > 3" }] } } },
      async (stage) => {
        await stage.create(widgets(stage), widget(stage, "a", { spec: { a: "x", value: 4 } }));
        await stage.patch(widgets(stage, "/a"), { spec: { a: "y" } });
        await stage.patch(widgets(stage, "/a"), { spec: { value: 1 } });
        await stage.apply(
          widgets(stage, "/a?fieldManager=ann&force=true"),
          widget(stage, "a", { spec: { value: 2 } }),
        );
      },
    ),
  ],
};
