/** A version by semver.org. What a `v` before it and build metadata say does not count. */
export interface Version {
  /** As it was written. */
  readonly text: string;
  readonly major: bigint;
  readonly minor: bigint;
  readonly patch: bigint;
  /** Empty for a release. */
  readonly prerelease: readonly Identifier[];
}

/** A part of a prerelease between two dots; one of digits alone is a number. */
type Identifier = bigint | string;

/** Longer texts are no versions: reading very large numbers takes long. */
const longestText = 256;

const number = "0|[1-9][0-9]*";
const identifier = `(?:${number}|[0-9]*[A-Za-z-][0-9A-Za-z-]*)`;
const build = "[0-9A-Za-z-]+";

const pattern = new RegExp(
  `^v?(?<major>${number})\\.(?<minor>${number})\\.(?<patch>${number})` +
    `(?:-(?<prerelease>${identifier}(?:\\.${identifier})*))?(?:\\+${build}(?:\\.${build})*)?$`,
);

/** Undefined if the text is no version. */
export function parseVersion(text: string): Version | undefined {
  if (text.length > longestText) return undefined;
  const { major, minor, patch, prerelease } = pattern.exec(text)?.groups ?? {};
  if (major === undefined || minor === undefined || patch === undefined) return undefined;
  return {
    text,
    major: BigInt(major),
    minor: BigInt(minor),
    patch: BigInt(patch),
    prerelease: prerelease?.split(".").map(identifierOf) ?? [],
  };
}

function identifierOf(text: string): Identifier {
  return /^[0-9]+$/.test(text) ? BigInt(text) : text;
}

/** Negative if the first one is older, positive if it is newer, and 0 if they differ at most in what does not count. */
export function compareVersions(one: Version, other: Version): number {
  return (
    compare(one.major, other.major) ||
    compare(one.minor, other.minor) ||
    compare(one.patch, other.patch) ||
    comparePrereleases(one.prerelease, other.prerelease)
  );
}

/** A release is newer than its prereleases; of two prereleases the one with more identifiers, if the first ones are equal. */
function comparePrereleases(one: readonly Identifier[], other: readonly Identifier[]): number {
  if (one.length === 0 || other.length === 0) return other.length - one.length;
  for (const [index, left] of one.entries()) {
    const right = other[index];
    if (right === undefined) return 1;
    const order = compareIdentifiers(left, right);
    if (order !== 0) return order;
  }
  return one.length - other.length;
}

/** Numbers come before texts, so that the order has no circles: 2 is before 10, and 10 as a text before 1a, and 1a before 2. */
function compareIdentifiers(one: Identifier, other: Identifier): number {
  if (typeof one === typeof other) return compare(one, other);
  return typeof one === "bigint" ? -1 : 1;
}

function compare<Value extends bigint | string>(one: Value, other: Value): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
