import type { ApiCall } from "@keelson/client";
import { isRecord, type KubeObject } from "@keelson/core";

/** Whether the call is to change something. */
export function isWrite({ verb }: ApiCall): boolean {
  return verb !== "get" && verb !== "list" && verb !== "watch";
}

/** Whether the server is to keep nothing of it. Deletes say so in their body. */
export function isDryRun({ query, body }: ApiCall): boolean {
  return query.dryRun !== undefined || (isRecord(body?.value) && body.value.dryRun !== undefined);
}

/** The object's name: of a create only the body has it, and only if the server is not to choose it. */
export function nameIn({ name, body }: ApiCall): string | undefined {
  if (name !== undefined) return name;
  return isObject(body?.value) ? body.value.metadata.name : undefined;
}

/** Whether two calls are about the same kind, whichever version and subresource of it. */
export function areOfOneKind(a: ApiCall, b: ApiCall): boolean {
  return a.resource.plural === b.resource.plural && a.resource.group === b.resource.group;
}

/** An object, or a list, which the metadata of a list tells. */
export function isObject(value: unknown): value is KubeObject {
  return isRecord(value) && typeof value.kind === "string" && isRecord(value.metadata);
}

/** An object as the call's kind has them, and not what a subresource such as `scale` is answered by. */
export function isOwnObject({ resource }: ApiCall, value: unknown): value is KubeObject {
  const kind = resource.isMetadataOnly === true ? "PartialObjectMetadata" : resource.kind;
  return isObject(value) && value.kind === kind;
}

/** The version of the object that was answered; none for a list. */
export function versionIn(answer: unknown): string | undefined {
  return isObject(answer) && !("items" in answer) ? answer.metadata.resourceVersion : undefined;
}

/** The server's answers are parsed and left as they are; what the cache gives is frozen (law 5). */
export function isFromCache(answer: unknown): boolean {
  if (Object.isFrozen(answer)) return true;
  if (!isRecord(answer) || !Array.isArray(answer.items)) return false;
  return Object.isFrozen(answer.items) || (answer.items.length > 0 && Object.isFrozen(answer.items[0]));
}
