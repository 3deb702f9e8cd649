import { describe, expect, it } from "vitest";
import { parseRange } from "../semver/range.ts";
import type { IndexedVersion } from "./chart-index.ts";
import { type ChosenVersions, chooseVersions } from "./choose-versions.ts";

function indexed(version: string, label?: string): IndexedVersion {
  return { version, display: () => ({ label, logo: undefined, description: undefined }) };
}

function choose(versions: readonly string[], range = ">=0.0.0", keep = 5): ChosenVersions {
  const parsed = parseRange(range);
  if (parsed === undefined) throw new Error(`${range} is no range`);
  return chooseVersions(
    versions.map((version) => indexed(version)),
    { range: parsed, keep },
  );
}

function names({ chosen }: ChosenVersions): readonly string[] {
  return chosen.map(({ version }) => version);
}

describe("C.10: the versions that are offered", () => {
  it("are the newest ones, the newest first", () => {
    const versions = ["0.9.0", "0.10.0", "v1.0.0", "0.1.0", "0.10.1"];
    expect(names(choose(versions, ">=0.0.0", 3))).toEqual(["v1.0.0", "0.10.1", "0.10.0"]);
    expect(names(choose(versions))).toHaveLength(5);
  });

  it("are in the range", () => {
    const versions = ["1.0.0", "1.1.0-rc.1", "1.1.0", "2.0.0"];
    expect(names(choose(versions, "<2.0.0"))).toEqual(["1.1.0", "1.0.0"]);
    expect(names(choose(versions, ">=1.1.0-0"))).toEqual(["2.0.0", "1.1.0", "1.1.0-rc.1"]);
    expect(names(choose(versions, ">2.0.0"))).toEqual([]);
  });

  it("L18: do not depend on others that are not SemVer versions", () => {
    const { chosen, invalid } = choose(["latest", "1.0.0", "1.0", "01.0.0", ""]);
    expect(chosen.map(({ version }) => version)).toEqual(["1.0.0"]);
    expect(invalid).toEqual(["latest", "1.0", "01.0.0", ""]);
  });

  it("are offered once each, as the index shows them first", () => {
    const range = { includes: () => true };
    const twice = [indexed("1.0.0", "first"), indexed("1.0.0", "second"), indexed("1.0.0+b", "build")];
    const { chosen } = chooseVersions(twice, { range, keep: 5 });
    expect(chosen.map(({ display }) => display().label)).toEqual(["first", "build"]);
  });
});
