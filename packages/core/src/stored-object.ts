import { KeelsonError } from "./error.ts";
import type { KubeObject, ObjectMeta, Stored } from "./meta.ts";
import { formatKey, type ObjectKey } from "./resource.ts";

/** Something was to be done with an object that only makes sense once the API server has stored it. */
export class NotStoredError extends KeelsonError {
  static override readonly brand: string = "@keelson/core.NotStoredError";
  readonly code = "NOT_STORED";
  readonly missing: keyof ObjectMeta;

  constructor(action: string, object: KubeObject, missing: keyof ObjectMeta) {
    super(
      `${action}: ${describe(object)} has no metadata.${missing}; create it first and use the object that the API ` +
        `server gave back`,
    );
    this.missing = missing;
  }
}

/** Whether the object has what the API server gives to every object that it stores. */
export function isStored<T extends KubeObject>(object: T): object is Stored<T> {
  const { name, uid, resourceVersion, creationTimestamp } = object.metadata;
  return [name, uid, resourceVersion, creationTimestamp].every(
    (field) => field !== undefined && field !== "",
  );
}

/** A field of the metadata that the API server sets. Throws NotStoredError if it is not there. */
export function storedField(
  action: string,
  object: KubeObject,
  field: "name" | "uid" | "resourceVersion",
): string {
  const value = object.metadata[field];
  if (value === undefined || value === "") throw new NotStoredError(action, object, field);
  return value;
}

/** How messages name an object: `WebApp shop/web`. */
export function describe({ kind, metadata }: KubeObject): string {
  const { name = `${metadata.generateName ?? ""}*`, namespace } = metadata;
  return `${kind} ${formatKey(namespace === undefined ? { name } : { name, namespace })}`;
}

/** Where an object that the server has stored is. Throws NotStoredError if it has no name yet. */
export function keyOf(object: KubeObject): ObjectKey {
  const name = storedField("locate an object", object, "name");
  const { namespace } = object.metadata;
  return namespace === undefined ? { name } : { name, namespace };
}
