import type { KubeObject, ObjectMeta, Stored } from "./meta.ts";
import { type Kind, type Resource, servedIdentityOf } from "./resource.ts";

/** What objects of a kind are reduced to; see `projected`. */
export interface Projection {
  /** Distinguishes the projections of a kind, in messages too. */
  readonly name: string;
  /** That of the reduced objects, so that they cannot be taken for whole ones, nor written in their place. */
  readonly apiVersion: string;
  /** The fields that are kept. Must not change its argument, nor return the content that is to be dropped. */
  project(object: Stored): ProjectedFields;
}

/**
 * The fields of a projected object. Of its metadata, the name, namespace, uid, resource version, times and labels are kept
 * in any case; `metadata` adds others, such as some annotations, or replaces the labels.
 */
export type ProjectedFields = object & { readonly metadata?: ObjectMeta };

/** An object of a kind, reduced to some fields. */
export type Projected<Whole extends KubeObject, Fields extends object> = Omit<Fields, "metadata"> & {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Whole["metadata"];
};

/**
 * The same kind with its objects reduced to what `project` returns, such as a Secret to the hash of its content:
 *
 *     const SecretHash = projected(Secret, { name: "hash", project: ({ data = {} }) => ({ hash: hashOf(data) }) });
 *
 * The server sends whole objects; each is reduced when it arrives, and the rest is dropped at once. A cache holds a
 * projection apart from the whole kind and from its other projections. It is read and watched as any kind, with the
 * permissions of the kind; it cannot be written. Two projections of a kind with the same name must have the same
 * `project`.
 */
export function projected<Whole extends KubeObject, Fields extends ProjectedFields>(
  resource: Resource<Whole>,
  { name, project }: ProjectionOptions<Whole, Fields>,
): Resource<Projected<Whole, Fields>> {
  const { group, version, kind, plural, scope, isOptional } = resource;
  const projection: Projection = { name, apiVersion: `projected.keelson.dev/${name}`, project };
  return { group, version, kind, plural, scope, ...(isOptional === true && { isOptional }), projection };
}

export interface ProjectionOptions<Whole extends KubeObject, Fields extends ProjectedFields> {
  /** See Projection. */
  readonly name: string;
  /** See Projection. A method, since it becomes a function of any object: it only gets those of its kind. */
  project(object: Stored<Whole>): Fields;
}

/** The kind whose objects a projection reduces; any other kind is returned as it is. */
export function wholeOf(resource: Resource): Resource {
  const { projection, ...whole } = resource;
  return projection === undefined ? resource : whole;
}

/** `apiVersion` and `kind` of the objects of a kind as they are read. Those of a projection are not those of the server. */
export function identityOf(kind: Kind): Pick<KubeObject, "apiVersion" | "kind"> {
  const { projection } = kind;
  return projection === undefined
    ? servedIdentityOf(kind)
    : { apiVersion: projection.apiVersion, kind: kind.kind };
}

/** Whether an object has the identity of the objects of a kind, as they are read. */
export function hasIdentityOf<T extends KubeObject>(
  kind: Kind<T>,
  object: { readonly apiVersion?: unknown; readonly kind?: unknown },
): object is Stored<T> {
  const identity = identityOf(kind);
  return object.kind === identity.kind && object.apiVersion === identity.apiVersion;
}

/**
 * An object as readers of the kind see it: reduced, if the kind is a projection and the object is one of the server's. An
 * object of another kind is returned as it is. Throws what `project` throws.
 */
export function reduceTo(kind: Kind, object: Stored): Stored {
  const { projection } = kind;
  const served = servedIdentityOf(kind);
  if (projection === undefined || object.kind !== served.kind || object.apiVersion !== served.apiVersion)
    return object;
  const { metadata: chosen, ...fields } = projection.project(object);
  const { name, namespace, uid, resourceVersion, creationTimestamp }: Stored["metadata"] = object.metadata;
  const { deletionTimestamp, labels } = object.metadata;
  const metadata = {
    ...(labels !== undefined && { labels }),
    ...chosen,
    name,
    ...(namespace !== undefined && { namespace }),
    uid,
    resourceVersion,
    creationTimestamp,
    ...(deletionTimestamp !== undefined && { deletionTimestamp }),
  };
  return { ...fields, ...identityOf(kind), metadata };
}
