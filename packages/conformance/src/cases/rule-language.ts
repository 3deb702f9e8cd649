import type { CaseGroup, ConformanceCase } from "../conformance-case.ts";
import { widget, widgets } from "./custom-kinds.ts";
import { widgetCase } from "./custom-objects.ts";
import type { Fields } from "./manifests.ts";
import { ruleRefusals } from "./rule-refusals.ts";
import { integer, part, specWith, text, values } from "./rule-schema.ts";

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
    ...ruleRefusals,
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
    widgetCase(
      "rules that together cost too much while they run",
      {
        spec: {
          groups: {
            type: "array",
            maxItems: 30,
            items: {
              type: "array",
              maxItems: 250,
              items: short,
              "x-kubernetes-validations": [
                { rule: "self.all(x, self.all(y, x != 'not'))" },
                { rule: "self.all(x, self.all(y, y != 'not'))" },
              ],
            },
          },
        },
      },
      async (stage) => {
        const groups = (count: number): readonly unknown[] =>
          Array.from({ length: count }, () => Array.from({ length: 250 }, () => "abc"));
        const path = widgets(stage, "?dryRun=All");
        await stage.create(path, widget(stage, "a", { spec: { groups: groups(3) } }));
        await stage.create(path, widget(stage, "b", { spec: { groups: groups(30) } }));
      },
    ),
    widgetCase(
      "a message that compares with the past",
      {
        spec: {
          size: {
            ...integer,
            "x-kubernetes-validations": [
              { rule: "self >= oldSelf", messageExpression: "'%d is less than %d'.format([self, oldSelf])" },
              {
                rule: "self < oldSelf.orValue(9) + 5",
                optionalOldSelf: true,
                message: "grows too fast",
                messageExpression: "'%d after %d'.format([self, oldSelf.orValue(0)])",
              },
            ],
          },
        },
      },
      async (stage) => {
        await stage.create(widgets(stage), widget(stage, "w", { spec: { size: 5 } }));
        await stage.patch(widgets(stage, "/w"), { spec: { size: 4 } });
        await stage.patch(widgets(stage, "/w"), { spec: { size: 50 } });
        await stage.create(widgets(stage), widget(stage, "v", { spec: { size: 50 } }));
      },
    ),
  ],
};
