import type { ApiCall } from "@keelson/client";
import { isRecord, type KubeObject } from "@keelson/core";

/** The name of the call's object. A create has it in its body only, and not at all if the server chooses the name. */
export function objectNameOf({ name, body }: ApiCall): string | undefined {
  if (name !== undefined) return name;
  return isObject(body?.value) ? body.value.metadata.name : undefined;
}

/** Whether a value is an object or a list: both have a kind and metadata. */
export function isObject(value: unknown): value is KubeObject {
  return isRecord(value) && typeof value.kind === "string" && isRecord(value.metadata);
}

/** Whether a value is an object of the call's kind, and not the response of a subresource such as a Scale. */
export function isObjectOfCall({ resource }: ApiCall, value: unknown): value is KubeObject {
  const kind = resource.isMetadataOnly === true ? "PartialObjectMetadata" : resource.kind;
  return isObject(value) && value.kind === kind;
}

/** The resource version of the object in a response; undefined for a list. */
export function versionIn(response: unknown): string | undefined {
  return isObject(response) && !("items" in response) ? response.metadata.resourceVersion : undefined;
}
