import type { VersionRange } from "../semver/range.ts";
import { compareVersions, parseVersion, type Version } from "../semver/version.ts";
import type { IndexedVersion } from "./chart-index.ts";

/** Which versions of a chart are offered. */
export interface ChosenVersions {
  /** The newest one first. */
  readonly chosen: readonly IndexedVersion[];
  /** What the index calls versions, and SemVer does not. */
  readonly invalid: readonly string[];
}

/** The newest versions in the range, at most so many. If the index has a version twice, the first one counts. */
export function chooseVersions(
  indexed: readonly IndexedVersion[],
  { range, keep }: { readonly range: VersionRange; readonly keep: number },
): ChosenVersions {
  const valid = new Map<string, { readonly parsed: Version; readonly entry: IndexedVersion }>();
  const invalid: string[] = [];
  for (const entry of indexed) {
    const parsed = parseVersion(entry.version);
    if (parsed === undefined) invalid.push(entry.version);
    else if (!valid.has(entry.version)) valid.set(entry.version, { parsed, entry });
  }
  const chosen = [...valid.values()]
    .filter(({ parsed }) => range.includes(parsed))
    .sort((one, other) => compareVersions(other.parsed, one.parsed))
    .slice(0, keep)
    .map(({ entry }) => entry);
  return { chosen, invalid };
}
