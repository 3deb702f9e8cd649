import { describe, expect, it } from "vitest";
import { InvalidLabelSelectorError, type LabelQuery } from "./label-selector.ts";
import { parseLabelSelector } from "./label-selector-parser.ts";

describe("reading a label selector", () => {
  it.each<[string, LabelQuery]>([
    ["", {}],
    [" \t", {}],
    ["a=b", { matchLabels: { a: "b" } }],
    ["a==b, c = d", { matchLabels: { a: "b", c: "d" } }],
    ["a=", { matchLabels: { a: "" } }],
    ["a=,b", { matchLabels: { a: "" }, matchExpressions: [{ key: "b", operator: "Exists" }] }],
    ["a!=b", { matchExpressions: [{ key: "a", operator: "NotIn", values: ["b"] }] }],
    ["c in (e,d)", { matchExpressions: [{ key: "c", operator: "In", values: ["d", "e"] }] }],
    ["c in ()", { matchExpressions: [{ key: "c", operator: "In", values: [""] }] }],
    ["c in (,d,,d)", { matchExpressions: [{ key: "c", operator: "In", values: ["", "d"] }] }],
    ["g notin(h)", { matchExpressions: [{ key: "g", operator: "NotIn", values: ["h"] }] }],
    ["! f", { matchExpressions: [{ key: "f", operator: "DoesNotExist" }] }],
    [
      "n>3,n<9",
      {
        matchExpressions: [
          { key: "n", operator: "Gt", values: ["3"] },
          { key: "n", operator: "Lt", values: ["9"] },
        ],
      },
    ],
    ["in in (in,notin)", { matchExpressions: [{ key: "in", operator: "In", values: ["in", "notin"] }] }],
    ["example.com/a=B_1", { matchLabels: { "example.com/a": "B_1" } }],
  ])("understands %j", (text, expected) => {
    expect(parseLabelSelector(text)).toEqual(expected);
  });

  it("keeps both of two values for one key, which nothing can satisfy", () => {
    expect(parseLabelSelector("a=b,a=b,a=c")).toEqual({
      matchLabels: { a: "b" },
      matchExpressions: [{ key: "a", operator: "In", values: ["c"] }],
    });
  });

  it.each<[string, number, RegExp]>([
    [",a", 0, /there is ","; expected a key/],
    ["a,", 2, /the text ends; expected a key/],
    ["a b", 2, /there is "b"; expected "=", "==", "!=", "in"/],
    ["a=b c", 4, /there is "c"; expected "," or the end/],
    ["!a=b", 2, /there is "="; expected "," or the end/],
    ["a===b", 3, /there is "="; expected a value/],
    ["a in b", 5, /there is "b"; expected "\("/],
    ["a in (b", 7, /the text ends; expected "," or "\)"/],
    ["a in (b c)", 8, /there is "c"; expected "," or "\)"/],
    ["a in (=)", 6, /there is "="; expected a value/],
    ["ok,-a=b", 3, /the key "-a" must consist of/],
    ["ok, a=b/c", 4, /the value "b\/c" must consist of/],
    ["a>b", 0, /Gt needs an integer, not "b"/],
    ["a<", 0, /Lt needs an integer, not ""/],
    ["(", 0, /there is "\("; expected a key/],
  ])("refuses %j and shows position %i", (text, position, message) => {
    const error = catchError(() => parseLabelSelector(text));
    expect(error).toBeInstanceOf(InvalidLabelSelectorError);
    expect(error).toMatchObject({ selector: text, position, message: expect.stringMatching(message) });
  });
});

function catchError(action: () => unknown): unknown {
  try {
    return action();
  } catch (error) {
    return error;
  }
}
