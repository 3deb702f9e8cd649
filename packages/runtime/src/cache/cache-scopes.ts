import type { Selection } from "@keelson/client";
import {
  apiVersionOf,
  type FieldSelector,
  formatFieldSelector,
  formatLabelSelector,
  groupResourceOf,
  type KubeObject,
  parseFieldSelector,
  type Resource,
  type Stored,
  toError,
} from "@keelson/core";
import {
  allNamespaces,
  type CachedKind,
  type CacheSettings,
  type KindSettings,
  type NamespaceSettings,
} from "./cache-settings.ts";
import { InvalidCacheSettingsError } from "./errors.ts";
import { labelQueryOf } from "./selection-test.ts";
import { resourceIdOf } from "./store.ts";

/** One watch of a kind: which objects, and how they are stored. */
export interface WatchScope<T extends KubeObject> {
  /** In a canonical form, so that equal scopes have the same text. */
  readonly selection: Selection;
  readonly transform?: (object: Stored<T>) => Stored<T>;
  readonly keepManagedFields: boolean;
  readonly parseOnRead: boolean;
}

/**
 * The watches that the settings define for a kind: one, or one for each namespace. A setting that an entry of a namespace
 * leaves out is that of the kind, then that of the namespace's defaults, then that of the defaults [IN17].
 */
export function scopesOf<T extends KubeObject>(
  resource: Resource<T>,
  settings: CacheSettings,
): readonly WatchScope<T>[] {
  const kind = kindSettingsFor(resource, settings);
  return placesOf(resource, settings).map((place) =>
    scopeOf<T>(kind, layersOf(resource, settings, place), place),
  );
}

type Place = Pick<Selection, "namespace" | "fieldSelector">;

/** Where the settings select objects of a kind: everywhere, or in each of some namespaces, or in all but some. */
function placesOf(resource: Resource, settings: CacheSettings): readonly Place[] {
  const kind = kindSettingsFor(resource, settings);
  const namespaces =
    resource.scope === "Cluster" ? undefined : (kind.namespaces ?? settings.defaults?.namespaces);
  const names = Object.keys(namespaces ?? {});
  if (names.length === 0) return [{}];
  return names.map((name) =>
    name === allNamespaces ? { fieldSelector: exceptIn(names) } : { namespace: name },
  );
}

/** The settings of a place, the most specific first. */
function layersOf<T extends KubeObject>(
  resource: Resource<T>,
  settings: CacheSettings,
  { namespace: name = allNamespaces }: Place,
): readonly NamespaceSettings<T>[] {
  const kind = kindSettingsFor(resource, settings);
  const { defaults = {} } = settings;
  if (resource.scope === "Cluster") return [kind, defaults];
  return [kind.namespaces?.[name] ?? {}, kind, defaults.namespaces?.[name] ?? {}, defaults];
}

/**
 * The watches of a selection that a caller acquires: with the settings of the kind, apart from their selectors. A selection
 * that names no namespace is one in the namespaces that the settings select.
 */
export function scopesFor<T extends KubeObject>(
  resource: Resource<T>,
  settings: CacheSettings,
  { namespace, labelSelector, fieldSelector }: Selection,
): readonly WatchScope<T>[] {
  const places: readonly Selection[] =
    namespace === undefined ? placesOf(resource, settings) : [{ namespace }];
  return places.map((place) => {
    const fields = [place.fieldSelector, fieldSelector]
      .filter((selector) => selector !== undefined)
      .join(",");
    const selection = {
      ...place,
      ...(labelSelector !== undefined && { labelSelector }),
      fieldSelector: fields,
    };
    const scope = scopeOf<T>(kindSettingsFor(resource, settings), layersOf(resource, settings, place), {});
    return { ...scope, selection: canonical(selection) };
  });
}

/** Identifies a scope among those of its kind, so that two equal scopes share one watch. */
export function scopeIdOf(scope: Pick<WatchScope<never>, "selection" | "keepManagedFields">): string {
  const { selection, keepManagedFields } = scope;
  const { namespace = allNamespaces, labelSelector = "", fieldSelector = "" } = selection;
  return JSON.stringify([namespace, labelSelector, fieldSelector, keepManagedFields]);
}

/** Throws an InvalidCacheSettingsError that lists every problem. */
export function validateSettings({ defaults = {}, kinds = [], ...times }: CacheSettings): void {
  const problems: string[] = [];
  for (const [name, ms] of Object.entries({
    idleReadMs: times.idleReadMs,
    readTimeoutMs: times.readTimeoutMs,
    servedCheckMs: times.servedCheckMs,
  })) {
    if (ms !== undefined && !(ms > 0))
      problems.push(`${name}: it must be above 0; leave it out for the default`);
  }
  const check = (what: string, settings: Pick<Selection, "labelSelector" | "fieldSelector">): void => {
    const problem = selectorProblem(settings);
    if (problem !== undefined) problems.push(`${what}: ${problem}`);
  };
  const checkAll = (what: string, namespaces: Readonly<Record<string, NamespaceSettings>>): void => {
    for (const [name, settings] of Object.entries(namespaces)) {
      if (name === "")
        problems.push(`${what}: a namespace is empty; write "${allNamespaces}" for all other namespaces`);
      check(`${what}, namespace ${name}`, settings);
    }
  };
  check("defaults", defaults);
  checkAll("defaults", defaults.namespaces ?? {});
  const seen = new Set<string>();
  for (const { resource, settings } of kinds) {
    const name = groupResourceOf(resource);
    if (seen.has(resourceIdOf(resource))) problems.push(`${name}: there are two entries; make one of them`);
    seen.add(resourceIdOf(resource));
    if (resource.scope === "Cluster" && settings.namespaces !== undefined)
      problems.push(`${name}: ${resource.kind} has no namespaces; leave them out`);
    check(name, settings);
    checkAll(name, settings.namespaces ?? {});
  }
  if (problems.length > 0) throw new InvalidCacheSettingsError(problems);
}

/** Each setting is that of the first layer that has it. */
function scopeOf<T extends KubeObject>(
  { parseOnRead = true }: KindSettings<T>,
  layers: readonly NamespaceSettings<T>[],
  place: Place,
): WatchScope<T> {
  const transform = firstOf(layers, (layer) => layer.transform);
  const labelSelector = firstOf(layers, (layer) => layer.labelSelector);
  const fieldSelector = [place.fieldSelector, firstOf(layers, (layer) => layer.fieldSelector)]
    .filter((selector) => selector !== undefined)
    .join(",");
  return {
    selection: canonical({
      ...(place.namespace !== undefined && { namespace: place.namespace }),
      ...(labelSelector !== undefined && { labelSelector }),
      fieldSelector,
    }),
    ...(transform !== undefined && { transform }),
    keepManagedFields: firstOf(layers, (layer) => layer.keepManagedFields) ?? false,
    parseOnRead,
  };
}

function canonical({ namespace, labelSelector, fieldSelector = "" }: Selection): Selection {
  const labels = formatLabelSelector(labelQueryOf(labelSelector));
  const fields = formatFieldSelector(parseFieldSelector(fieldSelector));
  return {
    ...(namespace !== undefined && { namespace }),
    ...(labels !== "" && { labelSelector: labels }),
    ...(fields !== "" && { fieldSelector: fields }),
  };
}

/**
 * The settings of a kind also hold for its metadata alone, except for a transform, which is written for one of the two. A
 * projection has settings of its own.
 */
function kindSettingsFor<T extends KubeObject>(
  resource: Resource<T>,
  { kinds = [] }: CacheSettings,
): KindSettings<T> {
  for (const kind of kinds) if (isOfKind(resource, kind)) return kind.settings;
  const related = kinds.find(
    ({ resource: { plural, ...other } }) =>
      plural === resource.plural &&
      apiVersionOf(other) === apiVersionOf(resource) &&
      other.projection === undefined,
  );
  if (related === undefined || resource.projection !== undefined) return {};
  const { transform, namespaces, ...settings } = related.settings;
  if (namespaces === undefined) return settings;
  const kept = Object.entries(namespaces).map(([name, { transform: _, ...rest }]) => [name, rest]);
  return { ...settings, namespaces: Object.fromEntries(kept) };
}

function isOfKind<T extends KubeObject>(resource: Resource<T>, kind: CachedKind): kind is CachedKind<T> {
  return resourceIdOf(kind.resource) === resourceIdOf(resource);
}

function exceptIn(names: readonly string[]): string {
  const fields: FieldSelector = names
    .filter((name) => name !== allNamespaces)
    .map((value) => ({ field: "metadata.namespace", operator: "!=", value }));
  return formatFieldSelector(fields);
}

function selectorProblem(selection: Pick<Selection, "labelSelector" | "fieldSelector">): string | undefined {
  try {
    canonical(selection);
    return undefined;
  } catch (error) {
    return toError(error).message;
  }
}

function firstOf<Layer, Value>(
  layers: readonly Layer[],
  pick: (layer: Layer) => Value | undefined,
): Value | undefined {
  for (const layer of layers) {
    const value = pick(layer);
    if (value !== undefined) return value;
  }
  return undefined;
}
