import { groups } from "../builtin/generated/discovery.ts";
import type { ServedResource } from "../resource/served-resource.ts";

/** One group with its versions and resources, the preferred version first. */
export interface ServedGroup {
  readonly name: string;
  readonly versions: readonly ServedVersion[];
}

export interface ServedVersion {
  readonly version: string;
  readonly resources: readonly ServedResource[];
}

let builtinVersions: Readonly<Record<string, readonly string[]>> | undefined;

/** All groups: the core group first, then built-in ones in the server's order, then custom ones by name. */
export function servedGroups(resources: readonly ServedResource[]): readonly ServedGroup[] {
  builtinVersions ??= JSON.parse(groups) as Readonly<Record<string, readonly string[]>>;
  const known = builtinVersions;
  const order = ["", ...Object.keys(known)];
  const byGroup = Map.groupBy(resources, ({ group }) => group);
  const custom = [...byGroup.keys()].filter((name) => !order.includes(name)).sort();
  return [...order, ...custom].flatMap((name) => {
    const own = byGroup.get(name);
    if (own === undefined) return [];
    const byVersion = Map.groupBy(own, ({ version }) => version);
    const versions = [...byVersion.keys()].sort(byPreference(known[name] ?? []));
    return [
      { name, versions: versions.map((version) => ({ version, resources: byVersion.get(version) ?? [] })) },
    ];
  });
}

function byPreference(preferred: readonly string[]): (a: string, b: string) => number {
  return (a, b) => {
    const [first, second] = [preferred.indexOf(a), preferred.indexOf(b)];
    return first !== -1 && second !== -1 ? first - second : compareVersions(a, b);
  };
}

/** Stable before beta before alpha, newer before older, and names that are not versions last, by name. */
export function compareVersions(a: string, b: string): number {
  const [first, second] = [rankOf(a), rankOf(b)];
  if (first === undefined || second === undefined) {
    if (first !== undefined) return -1;
    if (second !== undefined) return 1;
    return a < b ? -1 : Number(a > b);
  }
  for (const [index, rank] of first.entries()) {
    const difference = (second[index] ?? 0) - rank;
    if (difference !== 0) return difference;
  }
  return 0;
}

const stages: Readonly<Record<string, number>> = { alpha: 0, beta: 1 };

function rankOf(version: string): readonly number[] | undefined {
  const [, major, stage, minor] = /^v([1-9]\d*)(?:(alpha|beta)([1-9]\d*))?$/.exec(version) ?? [];
  if (major === undefined) return undefined;
  return [stage === undefined ? 2 : (stages[stage] ?? 0), Number(major), Number(minor ?? 0)];
}
