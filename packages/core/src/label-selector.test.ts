import { describe, expect, it } from "vitest";
import {
  formatLabelSelector,
  InvalidLabelSelectorError,
  isLabelSelector,
  type LabelQuery,
  labelsToSelector,
  matchesLabels,
} from "./label-selector.ts";

const In = (key: string, ...values: string[]): LabelQuery => ({
  matchExpressions: [{ key, operator: "In", values }],
});
const NotIn = (key: string, ...values: string[]): LabelQuery => ({
  matchExpressions: [{ key, operator: "NotIn", values }],
});

describe("a label selector", () => {
  it("selects everything if it is empty, and nothing if it is missing", () => {
    for (const labels of [undefined, {}, { app: "web" }]) {
      expect(matchesLabels({}, labels)).toBe(true);
      expect(matchesLabels({ matchLabels: {}, matchExpressions: [] }, labels)).toBe(true);
      expect(matchesLabels(undefined, labels)).toBe(false);
    }
  });

  it("requires every label and every expression to hold", () => {
    const selector: LabelQuery = { matchLabels: { app: "web", tier: "front" }, ...NotIn("env", "test") };
    expect(matchesLabels(selector, { app: "web", tier: "front", env: "live" })).toBe(true);
    expect(matchesLabels(selector, { app: "web", tier: "front", env: "test" })).toBe(false);
    expect(matchesLabels(selector, { app: "web" })).toBe(false);
  });

  it("takes an absent label for none of the values", () => {
    expect(matchesLabels(NotIn("env", "test"), {})).toBe(true);
    expect(matchesLabels(NotIn("env", "test"), undefined)).toBe(true);
    expect(matchesLabels(In("env", "test", ""), {})).toBe(false);
    expect(matchesLabels(In("env", "test", ""), { env: "" })).toBe(true);
  });

  it("asks whether a label is there, whatever its value", () => {
    const exists: LabelQuery = { matchExpressions: [{ key: "a", operator: "Exists" }] };
    const absent: LabelQuery = { matchExpressions: [{ key: "a", operator: "DoesNotExist" }] };
    expect([exists, absent].map((selector) => matchesLabels(selector, { a: "" }))).toEqual([true, false]);
    expect([exists, absent].map((selector) => matchesLabels(selector, {}))).toEqual([false, true]);
  });

  it("compares 64-bit integers, and nothing else", () => {
    const above = (value: string): LabelQuery => ({
      matchExpressions: [{ key: "n", operator: "Gt", values: [value] }],
    });
    const below: LabelQuery = { matchExpressions: [{ key: "n", operator: "Lt", values: ["10"] }] };
    expect(
      ["9", "10", "11", "011", "x", "", "9223372036854775808"].map((n) => matchesLabels(above("10"), { n })),
    ).toEqual([false, false, true, true, false, false, false]);
    expect(["9", "10", "-1"].map((n) => matchesLabels(below, { n }))).toEqual([true, false, true]);
    expect(matchesLabels(below, {})).toBe(false);
    expect(matchesLabels(above("9223372036854775806"), { n: "9223372036854775807" })).toBe(true);
  });

  it("does not take what every object inherits for labels", () => {
    const exists: LabelQuery = { matchExpressions: [{ key: "constructor", operator: "Exists" }] };
    expect(matchesLabels(exists, {})).toBe(false);
    expect(matchesLabels(exists, { constructor: "x" })).toBe(true);
  });

  it("is made of labels by labelsToSelector, which copies them", () => {
    const labels = { app: "web" };
    const selector = labelsToSelector(labels);
    labels.app = "other";
    expect(selector).toEqual({ matchLabels: { app: "web" } });
  });

  it("is one that an object can hold unless it compares numbers", () => {
    expect(isLabelSelector(In("a", "b"))).toBe(true);
    expect(isLabelSelector({})).toBe(true);
    expect(isLabelSelector({ matchExpressions: [{ key: "a", operator: "Gt", values: ["1"] }] })).toBe(false);
  });
});

describe("the text of a label selector", () => {
  it("is sorted by key, with values sorted and named once", () => {
    const selector: LabelQuery = {
      matchLabels: { z: "", b: "1" },
      matchExpressions: [
        { key: "y", operator: "DoesNotExist" },
        { key: "n", operator: "Gt", values: ["3"] },
        { key: "a", operator: "In", values: ["y", "x", "y"] },
        { key: "n", operator: "Lt", values: ["9"] },
        { key: "example.com/c", operator: "NotIn", values: ["", "v"] },
        { key: "x", operator: "Exists" },
      ],
    };
    expect(formatLabelSelector(selector)).toBe("a in (x,y),b=1,example.com/c notin (,v),n<9,n>3,x,!y,z=");
  });

  it("is empty for the selector of everything", () => {
    expect(formatLabelSelector({})).toBe("");
  });

  it.each<[string, LabelQuery, RegExp]>([
    ["a bad key", { matchLabels: { "-a": "b" } }, /the key "-a" must consist of letters/],
    ["a bad value", { matchLabels: { a: "b c" } }, /the value "b c" must consist of letters/],
    ["a bad value in a list", In("a", "b", "c/d"), /the value "c\/d"/],
    ["an empty list", In("a"), /In needs at least one value/],
    ["an empty list of exceptions", NotIn("a"), /NotIn needs at least one value/],
    [
      "values of Exists",
      { matchExpressions: [{ key: "a", operator: "Exists", values: ["b"] }] },
      /takes no values/,
    ],
    ["no number", { matchExpressions: [{ key: "a", operator: "Gt", values: ["b"] }] }, /Gt needs an integer/],
    ["two numbers", { matchExpressions: [{ key: "a", operator: "Lt", values: ["1", "2"] }] }, /exactly one/],
  ])("is refused for %s", (_, selector, message) => {
    expect(() => formatLabelSelector(selector)).toThrow(InvalidLabelSelectorError);
    expect(() => formatLabelSelector(selector)).toThrow(message);
  });
});
