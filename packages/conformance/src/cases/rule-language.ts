import { type CaseGroup, type ConformanceCase, conforms } from "../conformance-case.ts";
import { definitionOf, widget, widgets } from "./custom-kinds.ts";
import { widgetCase } from "./custom-objects.ts";
import type { Fields } from "./manifests.ts";

const text: Fields = { type: "string", maxLength: 30 };
const integer: Fields = { type: "integer" };
const part: Fields = {
  type: "object",
  properties: {
    name: text,
    size: integer,
    inner: { type: "object", properties: { flag: { type: "boolean" } } },
  },
};

/** Of `spec`: something of each kind that rules can look at. */
const properties: Fields = {
  name: text,
  free: { type: "string" },
  count: integer,
  ratio: { type: "number" },
  on: { type: "boolean" },
  note: { type: "string", nullable: true, maxLength: 5 },
  port: { "x-kubernetes-int-or-string": true },
  names: { type: "array", maxItems: 10, items: text },
  frees: { type: "array", items: { type: "string" } },
  numbers: { type: "array", maxItems: 10, items: integer },
  rows: { type: "array", maxItems: 3, items: { type: "array", maxItems: 3, items: integer } },
  part,
  twin: part,
  parts: { type: "array", maxItems: 5, items: part },
  labels: { type: "object", maxProperties: 5, additionalProperties: text },
  byName: { type: "object", maxProperties: 5, additionalProperties: part },
  timeout: { type: "string", format: "duration" },
  since: { type: "string", format: "date-time" },
  day: { type: "string", format: "date" },
  data: { type: "string", format: "byte", maxLength: 20 },
  set: { type: "array", maxItems: 5, "x-kubernetes-list-type": "set", items: text },
  for: text,
  "dashed-name": text,
};

const values: Fields = {
  name: "web",
  free: "Grüße 😀",
  count: 3,
  ratio: 1.5,
  on: true,
  port: "80%",
  names: ["b", "a", "c"],
  frees: ["x"],
  numbers: [3, 1, 2],
  rows: [[1, 2], [3]],
  part: { name: "p", size: 1, inner: { flag: true } },
  twin: { name: "p", size: 1, inner: { flag: true } },
  parts: [{ name: "x", size: 1 }, { name: "y" }],
  labels: { app: "web", tier: "front" },
  byName: { one: { name: "1" } },
  timeout: "1h30m",
  since: "2024-02-29T12:30:45.123456Z",
  day: "2024-02-29",
  data: "aGVsbG8=",
  set: ["a", "b"],
  for: "now",
  "dashed-name": "dashed",
};

function specWith(rules: readonly Fields[]): Fields {
  return {
    type: "object",
    properties: { spec: { type: "object", properties, "x-kubernetes-validations": rules } },
  };
}

/** The rules stand in one definition, so that one response tells what is wrong with each of them. */
function refused(name: string, rules: readonly string[]): ConformanceCase {
  return conforms(name, async (stage) => {
    const definition = definitionOf(stage, { schema: specWith(rules.map((rule) => ({ rule }))) });
    await stage.create("/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All", definition);
  });
}

/** The rules are tried on objects: those that do not hold are named in the response, and those that fail. */
function judged(
  name: string,
  rules: readonly (string | Fields)[],
  specs: readonly Fields[] = [values, {}],
): ConformanceCase {
  const schema = specWith(rules.map((rule) => (typeof rule === "string" ? { rule } : rule)));
  return widgetCase(name, { schema }, async (stage) => {
    for (const spec of specs) await stage.create(widgets(stage, "?dryRun=All"), widget(stage, "w", { spec }));
  });
}

const refusals: readonly ConformanceCase[] = [
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

const judgements: readonly ConformanceCase[] = [
  judged("objects are compared", [
    "self.part == self.part && self.parts != []",
    "self.parts[0] == self.parts[1]",
    "self.byName['one'] == self.byName['one']",
    "self.byName['one'] == self.byName['two']",
    "self.parts.exists(p, p == self.parts[1])",
    "self.part == null",
    "self.labels == {'tier': 'front', 'app': 'web'}",
    "self.rows == [[1, 2], [3]]",
    "self.set == ['b', 'a'] && self.set + ['a', 'c'] == ['a', 'b', 'c']",
    "dyn(self.count) == 3.0 && dyn(self.name) != 3",
  ]),
  judged("has() looks behind an index", [
    "has(self.parts[0].size)",
    "has(self.parts[1].size)",
    "has(self.byName['one'].name)",
    "has(self.byName['two'].name)",
    "has(self.byName.one.size)",
    "has(self.labels.app)",
    "has(self.note)",
    "has(self.part.inner.flag) && self.part.inner.flag",
    "self.for == 'now' && self.__for__ == 'now' && self.dashed__dash__name == 'dashed'",
  ]),
  judged("named formats", [
    "format.dns1123Label().validate(self.name) == null",
    "!format.dns1123Label().validate(self.name).hasValue()",
    "format.dns1123Label().validate('A.b').value() == []",
    "format.dns1035Label().validate('1').value()[0] == ''",
    "format.labelValue().validate('-').value() == ['']",
    "format.qualifiedName().validate('/').value() == ['']",
    "!format.dns1123LabelPrefix().validate('a-').hasValue()",
    "format.uuid().validate('x').value() == [''] || format.date().validate('x').value() == ['']",
    "format.named('dns1123Label').hasValue() && !format.named('none').hasValue()",
    "format.named('none').value().validate('a').hasValue()",
  ]),
  judged(
    "functions of lists",
    [
      "lists.range(3) == [0, 1, 2] && lists.range(4).sum() == 3",
      "self.names.sort() == ['a', 'b', 'c'] && self.numbers.sort().reverse() == [3, 2, 1]",
      "self.rows.flatten() == [1, 2, 3] && self.rows.flatten(2) == [1, 2, 3]",
      "self.numbers.slice(0, 2) == [3, 1] && [1, 1, 2].distinct() == [1, 2]",
      "self.numbers.slice(2, 9) == []",
      "self.parts.sortBy(p, p.name)[0].name == 'x'",
      "self.numbers.min() == 1 && self.names.max() == 'c' && self.numbers.isSorted()",
      "[].min() == 1",
      "self.numbers.indexOf(2) == 2 && self.parts.indexOf(self.parts[1]) == 1",
      "self.numbers.first() == optional.of(3) && self.numbers.last().value() == 2",
      "sets.contains(self.names, ['a']) && sets.equivalent(self.names, ['c', 'b', 'a', 'a'])",
      "sets.intersects(self.names, ['z'])",
    ],
    [values],
  ),
  judged("comprehensions of one and of two variables", [
    "self.names.all(n, n < 'c')",
    "self.names.exists_one(n, n == 'a') && self.labels.exists(k, self.labels[k] == 'front')",
    "self.parts.map(p, p.name) == ['x', 'y'] && self.parts.map(p, has(p.size), p.size) == [1]",
    "self.parts.map(p, p.size) == [1]",
    "self.parts.exists(p, p.size == 1)",
    "self.parts.all(p, p.size == 1)",
    "self.names.all(i, n, i < 3 && n != '') && self.labels.all(k, v, k != v)",
    "self.names.transformList(i, n, i > 0, n) == ['a', 'c']",
    "self.labels.transformMap(k, v, v.size()) == {'app': 3, 'tier': 5}",
    "self.labels.transformMapEntry(k, v, {v: k}) == {'web': 'app', 'front': 'tier'}",
    "self.names.transformMapEntry(i, n, {'same': n}).size() == 1",
    "type(self.port) == int || self.port.foo == 1",
  ]),
  judged("optional values", [
    "self.?name.hasValue() && !self.?note.hasValue()",
    "self.?note.orValue('none') == 'none'",
    "self.?part.?inner.?flag.orValue(false)",
    "self.labels[?'none'].orValue('x') == 'x' && !self.names[?9].hasValue()",
    "self.names[?9].value() == 'a'",
    "self.names[?9].or(optional.of('z')).value() == 'z'",
    "self.?count.optMap(n, n + 1).value() == 4",
    "self.?part.optFlatMap(p, p.?inner).value().flag",
    "[?self.?note, ?self.?name] == ['web'] && {?'a': self.?note} == {}",
    "optional.ofNonZeroValue('').hasValue()",
  ]),
  judged("addresses and their ranges", [
    "ip('1.2.3.4').family() == 4 && ip('::1').isLoopback() && string(ip('0:0::1')) == '::1'",
    "ip('1.2.3') == ip('1.2.3.4')",
    "ip('::ffff:1.2.3.4').family() == 6",
    "ip('fe80::1%eth0').family() == 6",
    "ip.isCanonical('0:0::1') || isIP('1.2.3.256')",
    "cidr('10.0.0.0/8').containsIP('10.1.2.3') && cidr('10.1.2.3/8').masked() == cidr('10.0.0.0/8')",
    "cidr('10.0.0.0/8').containsCIDR('10.0.0.0/4')",
    "cidr('10.0.0.0').prefixLength() == 8",
    "cidr('10.0.0.0/33').prefixLength() == 8",
    "isCIDR('10.0.0.0/08')",
  ]),
  judged("URLs, quantities and versions", [
    "url('https://u@a.b:80/x?k=v&k=w').getHostname() == 'a.b' && url('/x').getHost() == ''",
    "url('https://a.b/x?k=v&k=w').getQuery() == {'k': ['v', 'w']}",
    "url('https://a.b/%zz').getHost() == ''",
    "url('x').getHost() == ''",
    "isURL('https://a.b') && !isURL('a.b')",
    "quantity('1Gi') == quantity('1024Mi') && quantity('1').add(2).compareTo(quantity('3')) == 0",
    "quantity('1.5').asInteger() == 1",
    "quantity('x') == quantity('1') || isQuantity('x')",
    "sign(quantity('-1')) == -1 && quantity('1.5').asApproximateFloat() == 1.5",
    "semver('1.2.3-a').isLessThan(semver('1.2.3')) && semver('v1.2', true).minor() == 2",
    "semver('v1.2.3').major() == 1",
    "semver('1.2').major() == 1 || isSemver('1.2')",
  ]),
  judged("times and durations", [
    "self.timeout == duration('90m') && self.timeout.getMinutes() == 90 && string(self.timeout) == '5400s'",
    "self.since.getFullYear() == 2024 && self.since.getDayOfYear() == 59 && self.since.getMilliseconds() == 123",
    "self.since.getHours('Europe/Berlin') == 13 && self.since.getHours('-02:30') == 10",
    "self.since.getHours('Nowhere/At/All') == 13",
    "self.since - timestamp('2024-02-29T12:00:00Z') > duration('31m')",
    "self.day + duration('12h') < self.since && string(self.since) == '2024-02-29T12:30:45.123456Z'",
    "duration(self.name) == self.timeout",
  ]),
  judged("texts and conversions", [
    "self.free.size() == 7 && self.free.charAt(2) == 'ü' && self.free.substring(6) == '😀'",
    "self.free.charAt(9) == ''",
    "self.name.substring(2, 1) == ''",
    "self.name.replace('', '-') == '-w-e-b-' && self.free.indexOf('e') == 4 && 'a,b'.split(',') == ['a', 'b']",
    "self.name.upperAscii() == 'WEB' && ' a '.trim() == 'a' && self.names.join('') == 'bac'",
    '\'%s %d %s %.1f\'.format([self.name, self.count, self.names, 1234.56]) == \'web 3 ["b", "a", "c"] 1,234.6\'',
    '\'%s\'.format([self.labels]) == \'{"app":"web", "tier":"front"}\'',
    "strings.quote(self.name) == '\"web\"' && string(self.data) == 'hello'",
    "self.name.findAll('[a-w]') == ['w', 'e', 'b'] && self.name.find('x') == ''",
    "self.name.matches('(' + self.name)",
    "int(self.name) == 1",
    "string(1.0) == '1' && string(1e21) == '1e+21' && int(-1.9) == -1 && uint(3) == 3u",
    "type(self.port) == string && type(self.names) == list && type(self.since) == google.protobuf.Timestamp",
  ]),
  judged("what fails while it runs", [
    "self.names[9] == 'a'",
    "self.labels.none == 'a'",
    "self.labels['none'] == 'a'",
    "self.count / (self.count - 3) == 1",
    "self.count % (self.count - 3) == 1",
    "self.count + 9223372036854775807 > 0",
    "self.port > 1",
    "self.port.none == 1",
    "int(self.port) == 80",
    "self.names[9] == 'a' || self.labels.none == 'a'",
    "self.names[9] == 'a' || true",
    "false && self.names[9] == 'a'",
    "self.names.exists(n, int(n) == 1)",
  ]),
  judged("messages, reasons and paths", [
    { rule: "self.count > 5", messageExpression: "'%d is not more than %d'.format([self.count, 5])" },
    { rule: "self.count > 6", message: "plain", messageExpression: "self.labels.none" },
    { rule: "self.count > 7", message: "plain", messageExpression: "'two\\nlines'" },
    { rule: "self.count > 8", messageExpression: "''" },
    { rule: "self.count > 9", message: "too few", fieldPath: ".count", reason: "FieldValueInvalid" },
    {
      rule: "self.count > 10",
      message: "forbidden",
      fieldPath: ".part.inner",
      reason: "FieldValueForbidden",
    },
    {
      rule: "self.count > 11",
      message: "required",
      fieldPath: ".labels['a.b']",
      reason: "FieldValueRequired",
    },
    { rule: "self.count > 12", message: "twice", reason: "FieldValueDuplicate" },
  ]),
];

const short: Fields = { type: "string", maxLength: 3 };

export const ruleLanguageCases: CaseGroup = {
  title: "the language of rules",
  cases: [
    ...refusals,
    ...judgements,
    widgetCase(
      "an object that never changes",
      {
        spec: {
          fixed: {
            ...part,
            "x-kubernetes-validations": [{ rule: "self == oldSelf", message: "never changes" }],
          },
          list: {
            type: "array",
            maxItems: 3,
            items: part,
            "x-kubernetes-validations": [{ rule: "oldSelf.all(p, p in self)" }],
          },
          later: {
            ...text,
            "x-kubernetes-validations": [
              {
                rule: "oldSelf.orValue('a') <= self",
                optionalOldSelf: true,
                messageExpression: "'after ' + self",
              },
            ],
          },
        },
      },
      async (stage) => {
        const spec = { fixed: { name: "a" }, list: [{ name: "x" }, { name: "y" }], later: "b" };
        await stage.create(widgets(stage), widget(stage, "w", { spec }));
        await stage.patch(widgets(stage, "/w"), { spec: { fixed: { size: 1 } } });
        await stage.patch(widgets(stage, "/w"), { spec: { list: [{ name: "y" }, { name: "x" }, {}] } });
        await stage.patch(widgets(stage, "/w"), { spec: { list: [{ name: "y" }] } });
        await stage.patch(widgets(stage, "/w"), { spec: { later: "a" } });
        await stage.create(widgets(stage), widget(stage, "v", { spec: { later: "" } }));
      },
    ),
    widgetCase(
      "a rule that costs too much while it runs",
      {
        spec: {
          many: {
            type: "array",
            maxItems: 900,
            items: short,
            "x-kubernetes-validations": [{ rule: "self.all(x, self.all(y, x == y || x != y))" }],
          },
        },
      },
      async (stage) => {
        const many = (count: number): readonly string[] => Array.from({ length: count }, (_, at) => `${at}`);
        const path = widgets(stage, "?dryRun=All");
        await stage.create(path, widget(stage, "a", { spec: { many: many(100) } }));
        await stage.create(path, widget(stage, "b", { spec: { many: many(800) } }));
      },
    ),
  ],
};
