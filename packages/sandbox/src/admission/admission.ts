import type { Draft, GenericObject } from "@keelson/core";
import type { Pod } from "@keelson/core/kinds/core/v1";
import type { UserInfo } from "../auth/user.ts";
import { decoded, type MutableObject } from "../resource/mutable-object.ts";
import type { ServedResource } from "../resource/served-resource.ts";
import { type ApiError, forbidden } from "../status/api-error.ts";

/** A write that admission checks. */
export interface AdmissionRequest {
  readonly operation: "CREATE" | "UPDATE" | "DELETE" | "CONNECT";
  readonly resource: ServedResource;
  readonly subresource: string | undefined;
  readonly name: string;
  readonly namespace: string | undefined;
  readonly user: UserInfo;
  readonly dryRun: boolean;
  readonly oldObject: GenericObject | undefined;
  /** The CreateOptions, UpdateOptions, PatchOptions or DeleteOptions of the request. */
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

/** The plugins, in order. */
export interface AdmissionChain {
  readonly mutating: readonly MutatingAdmission[];
  readonly validating: readonly ValidatingAdmission[];
}

export type PodDraft = Draft<Pod>;

/** The Pod that is written; undefined for subresources and for other kinds. */
export function podOf(
  { resource, subresource }: AdmissionRequest,
  object: MutableObject | undefined,
): PodDraft | undefined {
  if (resource.plural !== "pods" || resource.group !== "" || subresource !== undefined) return undefined;
  return object === undefined ? undefined : typed(object);
}

/** The schema of Pods has decoded the object; only its spec may be missing. */
function typed(object: MutableObject): PodDraft {
  object.spec ??= { containers: [] };
  return decoded<PodDraft>(object);
}

interface NamedObject {
  readonly metadata: { readonly name?: string; readonly generateName?: string };
}

/** `pods "web" is forbidden: …`; an object without a name is named by its generateName. */
export function refused(
  { resource, name }: AdmissionRequest,
  object: NamedObject | undefined,
  why: string,
): ApiError {
  const known = name === "" ? (object?.metadata.name ?? "") : name;
  return forbidden(resource, known === "" ? (object?.metadata.generateName ?? "") : known, why);
}
