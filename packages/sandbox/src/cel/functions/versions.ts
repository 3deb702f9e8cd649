import { ExtensionValue } from "../language/cel-values.ts";
import { failure } from "../language/evaluation-failure.ts";
import type { Functions } from "../language/function-table.ts";

/** A semantic version as a value of CEL. */
class CelVersion extends ExtensionValue {
  readonly typeName = "kubernetes.Semver";
  readonly numbers: readonly [bigint, bigint, bigint];
  readonly preRelease: readonly string[];

  constructor(numbers: readonly [bigint, bigint, bigint], preRelease: readonly string[]) {
    super();
    this.numbers = numbers;
    this.preRelease = preRelease;
  }

  toString(): string {
    return `${this.numbers.join(".")}-${this.preRelease.join(".")}`;
  }
}

export const versions: Functions = [
  ["semver(string): kubernetes.Semver", (text: string) => versionOf(text)],
  [
    "semver(string, bool): kubernetes.Semver",
    (text: string, isLenient: boolean) => versionOf(text, isLenient),
  ],
  ["isSemver(string): bool", (text: string) => typeof parseVersion(text) !== "string"],
  [
    "isSemver(string, bool): bool",
    (text: string, isLenient: boolean) => typeof parseLeniently(text, isLenient) !== "string",
  ],
  ["kubernetes.Semver.major(): int", ({ numbers }: CelVersion) => numbers[0]],
  ["kubernetes.Semver.minor(): int", ({ numbers }: CelVersion) => numbers[1]],
  ["kubernetes.Semver.patch(): int", ({ numbers }: CelVersion) => numbers[2]],
  [
    "kubernetes.Semver.isLessThan(kubernetes.Semver): bool",
    (a: CelVersion, b: CelVersion) => compared(a, b) < 0,
  ],
  [
    "kubernetes.Semver.isGreaterThan(kubernetes.Semver): bool",
    (a: CelVersion, b: CelVersion) => compared(a, b) > 0,
  ],
  [
    "kubernetes.Semver.compareTo(kubernetes.Semver): int",
    (a: CelVersion, b: CelVersion) => BigInt(compared(a, b)),
  ],
];

function versionOf(text: string, isLenient = false): CelVersion {
  const version = parseLeniently(text, isLenient);
  if (typeof version === "string") throw failure(version);
  return version;
}

/** A leading `v` is removed, numbers that are left out are 0, and none begins with a needless 0. */
function parseLeniently(text: string, isLenient: boolean): CelVersion | string {
  if (!isLenient) return parseVersion(text);
  const parts = splitVersion(text.replace(/^v/, "")).map((part) => part.replace(/^0+(?=\d)/, ""));
  if (parts.length < 3 && /[+-]/.test(parts.at(-1) ?? ""))
    return "short version cannot contain PreRelease/Build meta data";
  return parseVersion([...parts, "0", "0"].slice(0, 3).join("."));
}

/** Major, minor, and all that follows. */
function splitVersion(text: string): readonly string[] {
  const [major = "", minor, ...rest] = text.split(".");
  return [major, ...(minor === undefined ? [] : [minor]), ...(rest.length === 0 ? [] : [rest.join(".")])];
}

/** The version, or what is wrong with it. */
function parseVersion(text: string): CelVersion | string {
  if (text === "") return "Version string empty";
  const [major, minor, rest] = splitVersion(text);
  if (major === undefined || minor === undefined || rest === undefined)
    return "No Major.Minor.Patch elements found";
  const [, patch = "", preRelease, build] = /^([^+-]*)(?:-([^+]*))?(?:\+(.*))?$/s.exec(rest) ?? [];
  const identifiers = preRelease?.split(".") ?? [];
  const problem =
    numberProblem("major", major) ??
    numberProblem("minor", minor) ??
    numberProblem("patch", patch) ??
    identifiers.map(identifierProblem).find((found) => found !== undefined) ??
    build
      ?.split(".")
      .map(buildProblem)
      .find((found) => found !== undefined);
  return problem ?? new CelVersion([BigInt(major), BigInt(minor), BigInt(patch)], identifiers);
}

function numberProblem(which: string, text: string): string | undefined {
  if (!/^\d+$/.test(text)) return `Invalid character(s) found in ${which} number ${JSON.stringify(text)}`;
  if (!/^0\d/.test(text)) return undefined;
  const name = `${which.charAt(0).toUpperCase()}${which.slice(1)}`;
  return `${name} number must not contain leading zeroes ${JSON.stringify(text)}`;
}

function identifierProblem(text: string): string | undefined {
  if (text === "") return "Prerelease is empty";
  if (/^0\d+$/.test(text))
    return `Numeric PreRelease version must not contain leading zeroes ${JSON.stringify(text)}`;
  const isValid = /^[\dA-Za-z-]+$/.test(text);
  return isValid ? undefined : `Invalid character(s) found in prerelease ${JSON.stringify(text)}`;
}

function buildProblem(text: string): string | undefined {
  if (text === "") return "Build meta data is empty";
  const isValid = /^[\dA-Za-z-]+$/.test(text);
  return isValid ? undefined : `Invalid character(s) found in build meta data ${JSON.stringify(text)}`;
}

function compared(a: CelVersion, b: CelVersion): -1 | 0 | 1 {
  for (const [index, number] of a.numbers.entries()) {
    const other = b.numbers[index] ?? 0n;
    if (number !== other) return number < other ? -1 : 1;
  }
  if (a.preRelease.length === 0 || b.preRelease.length === 0) {
    if (a.preRelease.length === b.preRelease.length) return 0;
    return a.preRelease.length === 0 ? 1 : -1;
  }
  return comparedIdentifiers(a.preRelease, b.preRelease);
}

function comparedIdentifiers(a: readonly string[], b: readonly string[]): -1 | 0 | 1 {
  for (const [index, left] of a.entries()) {
    const right = b[index];
    if (right === undefined) return 1;
    if (left === right) continue;
    const [isNumber, isOtherNumber] = [/^\d+$/.test(left), /^\d+$/.test(right)];
    if (isNumber && isOtherNumber) return Number(left) < Number(right) ? -1 : 1;
    if (isNumber !== isOtherNumber) return isNumber ? -1 : 1;
    return left < right ? -1 : 1;
  }
  return a.length < b.length ? -1 : 0;
}
