import type { Clock, GenericObject, Random, Status } from "@keelson/core";
import type { AdmissionChain } from "../../admission/admission.ts";
import type { MutableObject } from "../../resource/mutable-object.ts";
import type { ResourceRegistry } from "../../resource/resource-registry.ts";
import type { ServedResource } from "../../resource/served-resource.ts";
import type { StoredObjects } from "../../resource/stored-objects.ts";
import type { WriteContext } from "../../resource/strategy.ts";
import type { Store, StoredObject } from "../../store/store.ts";
import type { Patch } from "../body/patch-body.ts";
import type { DeleteOptions } from "../options/delete-options.ts";
import type { WriteOptions } from "../options/write-options.ts";

/**
 * Writes objects by all the rules of the API server: metadata, defaults, admission, validation, preconditions, managed
 * fields, deletion with grace period and finalizers. Independent of HTTP. Objects are passed and returned in the version
 * of the resource. Throws ApiError if a write is refused. The writer changes the objects that are passed.
 */
export interface ObjectWriter {
  create(target: WriteTarget, object: MutableObject, options: WriteOptions): Promise<GenericObject>;
  /** A PUT; it creates the object if the kind allows create on update. */
  update(target: NamedTarget, object: MutableObject, options: WriteOptions): Promise<Written>;
  patch(target: NamedTarget, patch: Patch, options: WriteOptions): Promise<Written>;
  /**
   * Returns the object if it still exists (grace period, finalizers), else a Status that names it, as the real server
   * does.
   */
  delete(target: NamedTarget, options: DeleteOptions & WriteOptions): Promise<GenericObject | Status>;
  /** Deletes each of the objects, which the caller has listed. */
  deleteCollection(
    resource: ServedResource,
    objects: readonly StoredObject[],
    options: DeleteOptions & WriteOptions,
  ): Promise<void>;
}

export interface WriteTarget {
  readonly resource: ServedResource;
  readonly namespace: string | undefined;
  /** `status`, or another subresource that is written as a part of the object. */
  readonly subresource: string | undefined;
}

export interface NamedTarget extends WriteTarget {
  readonly name: string;
}

export interface Written {
  readonly object: GenericObject;
  readonly created: boolean;
}

/** What all steps of a write work with. */
export interface WriterDependencies {
  readonly store: Store;
  readonly registry: ResourceRegistry;
  readonly read: StoredObjects;
  /** Called for each write, because webhook configurations change. */
  readonly admission: () => AdmissionChain;
  readonly clock: Clock;
  readonly random: Random;
}

export function writeContext(
  { clock, read }: WriterDependencies,
  subresource: string | undefined,
  { user }: WriteOptions,
): WriteContext {
  return { subresource, user, now: clock.now(), read };
}
