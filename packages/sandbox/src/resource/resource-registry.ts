import type { ServedResource } from "./served-resource.ts";

/** The kinds that are served: built-in ones, and custom ones while their definition exists. */
export interface ResourceRegistry {
  find(group: string, version: string, plural: string): ServedResource | undefined;
  findKind(group: string, version: string, kind: string): ServedResource | undefined;
  /** In the storage version. */
  findStored(group: string, plural: string): ServedResource | undefined;
  all(): readonly ServedResource[];
  /** Replaces the resources of one owner (the name of a CustomResourceDefinition, or `builtin`); an empty list removes it. */
  replace(owner: string, resources: readonly ServedResource[]): void;
  /** Calls the listener after each change; returns a function that stops this. */
  onChange(listener: () => void): () => void;
}

/** An empty registry. If two owners serve the same resource, that of the first owner is found. */
export function createRegistry(): ResourceRegistry {
  const owners = new Map<string, readonly ServedResource[]>();
  const listeners = new Set<() => void>();
  let index = indexOf(owners);
  return {
    find: (group, version, plural) => index.plurals.get(keyOf(group, version, plural)),
    findKind: (group, version, kind) => index.kinds.get(keyOf(group, version, kind)),
    findStored: (group, plural) => index.stored.get(keyOf(group, "", plural)),
    all: () => index.all,
    replace: (owner, resources) => {
      if (resources.length === 0 && !owners.has(owner)) return;
      if (resources.length === 0) owners.delete(owner);
      else owners.set(owner, resources);
      index = indexOf(owners);
      for (const listener of [...listeners]) listener();
    },
    onChange: (listener) => {
      // A wrapper for each call, so that the same function can be added twice and removed once.
      const own = (): void => listener();
      listeners.add(own);
      return () => void listeners.delete(own);
    },
  };
}

interface Index {
  readonly all: readonly ServedResource[];
  readonly plurals: ReadonlyMap<string, ServedResource>;
  readonly kinds: ReadonlyMap<string, ServedResource>;
  readonly stored: ReadonlyMap<string, ServedResource>;
}

function indexOf(owners: ReadonlyMap<string, readonly ServedResource[]>): Index {
  const all = [...owners.values()].flat();
  const plurals = new Map<string, ServedResource>();
  const kinds = new Map<string, ServedResource>();
  const stored = new Map<string, ServedResource>();
  // From the end, so that the first one stays.
  for (const resource of all.toReversed()) {
    const { group, version, plural, kind, storageVersion } = resource;
    plurals.set(keyOf(group, version, plural), resource);
    kinds.set(keyOf(group, version, kind), resource);
    if (version === storageVersion) stored.set(keyOf(group, "", plural), resource);
  }
  return { all, plurals, kinds, stored };
}

function keyOf(group: string, version: string, name: string): string {
  return `${group}/${version}/${name}`;
}
