import {
  apiVersionOf,
  draft,
  freeze,
  isRecord,
  type KubeObject,
  type Resource,
  type Stored,
} from "@keelson/core";
import { withoutManagedFields } from "../watch/strip-managed-fields.ts";
import type { WatchScope } from "./cache-scopes.ts";

/** Identifies a kind with its version and representation: `apps/v1/deployments`, `v1/pods as metadata`. */
export function resourceIdOf(resource: Resource): string {
  const name = `${apiVersionOf(resource)}/${resource.plural}`;
  return resource.isMetadataOnly === true ? `${name} as metadata` : name;
}

/** Whether two resources are the same objects on the server, maybe in another version or representation. */
export function isSameCollection(a: Resource, b: Resource): boolean {
  return a.group === b.group && a.plural === b.plural;
}

/** Whether a value is an object of the kind, by its own kind and apiVersion. */
export function isObjectOf<T extends KubeObject>(resource: Resource<T>, value: unknown): value is Stored<T> {
  const isMetadata = resource.isMetadataOnly === true;
  return (
    isRecord(value) &&
    isRecord(value.metadata) &&
    typeof value.metadata.name === "string" &&
    value.kind === (isMetadata ? "PartialObjectMetadata" : resource.kind) &&
    value.apiVersion === (isMetadata ? "meta.k8s.io/v1" : apiVersionOf(resource))
  );
}

/** The response of a server to a request for the metadata alone. */
function metadataOf({ metadata }: KubeObject): KubeObject {
  return { apiVersion: "meta.k8s.io/v1", kind: "PartialObjectMetadata", metadata };
}

/**
 * Converts an object of the server to what the store holds: a frozen copy without managedFields, maybe only its metadata,
 * transformed. Undefined if it is of another version or contains less than the store holds. Throws what the transform
 * throws.
 */
export function toStoredShape<T extends KubeObject>(
  resource: Resource<T>,
  { transform, keepManagedFields }: WatchScope<T>,
  object: KubeObject,
): Stored<T> | undefined {
  // The response belongs to the caller, which may change it; and a transform may change its argument.
  const whole: KubeObject = draft(object);
  const kept = keepManagedFields ? whole : withoutManagedFields(whole);
  const represented = resource.isMetadataOnly === true ? metadataOf(kept) : kept;
  if (!isObjectOf(resource, represented)) return undefined;
  const transformed = transform === undefined ? represented : transform(represented);
  freeze(transformed);
  return transformed;
}
