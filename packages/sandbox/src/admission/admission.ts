import type { Draft, GenericObject } from "@keelson/core";
import type { Pod } from "@keelson/core/kinds/core/v1";
import type { UserInfo } from "../auth/user.ts";
import { decoded, type MutableObject } from "../resource/mutable-object.ts";
import type { ServedResource } from "../resource/served-resource.ts";
import { type ApiError, forbidden } from "../status/api-error.ts";

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

export type PodDraft = Draft<Pod>;

/** The Pod that is written as such, not one of its parts; undefined if it is something else that is written. */
export function podOf(
  { resource, subresource }: AdmissionRequest,
  object: MutableObject | undefined,
): PodDraft | undefined {
  if (resource.plural !== "pods" || resource.group !== "" || subresource !== undefined) return undefined;
  return object === undefined ? undefined : typed(object);
}

/** The object was decoded by the schema of Pods, except for its spec, which may be missing. */
function typed(object: MutableObject): PodDraft {
  object.spec ??= { containers: [] };
  return decoded<PodDraft>(object);
}

interface NamedObject {
  readonly metadata: { readonly name?: string; readonly generateName?: string };
}

/** `pods "web" is forbidden: …`; an object that has no name yet is called by what its name will begin with. */
export function refused(
  { resource, name }: AdmissionRequest,
  object: NamedObject | undefined,
  why: string,
): ApiError {
  const known = name === "" ? (object?.metadata.name ?? "") : name;
  return forbidden(resource, known === "" ? (object?.metadata.generateName ?? "") : known, why);
}
