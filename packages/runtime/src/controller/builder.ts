import { formatKey, groupResourceOf, type KubeObject, type ObjectKey, type Resource } from "@keelson/core";
import { type EnqueueOwnerOptions, enqueueOwner, enqueueSelf, type MapObject } from "../source/handlers.ts";
import { kindSource } from "../source/kind-source.ts";
import type { Predicate } from "../source/predicates.ts";
import type { Source } from "../source/source.ts";
import {
  type BuildPlan,
  definitionOf,
  selectionProblems,
  type WatchSettings,
  withMappedKind,
  withSource,
} from "./build-plan.ts";
import type { ControllerDefinition, ControllerSettings } from "./controller-definition.ts";
import { reconcileObject } from "./object-reconciler.ts";
import type { ObjectReconciler, Reconciler } from "./reconciler.ts";

/** Settings of a controller of a kind, and how that kind is watched. */
export interface KindControllerSettings<T extends KubeObject> extends ControllerSettings, WatchSettings<T> {}

export interface OwnsSettings<T extends KubeObject> extends WatchSettings<T>, EnqueueOwnerOptions {}

/**
 * A controller of the objects of a kind: it reconciles them when they change, and when what the builder adds changes.
 *
 * ```ts
 * const webapps = controller(WebApp, { concurrency: 4 })
 *   .owns(Deployment)
 *   .owns(Service)
 *   .watches(Secret, ({ metadata: { namespace = "", labels } }) =>
 *     labels?.app === undefined ? [] : [{ namespace, name: labels.app }],
 *   )
 *   .reconcile(async ({ object, client }) => {
 *     await client.apply(Deployment, makeDeployment(object), { fieldOwner: "webapp" });
 *     return { requeueAfterMs: 30_000 };
 *   });
 * ```
 *
 * Its name is that of the kind in lower case, unless `.named` gives another.
 */
export function controller<T extends KubeObject>(
  resource: Resource<T>,
  settings: KindControllerSettings<T> = {},
): KindControllerBuilder<T> {
  const { predicates = [], selection, ...controllerSettings } = settings;
  const plan: BuildPlan<ObjectKey> = {
    name: resource.kind.toLowerCase(),
    kind: resource,
    formatKey,
    namespaceOf: ({ namespace = "" }) => namespace,
    settings: controllerSettings,
    filters: [],
    sources: [],
    problems: selectionProblems(`controller(${resource.kind})`, resource, selection),
  };
  const primary = withSource(plan, (filters) =>
    kindSource({
      resource,
      name: `for ${groupResourceOf(resource)}`,
      handler: enqueueSelf(),
      globalPredicates: filters,
      predicates,
      ...(selection !== undefined && { selection }),
    }),
  );
  return new KindControllerBuilder(resource, primary);
}

/** Made by `controller`. Each call gives another builder and leaves this one as it is. */
export class KindControllerBuilder<T extends KubeObject> {
  readonly #resource: Resource<T>;
  readonly #plan: BuildPlan<ObjectKey>;
  /** What is owned so far. */
  readonly #owned: readonly string[];

  constructor(resource: Resource<T>, plan: BuildPlan<ObjectKey>, owned: readonly string[] = []) {
    this.#resource = resource;
    this.#plan = plan;
    this.#owned = owned;
  }

  named(name: string): KindControllerBuilder<T> {
    return this.#with({ ...this.#plan, name });
  }

  /** Only events that pass all of these count, whatever kind they are of [EV6]. Raw sources are not asked [EV7]. */
  filter(...predicates: readonly Predicate[]): KindControllerBuilder<T> {
    return this.#with({ ...this.#plan, filters: [...this.#plan.filters, ...predicates] });
  }

  /**
   * Objects of this kind that have one of ours as their controller, or as any owner with `everyOwner` [EV2]. A reference
   * makes its owner the controller only if it says so: make it by `setControllerReference`, or by `ownerReferenceTo` with
   * `{ controller: true }`. Changes of objects with plain references are not heard of without `everyOwner`.
   */
  owns<Owned extends KubeObject>(
    owned: Resource<Owned>,
    settings: OwnsSettings<Owned> = {},
  ): KindControllerBuilder<T> {
    const { everyOwner = false, ...watch } = settings;
    const handler = enqueueOwner(this.#resource, { everyOwner });
    const name = groupResourceOf(owned);
    const plan = withSource(
      this.#plan,
      (filters) =>
        kindSource({ resource: owned, name: `owns ${name}`, handler, globalPredicates: filters, ...watch }),
      [
        ...this.#ownershipProblems(owned),
        ...selectionProblems(`.owns(${owned.kind})`, owned, watch.selection),
      ],
    );
    return this.#with(plan, [...this.#owned, name]);
  }

  /** Objects of any kind; `map` says which of ours a change concerns. */
  watches<Watched extends KubeObject>(
    watched: Resource<Watched>,
    map: MapObject<Watched, ObjectKey>,
    settings: WatchSettings<Watched> = {},
  ): KindControllerBuilder<T> {
    return this.#with(withMappedKind(this.#plan, watched, map, settings));
  }

  /** Anything else that knows when one of ours needs attention [EV7]. */
  source(source: Source<ObjectKey>): KindControllerBuilder<T> {
    return this.#with(withSource(this.#plan, () => source));
  }

  /** The reconciler gets the object, and is not called for one that is gone [CT18]. */
  reconcile(reconcile: ObjectReconciler<T>): ControllerDefinition {
    return definitionOf(this.#plan, reconcileObject(this.#resource, reconcile));
  }

  /** The reconciler gets the key alone, also of objects that are gone. */
  reconcileKey(reconcile: Reconciler<ObjectKey>): ControllerDefinition {
    return definitionOf(this.#plan, reconcile);
  }

  #with(plan: BuildPlan<ObjectKey>, owned: readonly string[] = this.#owned): KindControllerBuilder<T> {
    return new KindControllerBuilder(this.#resource, plan, owned);
  }

  #ownershipProblems(owned: Resource): readonly string[] {
    const call = `.owns(${owned.kind})`;
    const isOutOfReach = owned.scope === "Cluster" && this.#resource.scope === "Namespaced";
    return [
      ...(isOutOfReach
        ? [`${call}: an object without a namespace cannot be owned by one in a namespace; use .watches()`]
        : []),
      ...(this.#owned.includes(groupResourceOf(owned)) ? [`${call} is said twice; say it once`] : []),
    ];
  }
}
