import type { Draft, KubeObject, ObjectMeta } from "@keelson/core";

/** A private copy of an object, on its way through the server. Made by `draft`. */
export interface MutableObject {
  apiVersion: string;
  kind: string;
  metadata: Draft<ObjectMeta>;
  [field: string]: unknown;
}

/**
 * An object as one of its kind. Everything that is stored, or on its way there, was decoded by the schema of its kind, so
 * it has that form: this is the one place that relies on it. The caller answers for the kind.
 */
export function decoded<T extends KubeObject>(object: KubeObject): T {
  return object as T;
}
