import { type GenericObject, type OwnerReference, parseApiVersion } from "@keelson/core";
import type { ResourceRegistry } from "../../../resource/resource-registry.ts";
import { isDeletingDependents } from "./deletion-state.ts";
import { type OwnershipGraph, ownersOf } from "./ownership-graph.ts";

export interface ClassifiedOwners {
  /** They exist and stay. */
  readonly solid: readonly OwnerReference[];
  /** They do not exist: never did, not under that uid, or not in the namespace of the dependent. */
  readonly dangling: readonly OwnerReference[];
  /** They wait for this dependent to go. */
  readonly waiting: readonly OwnerReference[];
  /** Nobody knows, because their kind is not known now, or may never own this object. */
  readonly unknown: readonly OwnerReference[];
}

export function classifyOwners(
  graph: OwnershipGraph,
  registry: ResourceRegistry,
  object: GenericObject,
): ClassifiedOwners {
  const [solid, dangling, waiting, unknown]: OwnerReference[][] = [[], [], [], []];
  for (const reference of ownersOf(object)) {
    const verdict = verdictOn(graph, registry, object, reference);
    const list = { solid, dangling, waiting, unknown }[verdict];
    list?.push(reference);
  }
  return { solid: solid ?? [], dangling: dangling ?? [], waiting: waiting ?? [], unknown: unknown ?? [] };
}

function verdictOn(
  graph: OwnershipGraph,
  registry: ResourceRegistry,
  { metadata }: GenericObject,
  { apiVersion, kind, name, uid }: OwnerReference,
): keyof ClassifiedOwners {
  const { group, version } = parseApiVersion(apiVersion);
  const resource = registry.findKind(group, version, kind);
  if (resource === undefined) return "unknown";
  const isNamespaced = resource.scope === "Namespaced";
  if (isNamespaced && metadata.namespace === undefined) return "unknown";
  const owner = graph.get(uid);
  const isThere =
    owner !== undefined &&
    owner.collection === resource.collection &&
    owner.object.metadata.name === name &&
    owner.object.metadata.namespace === (isNamespaced ? metadata.namespace : undefined);
  if (!isThere) return "dangling";
  return isDeletingDependents(owner.object) ? "waiting" : "solid";
}
