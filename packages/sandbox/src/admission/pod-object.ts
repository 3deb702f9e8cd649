import type { Draft } from "@keelson/core";
import type { Pod } from "@keelson/core/kinds/core/v1";
import { decoded } from "../resource/decoded.ts";
import type { MutableObject } from "../resource/mutable-object.ts";
import type { AdmissionRequest } from "./admission.ts";

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
