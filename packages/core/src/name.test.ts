import { describe, expect, it } from "vitest";
import { dnsLabelProblem, dnsSubdomainProblem, labelValueProblem, qualifiedNameProblem } from "./name.ts";

const accepted = (problemOf: (value: string) => string | undefined, values: readonly string[]): string[] =>
  values.filter((value) => problemOf(value) === undefined);

describe("a DNS label", () => {
  it("is made of lower-case letters, digits and inner hyphens", () => {
    const good = ["a", "0", "a-b", "a--b", "123-abc", "a".repeat(63)];
    const bad = ["", "A", "-a", "a-", "a_b", "a.b", "é", "a\n", "a".repeat(64)];
    expect(accepted(dnsLabelProblem, [...good, ...bad])).toEqual(good);
  });

  it("is not a subdomain", () => {
    expect(dnsLabelProblem("a.b")).toBe("must not contain dots");
    expect(dnsLabelProblem("a".repeat(64))).toBe("must be at most 63 characters long");
  });
});

describe("a DNS subdomain", () => {
  it("is made of labels joined by dots", () => {
    const good = ["a", "a.b", "example.com", "0.1", `${"a".repeat(64)}.b`, "a".repeat(253)];
    const bad = ["", ".", "a.", ".a", "a..b", "A.b", "a.-b", "a_b", "a".repeat(254)];
    expect(accepted(dnsSubdomainProblem, [...good, ...bad])).toEqual(good);
  });
});

describe("a qualified name", () => {
  it("is a name, or a DNS subdomain and a name", () => {
    const good = ["a", "A", "my.Name_1", "example.com/Name", `example.com/${"a".repeat(63)}`];
    const bad = ["", "/", "a/", "/a", "a/b/c", "_a", "a-", "A.com/a", "a b", "é", "a".repeat(64)];
    expect(accepted(qualifiedNameProblem, [...good, ...bad])).toEqual(good);
  });

  it("names the part that is wrong", () => {
    expect(qualifiedNameProblem("A.com/a")).toMatch(/^before the "\/" must consist of lower-case letters/);
    expect(qualifiedNameProblem("a.com/")).toBe('after the "/" must not be empty');
    expect(qualifiedNameProblem("a/b/c")).toBe('must not contain more than one "/"');
    expect(qualifiedNameProblem("/a")).toBe('must have a DNS subdomain before the "/"');
  });
});

describe("the value of a label", () => {
  it("may be empty, and otherwise is a name without a slash", () => {
    const good = ["", "a", "A_b.c-1", "0", "a".repeat(63)];
    const bad = ["-", "a-", ".a", "a/b", "a b", "a".repeat(64)];
    expect(accepted(labelValueProblem, [...good, ...bad])).toEqual(good);
  });
});
