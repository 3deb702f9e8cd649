import type { Selection } from "@keelson/client";
import { type ApiUse, groupResourceOf, type KubeObject, type Resource } from "@keelson/core";
import { enqueueMapped, type MapObject } from "../source/handlers.ts";
import { kindSource } from "../source/kind-source.ts";
import type { Predicate } from "../source/predicates.ts";
import type { Source } from "../source/source.ts";
import {
  type ControllerDefinition,
  type ControllerOptions,
  optionProblems,
} from "./controller-definition.ts";
import { InvalidControllerError } from "./errors.ts";

/** How the objects of a kind are watched. */
export interface WatchedKindOptions<T extends KubeObject> {
  /** Which of its events count, after those that `.filter` lets pass. Default: all. */
  readonly predicates?: readonly Predicate<T>[];
  /** Watches only these objects. Default: the selection of the cache for the kind. */
  readonly selection?: Selection;
}

/** Makes a source once the predicates for all events are known. */
export type MakeSource<Key> = (filters: readonly Predicate[]) => Source<Key>;

/** What the calls of a builder have added up to. Never changed: each call makes another one. */
export interface BuildPlan<Key> {
  readonly name: string;
  readonly kind?: Resource;
  readonly formatKey: (key: Key) => string;
  readonly namespaceOf?: (key: Key) => string;
  readonly options: ControllerOptions;
  readonly filters: readonly Predicate[];
  readonly sources: readonly MakeSource<Key>[];
  /** What the reconciler uses of the API beyond what the sources list and watch. */
  readonly uses: readonly ApiUse[];
  /** The problems of the calls so far. */
  readonly problems: readonly string[];
}

export function withSource<Key>(
  plan: BuildPlan<Key>,
  source: MakeSource<Key>,
  problems: readonly string[] = [],
): BuildPlan<Key> {
  return { ...plan, sources: [...plan.sources, source], problems: [...plan.problems, ...problems] };
}

/** The plan with one more kind that is watched for the keys that `map` returns. */
export function withMappedKind<T extends KubeObject, Key>(
  plan: BuildPlan<Key>,
  resource: Resource<T>,
  map: MapObject<T, Key>,
  options: WatchedKindOptions<T>,
): BuildPlan<Key> {
  const call = `.watches(${resource.kind})`;
  const source: MakeSource<Key> = (filters) =>
    kindSource({ resource, handler: enqueueMapped(map), globalPredicates: filters, ...options });
  return withSource(plan, source, selectionProblems(call, resource, options.selection));
}

/** The problems of a selection of objects of a kind. */
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

/** The definition that the plan describes; throws an InvalidControllerError with all its problems. */
export function definitionOf<Key, Settings>(
  plan: BuildPlan<Key>,
  reconcile: ControllerDefinition<Key, Settings>["reconcile"],
): ControllerDefinition<Key, Settings> {
  const { name, kind, formatKey, namespaceOf, options, filters, sources, uses } = plan;
  const problems = [
    ...nameProblems(name),
    ...plan.problems,
    ...(sources.length === 0
      ? ["it watches nothing and so would never run; add .watches(kind, map) or .source(source)"]
      : []),
    ...(options.fairNamespaces === true && namespaceOf === undefined
      ? [
          "fairNamespaces is set, but the namespace of a key is not known; give namespaceOf to controllerFor()",
        ]
      : []),
    ...optionProblems(options),
  ];
  if (problems.length > 0) throw new InvalidControllerError(name === "" ? '""' : name, problems);
  return {
    name,
    formatKey,
    sources: sources.map((makeSource) => makeSource(filters)),
    reconcile,
    options,
    uses,
    ...(kind !== undefined && { kind }),
    ...(namespaceOf !== undefined && { namespaceOf }),
  };
}

function nameProblems(name: string): readonly string[] {
  return namePattern.test(name)
    ? []
    : [
        `the name "${name}" cannot be used in metrics; give one of lower-case letters, digits, "-", "_" and "." by .named()`,
      ];
}
