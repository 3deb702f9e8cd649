import type { KubeObject, ObjectKey, Resource, Stored } from "@keelson/core";
import type { UserInfo } from "../../auth/user.ts";
import type { DeleteOptions } from "../options/delete-options.ts";

/**
 * Reads and writes objects inside the process, by the same way as requests go (defaults, validation, admission, managed
 * fields), without authorization. Writes throw ApiError. What the controllers work with.
 */
export interface ObjectApi {
  /** The present state; undefined if there is none. */
  get<T extends KubeObject>(resource: Resource<T>, key: ObjectKey): Stored<T> | undefined;
  list<T extends KubeObject>(resource: Resource<T>, namespace?: string): readonly Stored<T>[];
  create<T extends KubeObject>(resource: Resource<T>, object: T, options: WriterOptions): Promise<Stored<T>>;
  /** Replaces the object, or with `subresource` its part; a stale resourceVersion is a conflict. */
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
