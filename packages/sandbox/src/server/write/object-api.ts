import type { KubeObject, ObjectKey, Resource, Stored } from "@keelson/core";
import type { UserInfo } from "../../auth/user.ts";
import type { DeleteOptions } from "../options/delete-options.ts";

/**
 * Reads and writes objects in this process, with the rules of requests (defaults, validation, admission, managed
 * fields) and without authorization. Writes throw ApiError. The controllers work with it.
 */
export interface ObjectApi {
  /** The current object; undefined if it does not exist. */
  get<T extends KubeObject>(resource: Resource<T>, key: ObjectKey): Stored<T> | undefined;
  list<T extends KubeObject>(resource: Resource<T>, namespace?: string): readonly Stored<T>[];
  create<T extends KubeObject>(resource: Resource<T>, object: T, options: WriterOptions): Promise<Stored<T>>;
  /** Replaces the object, or its subresource; a stale resourceVersion is a conflict. */
  update<T extends KubeObject>(resource: Resource<T>, object: T, options: WriterOptions): Promise<Stored<T>>;
  delete(resource: Resource, key: ObjectKey, options: DeleteOptions & WriterOptions): Promise<void>;
}

export interface WriterOptions {
  /** Default: the system user. */
  readonly user?: UserInfo;
  /** The field manager, such as `kube-controller-manager`. */
  readonly manager: string;
  readonly subresource?: string;
}
