import type { ApiUse, KubeObject, Resource } from "@keelson/core";
import type { z } from "@keelson/schema";
import type { MapObject } from "../source/handlers.ts";
import type { Predicate } from "../source/predicates.ts";
import type { Source } from "../source/source.ts";
import {
  type BuildPlan,
  definitionOf,
  type WatchedKindOptions,
  withMappedKind,
  withSource,
} from "./build-plan.ts";
import { keyReconciler } from "./context-view.ts";
import type { ControllerDefinition, ControllerOptions } from "./controller-definition.ts";
import type { Reconciler } from "./reconciler.ts";

/** Keys that are not those of objects of one kind. */
export interface KeyDescription<Key> {
  /** The controller's, in logs and metrics; lower case. */
  readonly name: string;
  /** Identifies a key, and names it in logs. */
  readonly formatKey: (key: Key) => string;
  /** The namespaces that take turns under `fairNamespaces`. */
  readonly namespaceOf?: (key: Key) => string;
}

/**
 * A controller of anything that has a key, such as a shard or a host name. Such a thing owns no objects, so maps and
 * sources decide which keys a change concerns [EV1].
 *
 * ```ts
 * const hosts = controllerFor<string>({ name: "host", formatKey: (host) => host })
 *   .watches(Ingress, (ingress) => hostsOf(ingress))
 *   .reconcileKey(async ({ key, client }) => { … });
 * ```
 */
export function controllerFor<Key>(
  { name, formatKey, namespaceOf }: KeyDescription<Key>,
  options: ControllerOptions = {},
): KeyControllerBuilder<Key> {
  return new KeyControllerBuilder({
    name,
    formatKey,
    ...(namespaceOf !== undefined && { namespaceOf }),
    options,
    filters: [],
    sources: [],
    uses: [],
    problems: [],
  });
}

/** Made by `controllerFor`. Each call returns another builder and leaves this one as it is. */
export class KeyControllerBuilder<Key, Settings = unknown> {
  readonly #plan: BuildPlan<Key>;

  constructor(plan: BuildPlan<Key>) {
    this.#plan = plan;
  }

  /** The schema of the settings that its reconciler reads as `context.settings`: the operator's `settings`. */
  settings<Chosen>(_schema: z.ZodType<Chosen>): KeyControllerBuilder<Key, Chosen> {
    return new KeyControllerBuilder<Key, Chosen>(this.#plan);
  }

  /** What its reconciles use of the API, beyond to list and watch what it watches. */
  uses(...uses: readonly ApiUse[]): KeyControllerBuilder<Key, Settings> {
    return new KeyControllerBuilder({ ...this.#plan, uses: [...this.#plan.uses, ...uses] });
  }

  /** Only events that pass all of these count, of every watched kind [EV6]. Raw sources are not filtered [EV7]. */
  filter(...predicates: readonly Predicate[]): KeyControllerBuilder<Key, Settings> {
    return new KeyControllerBuilder({ ...this.#plan, filters: [...this.#plan.filters, ...predicates] });
  }

  /** Objects of any kind; `map` returns the keys that a change concerns. */
  watches<Watched extends KubeObject>(
    watched: Resource<Watched>,
    map: MapObject<Watched, Key>,
    options: WatchedKindOptions<Watched> = {},
  ): KeyControllerBuilder<Key, Settings> {
    return new KeyControllerBuilder(withMappedKind(this.#plan, watched, map, options));
  }

  /** Any other source of keys [EV7]. */
  source(source: Source<Key>): KeyControllerBuilder<Key, Settings> {
    return new KeyControllerBuilder(withSource(this.#plan, () => source));
  }

  reconcileKey(reconcile: Reconciler<Key, Settings>): ControllerDefinition<Key, Settings> {
    return definitionOf(this.#plan, keyReconciler(reconcile));
  }
}
