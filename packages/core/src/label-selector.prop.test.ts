import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  formatLabelSelector,
  type LabelQuery,
  type LabelQueryRequirement,
  matchesLabels,
} from "./label-selector.ts";
import { parseLabelSelector } from "./label-selector-parser.ts";

const runs = { numRuns: 200 };

const key = fc.constantFrom("a", "b", "in", "notin", "example.com/a", "constructor");
const value = fc.constantFrom("", "x", "y", "in", "5", "12");
const labels = fc.dictionary(key, value);
const values = fc.uniqueArray(value, { minLength: 1, maxLength: 3 });

const requirement: fc.Arbitrary<LabelQueryRequirement> = fc.oneof(
  fc.record({ key, operator: fc.constantFrom("In", "NotIn"), values }),
  fc.record({ key, operator: fc.constantFrom("Exists", "DoesNotExist") }),
  fc.record({ key, operator: fc.constantFrom("Gt", "Lt"), values: fc.constantFrom(["5"], ["7"], ["12"]) }),
);

const selector: fc.Arbitrary<LabelQuery> = fc.record({
  matchLabels: labels,
  matchExpressions: fc.array(requirement, { maxLength: 4 }),
});

/** The same selector, as the parser returns it: ordered, and without what is empty. */
function inParsersOrder({ matchLabels = {}, matchExpressions = [] }: LabelQuery): LabelQuery {
  const sorted = matchExpressions.map((each) =>
    each.values === undefined ? each : { ...each, values: [...each.values].sort() },
  );
  const texts = new Map(sorted.map((each) => [each, formatLabelSelector({ matchExpressions: [each] })]));
  const order = (a: LabelQueryRequirement, b: LabelQueryRequirement): number =>
    a.key === b.key ? ((texts.get(a) ?? "") < (texts.get(b) ?? "") ? -1 : 1) : a.key < b.key ? -1 : 1;
  return {
    ...(Object.keys(matchLabels).length > 0 && { matchLabels }),
    ...(sorted.length > 0 && { matchExpressions: sorted.sort(order) }),
  };
}

describe("any label selector", () => {
  it("is the same after it was printed and read again", () => {
    fc.assert(
      fc.property(selector, (original) => {
        expect(parseLabelSelector(formatLabelSelector(original))).toEqual(inParsersOrder(original));
      }),
      runs,
    );
  });

  it("selects the same labels after it was printed and read again", () => {
    fc.assert(
      fc.property(selector, labels, (original, candidate) => {
        const again = parseLabelSelector(formatLabelSelector(original));
        expect(matchesLabels(again, candidate)).toBe(matchesLabels(original, candidate));
      }),
      runs,
    );
  });

  it("selects labels exactly if each of its requirements alone does", () => {
    fc.assert(
      fc.property(selector, labels, ({ matchLabels, matchExpressions = [] }, candidate) => {
        const parts: LabelQuery[] = [
          ...Object.entries(matchLabels ?? {}).map(([name, allowed]) => ({
            matchLabels: { [name]: allowed },
          })),
          ...matchExpressions.map((each) => ({ matchExpressions: [each] })),
        ];
        const whole: LabelQuery = { ...(matchLabels !== undefined && { matchLabels }), matchExpressions };
        expect(matchesLabels(whole, candidate)).toBe(parts.every((part) => matchesLabels(part, candidate)));
      }),
      runs,
    );
  });

  it("selects the labels that NotIn excludes exactly if In does not", () => {
    fc.assert(
      fc.property(key, values, labels, (name, allowed, candidate) => {
        const among = { matchExpressions: [{ key: name, operator: "In", values: allowed } as const] };
        const except = { matchExpressions: [{ key: name, operator: "NotIn", values: allowed } as const] };
        expect(matchesLabels(among, candidate)).not.toBe(matchesLabels(except, candidate));
      }),
      runs,
    );
  });
});
