import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  compareResourceVersions,
  InvalidResourceVersionError,
  isNewer,
  isResourceVersion,
} from "./resource-version.ts";

const huge = "1".repeat(40);

describe("resource versions", () => {
  it("[RF19] are ordered as integers of any size", () => {
    expect(compareResourceVersions("9", "10")).toBe(-1);
    expect(compareResourceVersions("19", "20")).toBe(-1);
    expect(compareResourceVersions("100", "99")).toBe(1);
    expect(compareResourceVersions(huge, huge)).toBe(0);
    expect(compareResourceVersions(`${huge}0`, `${huge}1`)).toBe(-1);
    expect(isNewer(`${huge}1`, `${huge}0`)).toBe(true);
    expect(isNewer("5", "5")).toBe(false);
    expect(isNewer("4", "5")).toBe(false);
  });

  it.each(["", "0", "01", "-1", "+1", "1.0", "1a", " 1", "1\n", "٣"])("[RF19] are not %j", (text) => {
    expect(isResourceVersion(text)).toBe(false);
    expect(() => compareResourceVersions(text, "1")).toThrow(InvalidResourceVersionError);
    expect(() => compareResourceVersions("1", text)).toThrow(InvalidResourceVersionError);
  });

  it("[RF19] are totally ordered, in the order of the integers", () => {
    const version = fc.bigInt({ min: 1n, max: 10n ** 30n }).map(String);
    fc.assert(
      fc.property(version, version, (a, b) => {
        const order = BigInt(a) === BigInt(b) ? 0 : BigInt(a) < BigInt(b) ? -1 : 1;
        expect(compareResourceVersions(a, b)).toBe(order);
        expect(compareResourceVersions(b, a) + order).toBe(0);
        expect(isNewer(a, b)).toBe(order === 1);
      }),
      { numRuns: 200 },
    );
  });
});
