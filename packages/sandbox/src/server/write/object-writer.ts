import type { GenericObject, Status } from "@keelson/core";
import type { MutableObject } from "../../resource/mutable-object.ts";
import type { ServedResource } from "../../resource/served-resource.ts";
import type { StoredObject } from "../../store/store.ts";
import type { Patch } from "../body/patch-body.ts";
import type { DeleteOptions } from "../options/delete-options.ts";
import type { WriteOptions } from "../options/write-options.ts";

/**
 * Writes objects by all the rules of the API server: metadata, defaults, admission, validation, preconditions, managed
 * fields, deletion with grace and finalizers. Knows nothing of HTTP. Objects go in and come out in the version of the
 * resource that is passed; refusals are ApiErrors. Objects that are passed become the writer's, which changes them.
 */
export interface ObjectWriter {
  create(target: WriteTarget, object: MutableObject, options: WriteOptions): Promise<GenericObject>;
  /** A PUT; `created` where the kind allows to create by it. */
  update(target: NamedTarget, object: MutableObject, options: WriteOptions): Promise<Written>;
  patch(target: NamedTarget, patch: Patch, options: WriteOptions): Promise<Written>;
  /**
   * Answers the object if it is still there (grace, finalizers), else a Status of success that names it, as the real
   * server does.
   */
  delete(target: NamedTarget, options: DeleteOptions & WriteOptions): Promise<GenericObject | Status>;
  /** Deletes each of the objects, as listed by the caller; gives them as they were. */
  deleteCollection(
    resource: ServedResource,
    objects: readonly StoredObject[],
    options: DeleteOptions & WriteOptions,
  ): Promise<void>;
}

export interface WriteTarget {
  readonly resource: ServedResource;
  readonly namespace: string | undefined;
  /** `status`, or another that is written like a part of the object. */
  readonly subresource: string | undefined;
}

export interface NamedTarget extends WriteTarget {
  readonly name: string;
}

export interface Written {
  readonly object: GenericObject;
  readonly created: boolean;
}
