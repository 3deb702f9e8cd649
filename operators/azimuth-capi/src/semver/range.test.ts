import { describe, expect, it } from "vitest";
import { parseRange } from "./range.ts";
import { parseVersion } from "./version.ts";

function includes(range: string, text: string): boolean {
  const parsed = parseRange(range);
  const version = parseVersion(text);
  if (parsed === undefined || version === undefined) throw new Error(`${range} or ${text} is invalid`);
  return parsed.includes(version);
}

describe("A.3: a range", () => {
  it.each([
    [">=0.0.0", ["0.0.0", "1.2.3", "v10.0.0", "1.0.0+build"], ["0.0.0-0", "1.0.0-rc.1"]],
    [">1.0.0", ["1.0.1"], ["1.0.0", "1.0.0+build", "0.9.9", "1.0.1-rc.1"]],
    [">=1.0.0,<2.0.0", ["1.0.0", "1.99.0"], ["0.9.0", "2.0.0", "2.0.0-rc.1"]],
    [">=1.0.0,<=2.0.0", ["2.0.0", "2.0.0+build"], ["2.0.1"]],
    [">=1.0.0,!=1.5.0", ["1.0.0", "1.5.1"], ["1.5.0", "v1.5.0"]],
    ["==1.5.0", ["1.5.0", "v1.5.0+build"], ["1.5.1", "1.5.0-rc.1"]],
    ["~1.2.3", ["1.2.3", "1.2.99"], ["1.2.2", "1.3.0", "2.2.3", "1.3.0-rc.1"]],
    ["~v1.2.3", ["1.2.3"], ["1.3.0"]],
    [">=0.6.0,~0.7.1", ["0.7.1"], ["0.6.0", "0.8.0"]],
  ])("%s includes %j, but not %j", (range, inside, outside) => {
    expect(inside.filter((text) => !includes(range, text))).toEqual([]);
    expect(outside.filter((text) => includes(range, text))).toEqual([]);
  });

  it("has an implied lower bound, so that an upper bound alone includes no prereleases", () => {
    expect(includes("<2.0.0", "1.0.0")).toBe(true);
    expect(includes("<2.0.0", "2.0.0-rc.1")).toBe(false);
    expect(includes("<=2.0.0", "1.0.0-rc.1")).toBe(false);
    expect(includes("!=2.0.0", "1.0.0-rc.1")).toBe(false);
    expect(includes("==1.0.0-rc.1", "1.0.0-rc.1")).toBe(false);
  });

  it("includes prereleases if its lower bounds are prereleases", () => {
    expect(includes(">=1.0.0-0", "1.0.0-rc.1")).toBe(true);
    expect(includes(">=1.0.0-0", "3.0.0-rc.1")).toBe(true);
    expect(includes(">1.0.0-rc.1", "1.0.0-rc.1")).toBe(false);
    expect(includes(">1.0.0-rc.1", "1.0.0-rc.2")).toBe(true);
    expect(includes("~1.2.0-0", "1.3.0-rc.1")).toBe(true);
    expect(includes(">=1.0.0-0,==1.0.0-rc.1", "1.0.0-rc.1")).toBe(true);
    expect(includes(">=1.0.0-0,>=0.5.0", "1.0.0-rc.1")).toBe(false);
  });

  it.each([
    "",
    "1.0.0",
    "=1.0.0",
    "^1.0.0",
    "~>1.0.0",
    ">= 1.0.0",
    ">=1.0",
    ">=1.0.0,",
    ",>=1.0.0",
    ">=1.0.0, <2.0.0",
    ">=1.0.0 <2.0.0",
    ">=1.0.0||<0.5.0",
    ">=1.x.0",
    ">==1.0.0",
    "*",
  ])("is not %j", (text) => {
    expect(parseRange(text)).toBeUndefined();
  });
});
