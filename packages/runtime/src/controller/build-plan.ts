import type { Selection } from "@keelson/client";
import { groupResourceOf, type KubeObject, type Resource } from "@keelson/core";
import { enqueueMapped, type MapObject } from "../source/handlers.ts";
import { kindSource } from "../source/kind-source.ts";
import type { Predicate } from "../source/predicates.ts";
import type { Source } from "../source/source.ts";
import type { ControllerDefinition, ControllerSettings } from "./controller-definition.ts";
import { InvalidControllerError } from "./errors.ts";
import type { Reconciler } from "./reconciler.ts";
import { settingProblems } from "./settings.ts";

/** How the objects of a kind are watched. */
export interface WatchSettings<T extends KubeObject> {
  /** Which of its events count, after those that `.filter` lets pass. Default: all. */
  readonly predicates?: readonly Predicate<T>[];
  /** Watches only these objects. Default: what the cache's settings say of the kind. */
  readonly selection?: Selection;
}

/** Makes a source once it is known what all events are filtered by. */
export type MakeSource<Key> = (filters: readonly Predicate[]) => Source<Key>;

/** What a builder has been told so far. Never changed: each call makes another one. */
export interface BuildPlan<Key> {
  readonly name: string;
  readonly kind?: Resource;
  readonly formatKey: (key: Key) => string;
  readonly namespaceOf?: (key: Key) => string;
  readonly settings: ControllerSettings;
  readonly filters: readonly Predicate[];
  readonly sources: readonly MakeSource<Key>[];
  /** What is wrong with the calls so far. */
  readonly problems: readonly string[];
}

export function withSource<Key>(
  plan: BuildPlan<Key>,
  source: MakeSource<Key>,
  problems: readonly string[] = [],
): BuildPlan<Key> {
  return { ...plan, sources: [...plan.sources, source], problems: [...plan.problems, ...problems] };
}

/** The plan with one more kind that is watched for the keys that `map` gives. */
export function withMappedKind<T extends KubeObject, Key>(
  plan: BuildPlan<Key>,
  resource: Resource<T>,
  map: MapObject<T, Key>,
  settings: WatchSettings<T>,
): BuildPlan<Key> {
  const call = `.watches(${resource.kind})`;
  const source: MakeSource<Key> = (filters) =>
    kindSource({ resource, handler: enqueueMapped(map), globalPredicates: filters, ...settings });
  return withSource(plan, source, selectionProblems(call, resource, settings.selection));
}

/** What is wrong with a selection of objects of a kind. */
export function selectionProblems(
  call: string,
  resource: Resource,
  selection: Selection | undefined,
): readonly string[] {
  return resource.scope === "Cluster" && selection?.namespace !== undefined
    ? [
        `${call} selects a namespace, but ${groupResourceOf(resource)} have none; leave selection.namespace out`,
      ]
    : [];
}

const namePattern = /^[a-z0-9]([-_.a-z0-9]*[a-z0-9])?$/;

/** The controller as planned; throws an InvalidControllerError with all that is wrong with it. */
export function definitionOf<Key>(
  plan: BuildPlan<Key>,
  reconcile: Reconciler<Key>,
): ControllerDefinition<Key> {
  const { name, kind, formatKey, namespaceOf, settings, filters, sources } = plan;
  const problems = [
    ...nameProblems(name),
    ...plan.problems,
    ...(sources.length === 0
      ? ["it watches nothing and so would never run; add .watches(kind, map) or .source(source)"]
      : []),
    ...(settings.fairNamespaces === true && namespaceOf === undefined
      ? [
          "fairNamespaces is set, but its keys have no namespace that is known; give namespaceOf to controllerFor()",
        ]
      : []),
    ...settingProblems(settings),
  ];
  if (problems.length > 0) throw new InvalidControllerError(name === "" ? '""' : name, problems);
  return {
    name,
    formatKey,
    sources: sources.map((makeSource) => makeSource(filters)),
    reconcile,
    settings,
    ...(kind !== undefined && { kind }),
    ...(namespaceOf !== undefined && { namespaceOf }),
  };
}

function nameProblems(name: string): readonly string[] {
  return namePattern.test(name)
    ? []
    : [
        `the name "${name}" will not do in metrics; give it one of lower-case letters, digits, "-", "_" and "." by .named()`,
      ];
}
