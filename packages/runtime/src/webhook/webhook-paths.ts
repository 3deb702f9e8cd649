import type { GroupVersionKind } from "@keelson/core";

/** Where the API server asks for conversions unless told otherwise. */
export const convertPath = "/convert";

/** Such as `/validate-example-com-v1-webapp`: the paths of controller-runtime, so that its manifests fit. */
export function admissionPath(
  verb: "mutate" | "validate",
  { group, version, kind }: GroupVersionKind,
  subresource?: string,
): string {
  const base = `/${verb}-${group.replaceAll(".", "-")}-${version}-${kind.toLowerCase()}`;
  return subresource === undefined ? base : `${base}-${subresource}`;
}
