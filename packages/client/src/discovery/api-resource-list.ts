import { type GenericObject, genericResource, isRecord, type Resource } from "@keelson/core";

/** A resource as the server describes it. */
export interface DiscoveredResource extends Resource<GenericObject> {
  readonly verbs: readonly string[];
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  /** Names without the resource, such as `status`. */
  readonly subresources: readonly string[];
}

/** Reads an APIResourceList, the description of one group and version. */
export function readApiResourceList(
  group: string,
  version: string,
  list: unknown,
): readonly DiscoveredResource[] {
  const entries = arrayOf(isRecord(list) ? list.resources : undefined).filter(isRecord);
  const subresourcesOf = (plural: string): readonly string[] =>
    entries.flatMap(({ name }) =>
      typeof name === "string" && name.startsWith(`${plural}/`) ? [name.slice(plural.length + 1)] : [],
    );
  return entries.flatMap(({ name, kind, namespaced, verbs, shortNames, categories }) => {
    if (typeof name !== "string" || typeof kind !== "string" || name.includes("/")) return [];
    const scope = namespaced === true ? "Namespaced" : "Cluster";
    return [
      {
        ...genericResource({ group, version, kind, plural: name, scope }),
        verbs: strings(verbs),
        shortNames: strings(shortNames),
        categories: strings(categories),
        subresources: subresourcesOf(name),
      },
    ];
  });
}

/** Reads an APIGroupDiscoveryList, the description of all groups in one document. */
export function readGroupDiscoveryList(list: unknown): readonly DiscoveredResource[] {
  const groups = arrayOf(isRecord(list) ? list.items : undefined).filter(isRecord);
  return groups.flatMap((entry) => {
    const group =
      isRecord(entry.metadata) && typeof entry.metadata.name === "string" ? entry.metadata.name : "";
    return arrayOf(entry.versions)
      .filter(isRecord)
      .flatMap(({ version, resources }) =>
        arrayOf(resources)
          .filter(isRecord)
          .flatMap((resource) => readDiscovered(group, String(version), resource)),
      );
  });
}

function readDiscovered(
  group: string,
  version: string,
  entry: Readonly<Record<string, unknown>>,
): readonly DiscoveredResource[] {
  const { resource: plural, responseKind, scope, verbs, shortNames, categories, subresources } = entry;
  const kind = isRecord(responseKind) ? responseKind.kind : undefined;
  // A resource that exists only for its subresources has no kind of its own.
  if (typeof plural !== "string" || typeof kind !== "string" || kind === "") return [];
  return [
    {
      ...genericResource({
        group,
        version,
        kind,
        plural,
        scope: scope === "Namespaced" ? "Namespaced" : "Cluster",
      }),
      verbs: strings(verbs),
      shortNames: strings(shortNames),
      categories: strings(categories),
      subresources: arrayOf(subresources)
        .filter(isRecord)
        .map(({ subresource }) => String(subresource)),
    },
  ];
}

export function arrayOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function strings(value: unknown): readonly string[] {
  return arrayOf(value).filter((element) => typeof element === "string");
}
