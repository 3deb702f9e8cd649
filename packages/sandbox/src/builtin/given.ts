import type { Draft, KubeObject, ObjectMeta } from "@keelson/core";

/**
 * A value as a client gives it: its fields have the types of the kind, because it was decoded by its schema, but any
 * of them may be missing, even required ones, and texts may be others than the known ones. Validation says so.
 */
export type Given<T> = T extends string
  ? string
  : T extends readonly (infer Element)[]
    ? readonly Given<Element>[]
    : T extends object
      ? string extends keyof T
        ? { readonly [Key in keyof T]: Given<T[Key]> }
        : { readonly [Field in keyof T]?: Given<T[Field]> }
      : T;

/** A whole object as a client gives it. The server itself makes sure of the metadata. */
export type GivenObject<T extends KubeObject> = KubeObject &
  Given<Omit<T, "apiVersion" | "kind" | "metadata">>;

/** A private copy of one, which may be changed. */
export type GivenDraft<T extends KubeObject> = {
  apiVersion: string;
  kind: string;
  metadata: Draft<ObjectMeta>;
} & Draft<Given<Omit<T, "apiVersion" | "kind" | "metadata">>>;
