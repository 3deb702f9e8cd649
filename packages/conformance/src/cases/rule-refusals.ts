import { type ConformanceCase, conforms } from "../conformance-case.ts";
import { definitionOf } from "./custom-kinds.ts";
import { specWith } from "./rule-schema.ts";

/** The rules stand in one definition, so that one response tells what is wrong with each of them. */
function refused(name: string, rules: readonly string[]): ConformanceCase {
  return conforms(name, async (stage) => {
    const definition = definitionOf(stage, { schema: specWith(rules.map((rule) => ({ rule }))) });
    await stage.create("/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All", definition);
  });
}

/** Definitions whose rules are refused. */
export const ruleRefusals: readonly ConformanceCase[] = [
  refused("operands of types that do not fit are refused", [
    "self.name == 1",
    "self.note == null",
    "self.part == self.labels",
    "self.part == self.twin",
    "self.byName['one'] == self.parts[0]",
    "self.parts[0] == self.names[0]",
    "self.count + self.ratio > 1.0",
    "self.count == 3.0",
    "self.name && self.count",
    "!self.name",
    "-self.name == ''",
    "self.count ? true : false",
    "(self.on ? self.count : self.name) == 1",
    "self.names[self.name] == 'a'",
    "self.labels[1] == 'a'",
    "1 in self.names",
    "self.part['name'] == 'p'",
    "self.name < 1",
    "self.names < self.names",
    "null == self.names",
  ]),
  refused("fields and names that do not exist are refused", [
    "self.none == 1 && self.nothing == 2",
    "has(self.none)",
    "self.name.size == 3",
    "self.parts[0].none == 1",
    "self.byName.one.none == 1",
    "none == 1",
    "self.parts.all(p, p.none == q)",
    "self.dashed-name == 'x'",
    "Widget{name: 'x'} == self",
    "cel.bind(n, self.name, n == 'web')",
  ]),
  refused("functions that a type does not have are refused", [
    "self.name.reverse() == 'bew'",
    "self.name.sum() == 1",
    "self.names.sum() == 1",
    "self.labels.sum() == 1",
    "self.names.flatten() == []",
    "self.labels.flatten() == []",
    "self.part.reverse() == self.part",
    "self.parts.sort() == []",
    "self.parts.isSorted()",
    "self.rows.min() == 1",
    "self.numbers.join(',') == ''",
    "self.numbers.indexOf('a') == 1",
    "self.names.existsOne(n, n == 'a')",
    "self.name.foo()",
    "foo(self.name)",
    "size(self.count) == 1",
    "string(self.names) == ''",
    "self.timeout * 2 == self.timeout",
    "quantity('1') > quantity('2')",
    "isQuantity(1)",
    "sets.contains(self.names, [1])",
    "authorizer.group('').resource('pods').check('get').allowed()",
  ]),
  refused("macros that are not used as they must be are refused", [
    "has(self)",
    "has(self['name'])",
    "self.names.all(1, true)",
    "self.names.all(n.x, true)",
    "self.names.map(1, 2) == []",
    "self.names.filter(n, 1) == []",
    "self.name.all(c, true)",
    "self.part.exists(k, k == 'name')",
    "self.names.all(i, i, true)",
    "self.names.transformMapEntry(i, n, n) == {}",
    "self.?name.optMap(1, 2).hasValue()",
    "self.parts.sortBy(p, p) == []",
    "self.names.all(__result__, true)",
  ]),
  refused("literals that stand for nothing are refused", [
    "[1, 'a'].size() == 2",
    "{'a': 1, 'b': 'c'}.size() == 2",
    "{'a': 1, 2: 1}.size() == 2",
    "self.name.matches('(')",
    "self.name.find('(') == ''",
    "duration('1d') == self.timeout",
    "timestamp('yesterday') == self.since",
    "int('x') == 1",
    "string(b'\\xff') == ''",
    "9223372036854775808 > 1",
    "'%d'.format(['a']) == ''",
    "'%s %s'.format(['a']) == ''",
    "'%s'.format(['a', 'b']) == ''",
    "'%y'.format([1]) == ''",
    "[?self.name] == []",
  ]),
  ...[
    "self.name ==",
    "(self.name == 'a'",
    "self.name == 'a')",
    "self.name == 'a",
    "self.name = 'a'",
    "self.name == 'a\\y'",
    "self..name",
    "self.names[] == 'a'",
    "self.names[0 == 'a'",
    "[1 2].size() == 2",
    "{'a' 1}.size() == 1",
    "1 + + 2 == 3",
    "self.on ? true",
    "if == 1",
    "true false",
    "'ü' == self.none",
  ].map((rule) => refused(`an expression that is none is refused: ${rule}`, [rule])),
  // No more than four at once: of more, the real server names any four.
  ...[
    [
      "self.frees.join(',') == ''",
      "self.frees.map(f, f).join(',') == ''",
      "self.frees.all(f, self.frees.all(g, f == g))",
      "self.frees.distinct().size() == 1",
    ],
    [
      "self.frees.sort() == []",
      "self.frees.exists(f, f.matches('^a.*b$'))",
      "self.free.contains(self.free)",
      "self.free.replace('a', 'bb').split('').all(c, c == 'b')",
    ],
    [
      "lists.range(100000000).all(i, i >= 0)",
      "format.dns1123Label().validate(self.free).hasValue()",
      "sets.equivalent(self.frees, self.frees)",
      "lists.range(self.count).sum() == 3",
    ],
    [
      "self.names.transformList(i, n, n + string(i)) == []",
      "self.?name == optional.of('web')",
      "self.?name.optMap(n, n + '!').value() == 'web!'",
      "self.name.matches('(' + self.free)",
    ],
    ["self.port.all(x, true)"],
  ].map((rules) => refused(`expressions that may cost too much are refused: ${rules[0]}`, rules)),
  conforms("messages that are none are refused", async (stage) => {
    const messages = [
      "self.count",
      "self.none",
      "'a' + self.count",
      "'%d'.format([self.name])",
      "self.free +",
    ];
    const rules = messages.map((messageExpression) => ({ rule: "self.count > 1", messageExpression }));
    await stage.create(
      "/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All",
      definitionOf(stage, { schema: specWith(rules) }),
    );
  }),
];
