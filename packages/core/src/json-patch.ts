/** One step of an RFC 6902 patch. The API server applies all steps of a patch or none. */
export type JsonPatchOperation =
  | { readonly op: "add" | "replace" | "test"; readonly path: string; readonly value: unknown }
  | { readonly op: "remove"; readonly path: string }
  | { readonly op: "move" | "copy"; readonly from: string; readonly path: string };

/**
 * The JSON pointer (RFC 6901) to a field: `pointer("metadata", "labels", "example.com/app")`. Names are escaped. An
 * array's element is named by its index, the place after its last one by `-`.
 */
export function pointer(...names: readonly (string | number)[]): string {
  return names.map((name) => `/${String(name).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}
