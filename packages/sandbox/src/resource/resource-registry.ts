import type { ServedResource } from "./served-resource.ts";

/** Which kinds are served now. Built-in ones always; custom ones come and go. */
export interface ResourceRegistry {
  find(group: string, version: string, plural: string): ServedResource | undefined;
  findKind(group: string, version: string, kind: string): ServedResource | undefined;
  /** In the storage version. */
  findStored(group: string, plural: string): ServedResource | undefined;
  all(): readonly ServedResource[];
  /** Replaces what one owner (a CustomResourceDefinition's name, or `builtin`) serves; an empty list removes it. */
  replace(owner: string, resources: readonly ServedResource[]): void;
  /** Called after each change; gives a function that stops it. */
  onChange(listener: () => void): () => void;
}
