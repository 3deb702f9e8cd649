import type { Draft, ObjectMeta } from "@keelson/core";

/** A private copy of an object, on its way through the server. Made by `draft`. */
export interface MutableObject {
  apiVersion: string;
  kind: string;
  metadata: Draft<ObjectMeta>;
  [field: string]: unknown;
}
