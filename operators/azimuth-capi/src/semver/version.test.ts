import { describe, expect, it } from "vitest";
import { compareVersions, parseVersion, type Version } from "./version.ts";

function version(text: string): Version {
  const parsed = parseVersion(text);
  if (parsed === undefined) throw new Error(`${text} is no version`);
  return parsed;
}

describe("A.3: a version", () => {
  it.each([
    ["1.2.3", [1n, 2n, 3n]],
    ["0.0.0", [0n, 0n, 0n]],
    ["v1.31.2", [1n, 31n, 2n]],
    ["10.20.30+build.7", [10n, 20n, 30n]],
    ["1.0.0+007", [1n, 0n, 0n]],
    ["99999999999999999999.0.1", [99999999999999999999n, 0n, 1n]],
  ])("%s has three numbers", (text, numbers) => {
    const { major, minor, patch, prerelease } = version(text);
    expect([[major, minor, patch], prerelease]).toEqual([numbers, []]);
  });

  it.each([
    ["1.0.0-rc.1", ["rc", 1n]],
    ["v1.0.0-alpha+build", ["alpha"]],
    ["0.1.0-dev.0.main.12", ["dev", 0n, "main", 12n]],
    ["1.0.0-0a.x-y.-", ["0a", "x-y", "-"]],
  ])("%s has a prerelease", (text, prerelease) => {
    expect(version(text).prerelease).toEqual(prerelease);
  });

  it.each([
    "",
    "1",
    "1.2",
    "1.2.3.4",
    "V1.2.3",
    "vv1.2.3",
    "01.2.3",
    "1.02.3",
    "1.2.03",
    "1.2.3-",
    "1.2.3-rc..1",
    "1.2.3-01",
    "1.2.3-rc.00",
    "1.2.3+",
    "1.2.3+a..b",
    "1.2.3-ä",
    " 1.2.3",
    "1.2.3\n",
    "-1.2.3",
    "1.2.x",
    "latest",
    `1.2.${"3".repeat(300)}`,
  ])("is not %j", (text) => {
    expect(parseVersion(text)).toBeUndefined();
  });
});

describe("A.3: the order of versions", () => {
  const ascending = [
    "0.0.0-0",
    "0.0.0",
    "0.9.10",
    "0.10.0",
    "1.0.0-2",
    "1.0.0-10",
    "1.0.0-1a",
    "1.0.0-RC",
    "1.0.0-alpha",
    "1.0.0-alpha.1",
    "1.0.0-alpha.beta",
    "1.0.0-beta.2",
    "1.0.0-beta.11",
    "1.0.0-rc.1",
    "1.0.0",
    "1.0.1",
    "1.1.0-rc.1",
    "1.1.0",
    "2.0.0",
    "10.0.0",
    "18446744073709551616.0.0",
  ];

  it.each(ascending.slice(1).map((text, index) => [ascending[index] ?? "", text]))(
    "%s is older than %s",
    (older, newer) => {
      expect(compareVersions(version(older), version(newer))).toBeLessThan(0);
      expect(compareVersions(version(newer), version(older))).toBeGreaterThan(0);
    },
  );

  it.each([
    ["1.0.0", "v1.0.0"],
    ["1.0.0+a", "1.0.0+b"],
    ["1.0.0-rc.1+a", "v1.0.0-rc.1"],
  ])("%s is as old as %s", (one, other) => {
    expect(compareVersions(version(one), version(other))).toBe(0);
  });
});
