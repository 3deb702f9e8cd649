import type { Draft, KubeObject, ObjectMeta } from "@keelson/core";

/** A private copy of an object that a request changes. Made by `draft`. */
export interface MutableObject {
  apiVersion: string;
  kind: string;
  metadata: Draft<ObjectMeta>;
  [field: string]: unknown;
}

/**
 * An object with the type of its kind. Every object that is stored or about to be stored was decoded by the schema of
 * its kind: this is the one place that relies on it. The caller must pass the right kind.
 */
export function decoded<T extends KubeObject>(object: KubeObject): T {
  return object as T;
}
