import type { ApiUse, NonResourceUse, ResourceUse } from "@keelson/core";

/** The smallest thing that a rule can allow: one verb on one resource, for one name or any. */
export interface ResourceGrant {
  readonly verb: string;
  readonly group: string;
  /** With its subresource: `pods/eviction`. */
  readonly resource: string;
  /** Absent: any name. */
  readonly name?: string;
}

export interface UrlGrant {
  readonly verb: string;
  readonly url: string;
}

export function isResourceUse(use: ApiUse): use is ResourceUse {
  return !("nonResourceUrl" in use);
}

/**
 * What a use needs. The name of an object is unknown to the authorizer when the object is created, and when a whole
 * collection is deleted: a rule for one name would never allow that.
 */
export function resourceGrantOf({ verb, group, resource, subresource, name }: ResourceUse): ResourceGrant {
  const isNameless = (verb === "create" && subresource === undefined) || verb === "deletecollection";
  return {
    verb,
    group,
    resource: subresource === undefined ? resource : `${resource}/${subresource}`,
    ...(name !== undefined && !isNameless && { name }),
  };
}

export function urlGrantOf({ verb, nonResourceUrl }: NonResourceUse): UrlGrant {
  return { verb, url: nonResourceUrl };
}

/** Whether the one grant includes the other. */
export function coversResource(grant: ResourceGrant, other: ResourceGrant): boolean {
  return (
    coversWord(grant.verb, other.verb) &&
    coversWord(grant.group, other.group) &&
    coversPath(grant.resource, other.resource) &&
    (grant.name === undefined || grant.name === other.name)
  );
}

export function coversUrl(grant: UrlGrant, other: UrlGrant): boolean {
  const isPrefix = grant.url.endsWith("*") && other.url.startsWith(grant.url.slice(0, -1));
  return coversWord(grant.verb, other.verb) && (isPrefix || grant.url === other.url);
}

function coversWord(word: string, other: string): boolean {
  return word === "*" || word === other;
}

/** A resource does not cover its subresources; `*` does, and a `*` before a subresource covers it for all. */
function coversPath(resource: string, other: string): boolean {
  if (resource === "*" || resource === other) return true;
  return resource.startsWith("*/") && other.endsWith(resource.slice(1));
}
