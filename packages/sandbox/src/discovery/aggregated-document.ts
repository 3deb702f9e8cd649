import type { ServedResource, Subresource } from "../resource/served-resource.ts";
import type { ServedGroup } from "./served-groups.ts";

/** The media type of aggregated discovery. */
export const aggregatedType = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

/** The aggregated discovery document of these groups. */
export function aggregatedDocument(groups: readonly ServedGroup[]): object {
  return {
    kind: "APIGroupDiscoveryList",
    apiVersion: "apidiscovery.k8s.io/v2",
    metadata: {},
    items: groups.map(({ name, versions }) => ({
      metadata: name === "" ? {} : { name },
      versions: versions.map(({ version, resources }) => ({
        version,
        resources: resources.map(resourceEntry),
        freshness: "Current",
      })),
    })),
  };
}

function resourceEntry(resource: ServedResource): object {
  const { plural, scope, singular, verbs, shortNames, categories, kind, subresources } = resource;
  const parts = [...subresources.values()].map((part) => subresourceEntry(resource, part));
  return {
    resource: plural,
    responseKind: responseKind(resource, { kind }),
    scope,
    singularResource: singular,
    verbs,
    ...(shortNames.length === 0 ? {} : { shortNames }),
    ...(categories.length === 0 ? {} : { categories }),
    ...(parts.length === 0 ? {} : { subresources: parts }),
  };
}

function subresourceEntry(resource: ServedResource, part: Subresource): object {
  return { subresource: part.name, responseKind: responseKind(resource, part), verbs: part.verbs };
}

/** Built-in kinds name their group and version only where it differs from that of the resource. */
function responseKind(
  { isCustom, group, version }: ServedResource,
  part: Pick<Subresource, "kind" | "group" | "version">,
): object {
  const own = isCustom ? { group, version } : { group: "", version: "" };
  return { group: part.group ?? own.group, version: part.version ?? own.version, kind: part.kind };
}
