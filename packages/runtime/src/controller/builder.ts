import {
  formatKey,
  groupResourceOf,
  type KubeObject,
  type ObjectKey,
  qualifiedNameProblem,
  type Resource,
  usesOf,
} from "@keelson/core";
import type { AnyDefinedResource, z } from "@keelson/schema";
import { type EnqueueOwnerOptions, enqueueOwner, enqueueSelf, type MapObject } from "../source/handlers.ts";
import { kindSource } from "../source/kind-source.ts";
import type { Predicate } from "../source/predicates.ts";
import type { Source } from "../source/source.ts";
import {
  type BuildPlan,
  definitionOf,
  selectionProblems,
  type WatchedKindOptions,
  withMappedKind,
  withSource,
} from "./build-plan.ts";
import { keyReconciler } from "./context-view.ts";
import type { ControllerDefinition, ControllerOptions } from "./controller-definition.ts";
import type { FinalizerDefinition } from "./finalizers.ts";
import type { ObjectReconciler } from "./object-context.ts";
import { objectReconciler } from "./object-reconciler.ts";
import type { Reconciler } from "./reconciler.ts";

/** Options of a controller of a kind, and of the watch of that kind. */
export interface KindControllerOptions<T extends KubeObject>
  extends ControllerOptions,
    WatchedKindOptions<T> {}

/** A verb that changes owned objects. */
export type WriteVerb = "create" | "update" | "patch" | "delete" | "deletecollection";

export interface OwnsOptions<T extends KubeObject> extends WatchedKindOptions<T>, EnqueueOwnerOptions {
  /**
   * What the reconciler does to objects of the kind, beside to list and watch them. Default: `create`, `patch` and
   * `delete`, which is what the operations of the context use. Where the admission plugin
   * OwnerReferencesPermissionEnforcement is on, `delete` is also needed to adopt an orphan.
   */
  readonly verbs?: readonly WriteVerb[];
}

/**
 * A controller of the objects of a kind: it reconciles an object when it changes, and when one of the objects changes that
 * the builder adds.
 *
 * ```ts
 * const webapps = controller(WebApp, { concurrency: 4 })
 *   .owns(Deployment)
 *   .watches(Secret, ({ metadata: { namespace, labels } }) =>
 *     labels?.app === undefined ? [] : [{ namespace, name: labels.app }],
 *   )
 *   .reconcile(async ({ object, apply, setStatus }) => {
 *     const deployment = await apply(Deployment, makeDeployment(object));
 *     await setStatus({ readyReplicas: deployment.status?.readyReplicas ?? 0 });
 *     return { requeueAfterMs: 30_000 };
 *   });
 * ```
 *
 * Its name is that of the kind in lower case, unless `.named` sets another. What its reconciles need of the API follows
 * from the calls: `.owns` means to list, watch, create, patch and delete; a status schema, to patch the status; a
 * finalizer, to patch the object. What they use beyond that is declared as the `uses` of the operator.
 */
export function controller<T extends KubeObject>(
  resource: Resource<T>,
  options: KindControllerOptions<T> = {},
): KindControllerBuilder<T> {
  const { predicates = [], selection, ...controllerOptions } = options;
  const plan: BuildPlan<ObjectKey> = {
    name: resource.kind.toLowerCase(),
    kind: resource,
    formatKey,
    namespaceOf: ({ namespace = "" }) => namespace,
    options: controllerOptions,
    filters: [],
    sources: [],
    uses: hasStatus(resource) ? usesOf(resource, ["patch"], "status") : [],
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
  return new KindControllerBuilder(resource, {
    plan: primary,
    owned: [],
    finalizers: [],
    droppedFinalizers: [],
  });
}

/** Whether `defineResource` made the kind, with a status. */
function hasStatus(resource: Resource): boolean {
  return isDefined(resource) && resource.schemas.status !== undefined;
}

/** Whether `defineResource` made the kind. */
export function isDefined(resource: Resource): resource is AnyDefinedResource {
  return "schemas" in resource && "crd" in resource;
}

/** What the calls of a builder have added up to. */
interface KindPlan<T extends KubeObject, Settings> {
  readonly plan: BuildPlan<ObjectKey>;
  /** What is owned so far. */
  readonly owned: readonly string[];
  readonly finalizers: readonly FinalizerDefinition<T, Settings>[];
  readonly droppedFinalizers: readonly string[];
  readonly notFound?: Reconciler<ObjectKey, Settings>;
}

const defaultVerbs: readonly WriteVerb[] = ["create", "patch", "delete"];

/** Made by `controller`. Each call returns another builder and leaves this one as it is. */
export class KindControllerBuilder<T extends KubeObject, Settings = unknown> {
  readonly #resource: Resource<T>;
  readonly #kindPlan: KindPlan<T, Settings>;

  constructor(resource: Resource<T>, kindPlan: KindPlan<T, Settings>) {
    this.#resource = resource;
    this.#kindPlan = kindPlan;
  }

  named(name: string): KindControllerBuilder<T, Settings> {
    return this.#with({ plan: { ...this.#plan, name } });
  }

  /**
   * The schema of the settings that its reconcilers read as `context.settings`: the one that the operator has as its
   * `settings`. Call it before `.finalize` and `.notFound`.
   */
  settings<Chosen>(_schema: z.ZodType<Chosen>): KindControllerBuilder<T, Chosen> {
    const { plan, owned, droppedFinalizers, finalizers, notFound } = this.#kindPlan;
    const isLate = finalizers.length > 0 || notFound !== undefined;
    const problems = isLate ? ["call .settings() before .finalize() and .notFound()"] : [];
    return new KindControllerBuilder<T, Chosen>(this.#resource, {
      plan: { ...plan, problems: [...plan.problems, ...problems] },
      owned,
      finalizers: [],
      droppedFinalizers,
    });
  }

  /** Only events that pass all of these count, of every watched kind [EV6]. Raw sources are not filtered [EV7]. */
  filter(...predicates: readonly Predicate[]): KindControllerBuilder<T, Settings> {
    return this.#with({ plan: { ...this.#plan, filters: [...this.#plan.filters, ...predicates] } });
  }

  /**
   * Objects of this kind that have one of ours as their controller, or as any owner with `everyOwner` [EV2]. The
   * operations of the context make controller references; changes of objects with plain owner references enqueue
   * nothing without `everyOwner`.
   */
  owns<Owned extends KubeObject>(
    owned: Resource<Owned>,
    options: OwnsOptions<Owned> = {},
  ): KindControllerBuilder<T, Settings> {
    const { everyOwner = false, verbs = defaultVerbs, ...watch } = options;
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
    // An owner reference that blocks the owner's deletion is an update of its finalizers where that is enforced.
    const ofOwner = this.#kindPlan.owned.length === 0 ? usesOf(this.#resource, ["update"], "finalizers") : [];
    return this.#with({
      plan: { ...plan, uses: [...plan.uses, ...ofOwner, ...usesOf(owned, verbs)] },
      owned: [...this.#kindPlan.owned, name],
    });
  }

  /** Objects of any kind; `map` returns the keys of ours that a change concerns. */
  watches<Watched extends KubeObject>(
    watched: Resource<Watched>,
    map: MapObject<Watched, ObjectKey>,
    options: WatchedKindOptions<Watched> = {},
  ): KindControllerBuilder<T, Settings> {
    return this.#with({ plan: withMappedKind(this.#plan, watched, map, options) });
  }

  /** Any other source of keys [EV7]. */
  source(source: Source<ObjectKey>): KindControllerBuilder<T, Settings> {
    return this.#with({ plan: withSource(this.#plan, () => source) });
  }

  /**
   * Cleans up what the garbage collector cannot, before an object is deleted. The finalizer is added before the first
   * reconcile of an object. Once the object is being deleted, `cleanUp` is called instead of the reconciler, with back-off
   * after errors, until it returns nothing; then the finalizer is removed. To be called again later it returns
   * `{ requeueAfterMs }`. While it does not succeed, Events of the object show it. Several run in the order of the calls.
   */
  finalize(name: string, cleanUp: ObjectReconciler<T, Settings>): KindControllerBuilder<T, Settings> {
    const { finalizers, droppedFinalizers } = this.#kindPlan;
    return this.#with({
      plan: this.#withFinalizer(`.finalize(${JSON.stringify(name)})`, name),
      finalizers: [...finalizers, { name, cleanUp }],
      droppedFinalizers,
    });
  }

  /** Removes a finalizer of a former version of the operator from objects that still have it, without a clean-up. */
  dropFinalizer(name: string): KindControllerBuilder<T, Settings> {
    const { droppedFinalizers } = this.#kindPlan;
    return this.#with({
      plan: this.#withFinalizer(`.dropFinalizer(${JSON.stringify(name)})`, name),
      droppedFinalizers: [...droppedFinalizers, name],
    });
  }

  /** Called instead of the reconciler for a key whose object does not exist, such as to forget its metrics. */
  notFound(handle: Reconciler<ObjectKey, Settings>): KindControllerBuilder<T, Settings> {
    return this.#with({ notFound: handle });
  }

  /** The reconciler gets the object, and is not called for one that does not exist [CT18]. */
  reconcile(reconcile: ObjectReconciler<T, Settings>): ControllerDefinition<ObjectKey, Settings> {
    const { finalizers, droppedFinalizers, notFound } = this.#kindPlan;
    const reconcilers = { reconcile, finalizers, droppedFinalizers, notFound };
    return definitionOf(this.#plan, objectReconciler(this.#resource, reconcilers));
  }

  /** The reconciler gets the key alone, also of objects that do not exist. */
  reconcileKey(reconcile: Reconciler<ObjectKey, Settings>): ControllerDefinition<ObjectKey, Settings> {
    const { finalizers, droppedFinalizers } = this.#kindPlan;
    const problem = "finalizers need the object; use .reconcile() instead of .reconcileKey()";
    const problems = finalizers.length + droppedFinalizers.length > 0 ? [problem] : [];
    const plan = { ...this.#plan, problems: [...this.#plan.problems, ...problems] };
    return definitionOf(plan, keyReconciler(reconcile));
  }

  get #plan(): BuildPlan<ObjectKey> {
    return this.#kindPlan.plan;
  }

  #with(changed: Partial<KindPlan<T, Settings>>): KindControllerBuilder<T, Settings> {
    return new KindControllerBuilder(this.#resource, { ...this.#kindPlan, ...changed });
  }

  #withFinalizer(call: string, name: string): BuildPlan<ObjectKey> {
    const { finalizers, droppedFinalizers } = this.#kindPlan;
    const problem = qualifiedNameProblem(name);
    const names = [...finalizers.map((each) => each.name), ...droppedFinalizers];
    const plan = this.#plan;
    const isFirst = names.length === 0;
    return {
      ...plan,
      uses: [...plan.uses, ...(isFirst ? usesOf(this.#resource, ["patch"]) : [])],
      problems: [
        ...plan.problems,
        ...(problem === undefined && name.includes("/")
          ? []
          : [`${call}: the name ${problem ?? "has no domain"}; write it like example.com/cleanup`]),
        ...(names.includes(name) ? [`${call}: the finalizer is declared twice; declare it once`] : []),
      ],
    };
  }

  #ownershipProblems(owned: Resource): readonly string[] {
    const call = `.owns(${owned.kind})`;
    const isOutOfReach = owned.scope === "Cluster" && this.#resource.scope === "Namespaced";
    return [
      ...(isOutOfReach
        ? [`${call}: a cluster-scoped object cannot be owned by an object in a namespace; use .watches()`]
        : []),
      ...(this.#kindPlan.owned.includes(groupResourceOf(owned))
        ? [`${call} is called twice; call it once`]
        : []),
    ];
  }
}
