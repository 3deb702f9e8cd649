import { type ApiError, forbidden } from "../status/api-error.ts";
import type { AdmissionRequest } from "./admission.ts";

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
