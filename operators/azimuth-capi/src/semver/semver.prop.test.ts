import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseRange } from "./range.ts";
import { compareVersions, parseVersion, type Version } from "./version.ts";

function version(text: string): Version {
  const parsed = parseVersion(text);
  if (parsed === undefined) throw new Error(`${text} is no version`);
  return parsed;
}

function includes(range: string, text: string): boolean {
  const parsed = parseRange(range);
  if (parsed === undefined) throw new Error(`${range} is no range`);
  return parsed.includes(version(text));
}

/** Small, so that equal ones are frequent. */
const number = fc.integer({ min: 0, max: 3 });
const identifier = fc.oneof(
  fc.integer({ min: 0, max: 11 }).map(String),
  fc.constantFrom("a", "b", "1a", "10-", "-"),
);
const prerelease = fc
  .array(identifier, { minLength: 1, maxLength: 3 })
  .map((identifiers) => `-${identifiers.join(".")}`);
const numbers = fc.tuple(number, number, number).map((three) => three.join("."));
const text = fc
  .tuple(
    fc.constantFrom("", "v"),
    numbers,
    fc.oneof(fc.constant(""), prerelease),
    fc.constantFrom("", "+b.1"),
  )
  .map((parts) => parts.join(""));
const operator = fc.constantFrom("==", "!=", ">", ">=", "<", "<=", "~");
const constraint = fc.tuple(operator, text).map((parts) => parts.join(""));

describe("versions", () => {
  it("have one order", () => {
    fc.assert(
      fc.property(fc.tuple(text, text, text), (texts) => {
        const [a, b, c] = texts.map(version).sort(compareVersions);
        if (a === undefined || b === undefined || c === undefined) throw new Error("there are three");
        expect(Math.sign(compareVersions(a, b)) + Math.sign(compareVersions(b, a))).toBe(0);
        expect(compareVersions(a, b)).toBeLessThanOrEqual(0);
        expect(compareVersions(b, c)).toBeLessThanOrEqual(0);
        expect(compareVersions(a, c)).toBeLessThanOrEqual(0);
      }),
      { numRuns: 2_000 },
    );
  });

  it("are ordered by their numbers, whatever their prereleases are", () => {
    const triple = fc.tuple(number, number, number);
    fc.assert(
      fc.property(triple, triple, (one, other) => {
        const difference = one.map((value, index) => value - (other[index] ?? 0)).find((each) => each !== 0);
        const order = compareVersions(version(one.join(".")), version(other.join(".")));
        expect(Math.sign(order)).toBe(Math.sign(difference ?? 0));
      }),
    );
  });

  it("are newer than their prereleases", () => {
    fc.assert(
      fc.property(numbers, prerelease, (release, suffix) => {
        expect(compareVersions(version(release), version(release + suffix))).toBeGreaterThan(0);
      }),
    );
  });

  it("are read from any text without a failure", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(..."v0123.-+aZ,>=~!<") }), (any) => {
        const parsed = parseVersion(any);
        if (parsed !== undefined) expect(parsed.text).toBe(any);
        parseRange(any);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe("ranges", () => {
  it("include what each of their constraints includes", () => {
    fc.assert(
      fc.property(constraint, constraint, text, (one, other, chosen) => {
        // The implied bound then makes no difference.
        const bound = ">=0.0.0-0";
        expect(includes(`${bound},${one},${other}`, chosen)).toBe(
          includes(`${bound},${one}`, chosen) && includes(`${bound},${other}`, chosen),
        );
      }),
      { numRuns: 2_000 },
    );
  });

  it("imply a lower bound of 0.0.0", () => {
    fc.assert(
      fc.property(fc.constantFrom("<", "<=", "==", "!="), text, text, (upper, bound, chosen) => {
        expect(includes(`${upper}${bound}`, chosen)).toBe(includes(`>=0.0.0,${upper}${bound}`, chosen));
      }),
    );
  });

  it("take a tilde for the patches of a minor version", () => {
    fc.assert(
      fc.property(number, number, number, text, (major, minor, patch, chosen) => {
        const from = `${major}.${minor}.${patch}`;
        expect(includes(`~${from}`, chosen)).toBe(includes(`>=${from},<${major}.${minor + 1}.0`, chosen));
      }),
    );
  });
});
