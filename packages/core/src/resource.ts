import type { GenericObject, KubeObject } from "./meta.ts";
import type { Projection } from "./projected.ts";

export type Scope = "Namespaced" | "Cluster";

declare const objectType: unique symbol;
declare const writtenType: unique symbol;

/** A kind of object as a value: its name, and, for the compiler, what its objects look like. */
export interface Kind<T extends KubeObject = KubeObject> {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** Only the metadata of the objects is requested; see `metadataOnly`. */
  readonly isMetadataOnly?: true;
  /** What objects are reduced to when they arrive; see `projected`. */
  readonly projection?: Projection;
  /** The server may not serve the kind; see `ifServed`. */
  readonly isOptional?: true;
  /** Never set. */
  readonly [objectType]?: T;
}

/**
 * A kind that has a path of its own, and how to address its objects. Built-in kinds are such values, custom ones are
 * made by `defineResource`, and unknown ones by `genericResource`.
 */
export interface Resource<T extends KubeObject = KubeObject> extends Kind<T> {
  /** The lower-case plural, as in paths and RBAC rules. */
  readonly plural: string;
  readonly scope: Scope;
}

/**
 * The type of a kind's objects as they are written, where fields that the server fills in may be left out. A kind
 * without it is written as it is read.
 */
export interface WrittenAs<Written> {
  /** Never set. */
  readonly [writtenType]?: Written;
}

/** The type of the objects of a kind. */
export type ObjectOf<K> = K extends Kind<infer T> ? T : never;

export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** A kind whose objects have no described type, such as one that was found by discovery. */
export function genericResource(
  description: Pick<Resource, "group" | "version" | "kind" | "plural" | "scope">,
): Resource<GenericObject> {
  const { group, version, kind, plural, scope } = description;
  return { group, version, kind, plural, scope };
}

/** An object of which only the metadata was requested. */
export interface PartialObjectMetadata extends KubeObject {
  readonly apiVersion: "meta.k8s.io/v1";
  readonly kind: "PartialObjectMetadata";
}

/** The same kind with the metadata of its objects only, so that the rest is never transferred. */
export function metadataOnly(resource: Resource): Resource<PartialObjectMetadata> {
  const { group, version, kind, plural, scope, isOptional } = resource;
  const whole = { group, version, kind, plural, scope, ...(isOptional === true && { isOptional }) };
  return { ...whole, isMetadataOnly: true };
}

/**
 * The same kind, which the server may not serve: its CustomResourceDefinition may be absent, or its aggregated API. A cache
 * has no objects of it then, instead of waiting for it, and watches it as soon as it is served. A client without a cache
 * fails as for any kind that is not served.
 */
export function ifServed<T extends KubeObject>(resource: Resource<T>): Resource<T> {
  const { group, version, kind, plural, scope, isMetadataOnly, projection } = resource;
  return {
    ...{ group, version, kind, plural, scope, isOptional: true },
    ...(isMetadataOnly === true && { isMetadataOnly }),
    ...(projection !== undefined && { projection }),
  };
}

/** `apps/v1`, or `v1` for the core group. */
export function apiVersionOf({ group, version }: Pick<GroupVersionKind, "group" | "version">): string {
  return group === "" ? version : `${group}/${version}`;
}

/** `apiVersion` and `kind` of the objects of a kind, as the server sends them. */
export function servedIdentityOf(kind: Kind): Pick<KubeObject, "apiVersion" | "kind"> {
  return kind.isMetadataOnly === true
    ? { apiVersion: "meta.k8s.io/v1", kind: "PartialObjectMetadata" }
    : { apiVersion: apiVersionOf(kind), kind: kind.kind };
}

export function parseApiVersion(apiVersion: string): { readonly group: string; readonly version: string } {
  const slash = apiVersion.indexOf("/");
  return slash === -1
    ? { group: "", version: apiVersion }
    : { group: apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) };
}

export function kindOf(object: Pick<KubeObject, "apiVersion" | "kind">): GroupVersionKind {
  return { ...parseApiVersion(object.apiVersion), kind: object.kind };
}

/** `deployments.apps`, or `pods` for the core group: how people and RBAC rules name a kind. */
export function groupResourceOf({ plural, group }: Pick<Resource, "plural" | "group">): string {
  return group === "" ? plural : `${plural}.${group}`;
}

/** The key of an object: its name, and its namespace unless the kind is cluster-scoped. */
export interface ObjectKey {
  readonly namespace?: string;
  readonly name: string;
}

/** `shop/web`, or `node-1` for an object without a namespace. */
export function formatKey({ namespace, name }: ObjectKey): string {
  return namespace === undefined || namespace === "" ? name : `${namespace}/${name}`;
}
