import { failure, type Library, libraryOf } from "./library.ts";

const pattern =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-((?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?(?:\+[0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*)?$/;

/** A semantic version as a value of CEL. */
class CelVersion {
  readonly numbers: readonly [bigint, bigint, bigint];
  readonly preRelease: readonly string[];

  constructor(numbers: readonly [bigint, bigint, bigint], preRelease: readonly string[]) {
    this.numbers = numbers;
    this.preRelease = preRelease;
  }

  toString(): string {
    return `${this.numbers.join(".")}-${this.preRelease.join(".")}`;
  }
}

const functions = libraryOf([
  ["semver(string): kubernetes.Semver", (text: string) => versionOf(text)],
  [
    "semver(string, bool): kubernetes.Semver",
    (text: string, lenient: boolean) => versionOf(lenient ? normalized(text) : text),
  ],
  ["isSemver(string): bool", (text: string) => pattern.test(text)],
  [
    "isSemver(string, bool): bool",
    (text: string, lenient: boolean) => pattern.test(lenient ? normalized(text) : text),
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
]);

export const versionsLibrary: Library = (environment) => {
  environment.registerType("kubernetes.Semver", { ctor: CelVersion, fields: {} });
  environment.registerOperator(
    "kubernetes.Semver == kubernetes.Semver",
    (a: CelVersion, b: CelVersion) => compared(a, b) === 0,
  );
  functions(environment);
};

/** A leading `v` is removed, numbers that are left out are 0, and none begins with a needless 0. */
function normalized(text: string): string {
  const [, numbers = "", rest = ""] = /^v?([\d.]+)(.*)$/s.exec(text) ?? [];
  const parts = numbers.split(".").map((part) => part.replace(/^0+(?=\d)/, ""));
  return rest !== "" && parts.length < 3
    ? text
    : [...parts, "0", "0"].slice(0, Math.max(3, parts.length)).join(".") + rest;
}

function versionOf(text: string): CelVersion {
  const match = pattern.exec(text);
  if (match === null) throw failure(`Invalid character(s) found in version ${JSON.stringify(text)}`);
  const [, major = "0", minor = "0", patch = "0", preRelease] = match;
  return new CelVersion([BigInt(major), BigInt(minor), BigInt(patch)], preRelease?.split(".") ?? []);
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
