import {
  apiVersionOf,
  isRecord,
  type KubeObject,
  type ObjectKey,
  type Resource,
  type Stored,
} from "@keelson/core";

/** Which kind, in which version and representation: `apps/v1/deployments`, `v1/pods as metadata`. */
export function resourceIdOf(resource: Resource): string {
  const name = `${apiVersionOf(resource)}/${resource.plural}`;
  return resource.isMetadataOnly === true ? `${name} as metadata` : name;
}

/** Whether two resources are the same objects on the server, maybe in another version or representation. */
export function isSameCollection(a: Resource, b: Resource): boolean {
  return a.group === b.group && a.plural === b.plural;
}

export function keyFrom(namespace: string | undefined, name: string): ObjectKey {
  return namespace === undefined ? { name } : { namespace, name };
}

/** How a store names the key of an object; see `keyTextOf`. */
export function keyTextOfObject({ metadata: { namespace = "", name = "" } }: KubeObject): string {
  return `${namespace}/${name}`;
}

/** Whether something is an object of the kind, by what it says of itself. */
export function isObjectOf<T extends KubeObject>(resource: Resource<T>, value: unknown): value is Stored<T> {
  const isMetadata = resource.isMetadataOnly === true;
  return (
    isRecord(value) &&
    isRecord(value.metadata) &&
    value.kind === (isMetadata ? "PartialObjectMetadata" : resource.kind) &&
    value.apiVersion === (isMetadata ? "meta.k8s.io/v1" : apiVersionOf(resource))
  );
}

/** What a server that is asked for the metadata alone would answer for the object. */
export function metadataOf({ metadata }: KubeObject): KubeObject {
  return { apiVersion: "meta.k8s.io/v1", kind: "PartialObjectMetadata", metadata };
}
