import type { KubeObject, Resource } from "@keelson/core";
import type { MapObject } from "../source/handlers.ts";
import type { Predicate } from "../source/predicates.ts";
import type { Source } from "../source/source.ts";
import {
  type BuildPlan,
  definitionOf,
  type WatchSettings,
  withMappedKind,
  withSource,
} from "./build-plan.ts";
import type { ControllerDefinition, ControllerSettings } from "./controller-definition.ts";
import type { Reconciler } from "./reconciler.ts";

/** A kind of keys that are not those of objects of one kind. */
export interface KeyDescription<Key> {
  /** The controller's, in logs and metrics; lower case. */
  readonly name: string;
  /** Tells keys apart, and names them for people. */
  readonly formatKey: (key: Key) => string;
  /** What takes turns under `fairNamespaces`. */
  readonly namespaceOf?: (key: Key) => string;
}

/**
 * A controller of anything that has a key, such as a shard or a host name. Nothing can be owned by that, so what
 * concerns a key is said by maps and sources [EV1].
 *
 * ```ts
 * const hosts = controllerFor<string>({ name: "host", formatKey: (host) => host })
 *   .watches(Ingress, (ingress) => hostsOf(ingress))
 *   .reconcileKey(async ({ key, client }) => { … });
 * ```
 */
export function controllerFor<Key>(
  { name, formatKey, namespaceOf }: KeyDescription<Key>,
  settings: ControllerSettings = {},
): KeyControllerBuilder<Key> {
  return new KeyControllerBuilder({
    name,
    formatKey,
    ...(namespaceOf !== undefined && { namespaceOf }),
    settings,
    filters: [],
    sources: [],
    problems: [],
  });
}

/** Made by `controllerFor`. Each call gives another builder and leaves this one as it is. */
export class KeyControllerBuilder<Key> {
  readonly #plan: BuildPlan<Key>;

  constructor(plan: BuildPlan<Key>) {
    this.#plan = plan;
  }

  /** Only events that pass all of these count, whatever kind they are of [EV6]. Raw sources are not asked [EV7]. */
  filter(...predicates: readonly Predicate[]): KeyControllerBuilder<Key> {
    return new KeyControllerBuilder({ ...this.#plan, filters: [...this.#plan.filters, ...predicates] });
  }

  /** Objects of any kind; `map` says which keys a change concerns. */
  watches<Watched extends KubeObject>(
    watched: Resource<Watched>,
    map: MapObject<Watched, Key>,
    settings: WatchSettings<Watched> = {},
  ): KeyControllerBuilder<Key> {
    return new KeyControllerBuilder(withMappedKind(this.#plan, watched, map, settings));
  }

  /** Anything else that knows when a key needs attention [EV7]. */
  source(source: Source<Key>): KeyControllerBuilder<Key> {
    return new KeyControllerBuilder(withSource(this.#plan, () => source));
  }

  reconcileKey(reconcile: Reconciler<Key>): ControllerDefinition<Key> {
    return definitionOf(this.#plan, reconcile);
  }
}
