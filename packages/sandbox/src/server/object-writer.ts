import type { GenericObject, JsonPatchOperation, Status } from "@keelson/core";
import type { UserInfo } from "../auth/user.ts";
import type { MutableObject } from "../resource/mutable-object.ts";
import type { ServedResource } from "../resource/served-resource.ts";
import type { DeleteOptions } from "./object-api.ts";

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
    objects: readonly GenericObject[],
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

export type Patch = (
  | { readonly type: "json"; readonly operations: readonly JsonPatchOperation[] }
  | { readonly type: "merge"; readonly patch: Readonly<Record<string, unknown>> }
  | { readonly type: "strategic"; readonly patch: Readonly<Record<string, unknown>> }
  | { readonly type: "apply"; readonly configuration: MutableObject; readonly force: boolean }
) & {
  /** The fields that its text names twice, as field validation words it. */
  readonly repeated?: readonly string[];
};

export interface WriteOptions {
  readonly user: UserInfo;
  /** For apply as given; for other writes the given one or the first word of the user agent. */
  readonly manager: string;
  readonly dryRun: boolean;
  readonly fieldValidation: "Strict" | "Warn" | "Ignore";
  /** CreateOptions, UpdateOptions, PatchOptions, DeleteOptions as admission webhooks see them. */
  readonly admissionOptions?: Readonly<Record<string, unknown>>;
  /** Asked before a write that is no creation by its verb creates; throws ApiError if the user may not. */
  checkCreation?(): void;
  warn(text: string): void;
  readonly signal: AbortSignal;
}
