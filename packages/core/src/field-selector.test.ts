import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type FieldSelector,
  fieldsOf,
  formatFieldSelector,
  InvalidFieldSelectorError,
  matchesFields,
  parseFieldSelector,
} from "./field-selector.ts";

describe("reading a field selector", () => {
  it.each<[string, FieldSelector]>([
    ["", []],
    [",", []],
    ["a.b=c", [{ field: "a.b", operator: "=", value: "c" }]],
    ["a==c", [{ field: "a", operator: "=", value: "c" }]],
    ["a!=", [{ field: "a", operator: "!=", value: "" }]],
    [
      "metadata.name=web,spec.nodeName!=node-1",
      [
        { field: "metadata.name", operator: "=", value: "web" },
        { field: "spec.nodeName", operator: "!=", value: "node-1" },
      ],
    ],
    ["a=x\\,y\\=z\\\\", [{ field: "a", operator: "=", value: "x,y=z\\" }]],
    [
      "a=x\\\\,b=y",
      [
        { field: "a", operator: "=", value: "x\\" },
        { field: "b", operator: "=", value: "y" },
      ],
    ],
  ])("understands %j", (text, expected) => {
    expect(parseFieldSelector(text)).toEqual(expected);
  });

  it.each<[string, number, RegExp]>([
    ["a=b,c", 4, /"c" has no operator; use "=" or "!="/],
    ["a=b=c", 3, /there is "=" in a value; write "\\="/],
    ["a===c", 3, /there is "=" in a value/],
    ["x=y,a=b\\c", 7, /a backslash stands alone/],
    ["a=b\\", 3, /a backslash stands alone/],
    ["x=y,=b", 4, /there is no field before the operator/],
    ["a\\,b=c", 0, /must not contain/],
  ])("refuses %j and shows position %i", (text, position, message) => {
    const error = catchError(() => parseFieldSelector(text));
    expect(error).toBeInstanceOf(InvalidFieldSelectorError);
    expect(error).toMatchObject({ selector: text, position, message: expect.stringMatching(message) });
  });
});

describe("the text of a field selector", () => {
  it("is sorted", () => {
    expect(formatFieldSelector(parseFieldSelector("b!=2,a==1"))).toBe("a=1,b!=2");
  });

  it.each(["", "a,b", "a=b", "a!", "a\\"])("is refused for the field %j", (field) => {
    expect(() => formatFieldSelector([{ field, operator: "=", value: "x" }])).toThrow(
      InvalidFieldSelectorError,
    );
  });

  it("reads back as it was, whatever the values are", () => {
    const requirement = fc.record({
      field: fc.constantFrom("a", "b.c", "metadata.name"),
      operator: fc.constantFrom("=", "!="),
      value: fc.string({ unit: fc.constantFrom("x", "\\", ",", "=", "!", " ", "é", "\n") }),
    });
    fc.assert(
      fc.property(fc.array(requirement), (selector) => {
        const again = parseFieldSelector(formatFieldSelector(selector));
        const byText = (a: object, b: object): number => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);
        expect([...again].sort(byText)).toEqual([...selector].sort(byText));
      }),
      { numRuns: 200 },
    );
  });
});

describe("selecting by fields", () => {
  const pod = {
    metadata: { name: "web" },
    spec: { nodeName: "node-1", hostNetwork: true, priority: 7 },
    status: {},
  };
  const selects = (text: string): boolean => matchesFields(parseFieldSelector(text), fieldsOf(pod));

  it("requires every field to have its value", () => {
    expect(selects("metadata.name=web,spec.nodeName=node-1")).toBe(true);
    expect(selects("metadata.name=web,spec.nodeName=node-2")).toBe(false);
    expect(selects("metadata.name!=web")).toBe(false);
    expect(selects("")).toBe(true);
  });

  it("takes an absent field for an empty one", () => {
    expect(selects("status.phase=")).toBe(true);
    expect(selects("status.phase!=Running,a.b.c!=x,metadata=,constructor.name=")).toBe(true);
    expect(matchesFields(parseFieldSelector("a="), () => undefined)).toBe(true);
  });

  it("compares numbers and booleans as text", () => {
    expect(selects("spec.hostNetwork=true,spec.priority=7")).toBe(true);
  });
});

function catchError(action: () => unknown): unknown {
  try {
    return action();
  } catch (error) {
    return error;
  }
}
