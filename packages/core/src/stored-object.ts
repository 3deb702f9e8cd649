import { KeelsonError } from "./error.ts";
import type { KubeObject, ObjectMeta, Stored } from "./meta.ts";
import { formatKey, type ObjectKey } from "./resource.ts";

/** An action needs an object that the API server has stored, and the object was not stored yet. */
export class NotStoredError extends KeelsonError {
  static override readonly brand: string = "@keelson/core.NotStoredError";
  readonly code = "NOT_STORED";
  readonly missing: keyof ObjectMeta;

  constructor(action: string, object: KubeObject, missing: keyof ObjectMeta) {
    super(
      `${action}: ${describeObject(object)} has no metadata.${missing}; create it first and use the object that the API ` +
        `server returned`,
    );
    this.missing = missing;
  }
}

/** Whether the object has what the API server sets on every object that it stores. */
export function isStored<T extends KubeObject>(object: T): object is Stored<T> {
  const { name, uid, resourceVersion, creationTimestamp } = object.metadata;
  return [name, uid, resourceVersion, creationTimestamp].every(
    (field) => field !== undefined && field !== "",
  );
}

/** A field of the metadata that the API server sets. Throws NotStoredError if it is missing. */
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
export function describeObject({ kind, metadata }: KubeObject): string {
  const { name = `${metadata.generateName ?? ""}*`, namespace } = metadata;
  return `${kind} ${formatKey(namespace === undefined ? { name } : { name, namespace })}`;
}

/** The key of an object. Throws NotStoredError if it has no name yet, which a stored object always has. */
export function keyOf(object: KubeObject): ObjectKey {
  const name = storedField("locate an object", object, "name");
  const { namespace } = object.metadata;
  return namespace === undefined ? { name } : { name, namespace };
}
