import { groups } from "../builtin/generated/discovery.ts";
import { compareVersions, type ServedResource } from "../resource/served-resource.ts";

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
