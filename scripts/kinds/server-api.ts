import type { ServedKind } from "./declaration.ts";
import type { GroupVersion, ServerApi } from "./kind-modules.ts";
import type { Schema, SchemaKind } from "./schema.ts";

/** Returns the body of the server's response for a path. */
export type Get = (path: string) => Promise<string>;

interface OpenApiIndex {
  readonly paths: Readonly<Record<string, { readonly serverRelativeURL: string }>>;
}

interface OpenApiDocument {
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** What discovery lists of one group and version. */
export interface ResourceList {
  readonly resources: readonly Pick<DiscoveredResource, "name" | "kind" | "namespaced">[];
}

/** One resource or subresource, with all that discovery lists of it. */
export interface DiscoveredResource {
  readonly name: string;
  readonly singularName: string;
  readonly namespaced: boolean;
  readonly group?: string;
  readonly version?: string;
  readonly kind: string;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
}

/** A named group, in the server's order, with its stable versions, the preferred first. */
export interface DiscoveredGroup {
  readonly name: string;
  readonly versions: readonly string[];
}

interface GroupList {
  readonly groups: readonly {
    readonly name: string;
    readonly versions: readonly { readonly version: string }[];
  }[];
}

/** All that is read of a server: for the kinds of core, and for the sandbox, which serves them. */
export interface DiscoveredApi extends ServerApi {
  readonly groups: readonly DiscoveredGroup[];
  readonly groupVersions: readonly DiscoveredVersion[];
}

export interface DiscoveredVersion extends GroupVersion {
  /** The kinds again, and their subresources, with all that discovery lists. */
  readonly resources: readonly DiscoveredResource[];
}

/** Reads from a server the kinds of every stable version that it serves, and all schemas that these use. */
export async function readServerApi(get: Get): Promise<DiscoveredApi> {
  const version: { readonly gitVersion: string } = JSON.parse(await get("/version"));
  const index: OpenApiIndex = JSON.parse(await get("/openapi/v3"));
  const groupVersions: DiscoveredVersion[] = [];
  const schemas = new Map<string, Schema>();
  for (const [path, { serverRelativeURL }] of Object.entries(index.paths)) {
    const api = stableApi(path);
    if (api === undefined) continue;
    const { resources }: { readonly resources: readonly DiscoveredResource[] } = JSON.parse(
      await get(`/${path}`),
    );
    groupVersions.push({ ...api, kinds: servedKinds(api, { resources }), resources });
    const document: OpenApiDocument = JSON.parse(await get(serverRelativeURL));
    // Documents repeat the schemas they share.
    for (const [name, schema] of Object.entries(document.components.schemas)) schemas.set(name, schema);
  }
  const list: GroupList = JSON.parse(await get("/apis"));
  const unstored = unstoredKinds(groupVersions);
  return { kubernetes: version.gitVersion, groups: stableGroups(list), groupVersions, schemas, unstored };
}

/**
 * The kinds whose objects the server returns without storing them: under no path can they be watched or updated. A
 * subresource may be of a kind of another group, which it names.
 */
export function unstoredKinds(
  versions: readonly Pick<DiscoveredVersion, "group" | "version" | "resources">[],
): readonly SchemaKind[] {
  const served = versions.flatMap(({ group, version, resources }) =>
    resources.map((resource) => ({ group, version, ...resource })),
  );
  const byKind = Map.groupBy(served, ({ group, version, kind }) => `${group}/${version} ${kind}`);
  return [...byKind.values()].flatMap((resources) => {
    const verbs = resources.flatMap((resource) => resource.verbs);
    if (verbs.includes("watch") || verbs.includes("update")) return [];
    return resources.slice(0, 1).map(({ group, version, kind }) => ({ group, version, kind }));
  });
}

function stableGroups({ groups }: GroupList): readonly DiscoveredGroup[] {
  return groups
    .map(({ name, versions }): DiscoveredGroup => {
      const stable = versions.filter(({ version }) => stableApi(`apis/${name}/${version}`) !== undefined);
      return { name, versions: stable.map(({ version }) => version) };
    })
    .filter(({ versions }) => versions.length > 0);
}

interface Api {
  readonly group: string;
  readonly version: string;
}

/** What `api/v1` or `apis/apps/v1` stands for; undefined for other paths and for versions such as `v1beta1`. */
export function stableApi(path: string): Api | undefined {
  const [, group = "", version] = /^(?:api|apis\/([^/]+))\/(v\d+)$/.exec(path) ?? [];
  return version === undefined ? undefined : { group, version };
}

/** The kinds of a group and version that have a path of their own, unlike `pods/eviction`. */
export function servedKinds(api: Api, { resources }: ResourceList): readonly ServedKind[] {
  return resources
    .filter(({ name }) => !name.includes("/"))
    .map(({ name, kind, namespaced }) => {
      return { ...api, kind, plural: name, scope: namespaced ? "Namespaced" : "Cluster" };
    });
}
