import type { GenericObject } from "@keelson/core";
import type { UserInfo } from "../auth/user.ts";
import type { MutableObject } from "../resource/mutable-object.ts";
import type { ServedResource } from "../resource/served-resource.ts";

/** A write that is about to happen. */
export interface AdmissionRequest {
  readonly operation: "CREATE" | "UPDATE" | "DELETE" | "CONNECT";
  readonly resource: ServedResource;
  readonly subresource: string | undefined;
  readonly name: string;
  readonly namespace: string | undefined;
  readonly user: UserInfo;
  readonly dryRun: boolean;
  readonly oldObject: GenericObject | undefined;
  /** CreateOptions, UpdateOptions, PatchOptions or DeleteOptions, as they came. */
  readonly options: Readonly<Record<string, unknown>>;
  /** Adds a `Warning` header to the response. */
  warn(text: string): void;
  readonly signal: AbortSignal;
}

/** A check that may change the object; throws ApiError to refuse. */
export interface MutatingAdmission {
  readonly name: string;
  /** The object is the one to change in place; undefined for DELETE. */
  mutate(request: AdmissionRequest, object: MutableObject | undefined): Promise<void> | void;
}

/** A check that sees the object as it will be stored; throws ApiError to refuse. */
export interface ValidatingAdmission {
  readonly name: string;
  validate(request: AdmissionRequest, object: GenericObject | undefined): Promise<void> | void;
}

/** In order. */
export interface AdmissionChain {
  readonly mutating: readonly MutatingAdmission[];
  readonly validating: readonly ValidatingAdmission[];
}
