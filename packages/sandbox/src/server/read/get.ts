import type { GenericObject } from "@keelson/core";
import type { ServedResource } from "../../resource/served-resource.ts";
import { notFound, plainError } from "../../status/api-error.ts";
import { revisionTooLarge } from "../../status/request-errors.ts";
import { type StoredObject, storeKey } from "../../store/store.ts";
import { requestedRevision } from "../request/resource-version.ts";
import { type ReadDependencies, readableRevision } from "../server-dependencies.ts";
import { servedObject } from "../write/served-objects.ts";

interface GetTarget {
  readonly resource: ServedResource;
  readonly namespace: string | undefined;
  readonly name: string;
}

/** An object in the version of the resource. Throws ApiError if it does not exist. */
export async function getObject(
  dependencies: ReadDependencies,
  target: GetTarget,
  resourceVersion: string,
): Promise<GenericObject> {
  const { resource, name } = target;
  const found = findObject(dependencies, target, resourceVersion);
  if (found === undefined) throw notFound(resource, name);
  return servedObject(resource, found);
}

function findObject(
  dependencies: ReadDependencies,
  { resource, namespace, name }: GetTarget,
  resourceVersion: string,
): GenericObject | undefined {
  const { store } = dependencies;
  const key = storeKey(namespace, name);
  if (resourceVersion === "") return store.get(resource.collection, key);
  const oldest = requestedRevision(resourceVersion, plainError);
  if (oldest > store.revision) throw revisionTooLarge(oldest, store.revision);
  const revision = readableRevision(dependencies, oldest);
  if (revision === store.revision) return store.get(resource.collection, key);
  const range = namespace === undefined ? { revision } : { revision, namespace };
  const matches = ({ metadata }: StoredObject): boolean => metadata.name === name;
  return store.list(resource.collection, { ...range, matches, limit: 1 })[0];
}
