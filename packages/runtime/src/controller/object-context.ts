import { type Client, find } from "@keelson/client";
import {
  type ApplyConfiguration,
  type Clock,
  type Condition,
  type ConditionUpdate,
  isRecord,
  type KubeObject,
  mergeConditions,
  type ObjectKey,
  type ObjectOfKind,
  type Resource,
  type Stored,
} from "@keelson/core";
import type { Logger } from "../logger.ts";
import {
  type AppliedObject,
  applyOwned,
  createOwnedOnce,
  type GeneratedFields,
} from "../object/apply-owned.ts";
import { type OwnedOptions, pruneOwned, removeOwned } from "../object/owned-objects.ts";
import { patchStatus } from "../object/write-status.ts";
import type { Trigger } from "../queue/work-item.ts";
import { contextNames, contextView } from "./context-view.ts";
import { InvalidConditionError } from "./errors.ts";
import type { EventRecorder } from "./event-recorder.ts";
import type { ReconcileContext, ReconcileResult, ReconcileRun } from "./reconciler.ts";

/** The status that objects of a kind may have. */
export type StatusOf<T> = T extends { readonly status?: infer Status } ? NonNullable<Status> : never;

/** A condition to set; for a kind whose status has no conditions, a text that explains what to do. */
export type ConditionOf<T> =
  StatusOf<T> extends { readonly conditions?: infer Conditions }
    ? [Condition] extends [Element<NonNullable<Conditions>>]
      ? ConditionUpdate
      : NoConditions
    : NoConditions;

type Element<List> = List extends readonly (infer Each)[] ? Each : never;
type NoConditions = "the status of this kind has no conditions: add `conditions: conditions()` to its schema";

/** A name in the namespace of the reconciled object, or a key. */
export type NameOrKey = string | ObjectKey;

/**
 * What a reconciler of objects gets: the object, and operations that know the object, its kind, the field owner and both
 * clients. Everything that `apply` and `createOnce` make is owned by the object: it is deleted with it, and its changes
 * enqueue the object if the controller `.owns` the kind.
 */
export interface ObjectContext<T extends KubeObject, Settings = unknown>
  extends ReconcileContext<ObjectKey, Settings> {
  /** From the cache, frozen. If it is being deleted, `metadata.deletionTimestamp` is set. */
  readonly object: Stored<T>;
  /**
   * Brings an owned object to the desired state by server-side apply, and returns it as the server has it. Writes nothing
   * if nothing differs (law 4). The namespace is that of the reconciled object. Throws a ForeignObjectError if an object
   * of that name exists that the reconciled object does not control.
   */
  apply<K extends KubeObject>(kind: Resource<K>, desired: ApplyConfiguration<K>): Promise<Stored<K>>;
  /** As `apply`, and also returns whether the object was `created`, `updated` or `unchanged`. */
  applyWithResult<K extends KubeObject>(
    kind: Resource<K>,
    desired: ApplyConfiguration<K>,
  ): Promise<AppliedObject<K>>;
  /**
   * Creates an owned object unless it exists, and never changes it: for what is generated once, such as a password.
   * `generate` returns further fields and is called only if the object has to be created. Throws a ForeignObjectError as
   * `apply` does.
   */
  createOnce<K extends KubeObject>(
    kind: Resource<K>,
    desired: ApplyConfiguration<K>,
    generate?: () => GeneratedFields<K>,
  ): Promise<Stored<K>>;
  /** Deletes an owned object; false if there was none. An object that is not owned stays. */
  remove<K extends KubeObject>(kind: Resource<K>, key: NameOrKey): Promise<boolean>;
  /** Deletes the owned objects of a kind whose names are not desired, and returns the names of those that it deleted. */
  prune<K extends KubeObject>(kind: Resource<K>, desiredNames: Iterable<string>): Promise<readonly string[]>;
  /** An object from the cache; undefined if it does not exist. */
  find<K extends KubeObject>(kind: Resource<K>, key: NameOrKey): Promise<Stored<K> | undefined>;
  /**
   * Makes the status of the object what is given, by one patch of what differs; false if nothing did. Fields that are not
   * given are removed, except `conditions`, which stay unless they are given.
   */
  setStatus(status: StatusOf<T>): Promise<boolean>;
  /**
   * Sets one condition of the status; false if it was so already. Its `lastTransitionTime` changes with its status only,
   * and `observedGeneration` is that of the object unless it is given.
   */
  setCondition(condition: ConditionOf<T>): Promise<boolean>;
  /** Records an Event about the object, for `kubectl describe`. */
  event(type: "Normal" | "Warning", reason: string, message: string): void;
}

/** As Reconciler, for objects. Not called if the object does not exist [CT18]. */
export type ObjectReconciler<T extends KubeObject, Settings = unknown> = (
  context: ObjectContext<T, Settings>,
) => Promise<ReconcileResult> | ReconcileResult;

/** The context of one reconcile of one object. */
export class ObjectRun<T extends KubeObject, Settings> implements ObjectContext<T, Settings> {
  readonly object: Stored<T>;
  readonly #resource: Resource<T>;
  readonly #run: ReconcileRun<ObjectKey, Settings>;
  /** As this run knows it: as read, or as it wrote it. */
  #status: unknown;

  constructor(run: ReconcileRun<ObjectKey, Settings>, resource: Resource<T>, object: Stored<T>) {
    this.object = object;
    this.#run = run;
    this.#resource = resource;
    this.#status = "status" in object ? object.status : undefined;
  }

  async apply<K extends KubeObject>(kind: Resource<K>, desired: ApplyConfiguration<K>): Promise<Stored<K>> {
    return (await this.applyWithResult(kind, desired)).object;
  }

  applyWithResult<K extends KubeObject>(
    kind: Resource<K>,
    desired: ApplyConfiguration<K>,
  ): Promise<AppliedObject<K>> {
    return applyOwned(this.client, this.#owner, kind, desired, this.#ownedOptions);
  }

  createOnce<K extends KubeObject>(
    kind: Resource<K>,
    desired: ApplyConfiguration<K>,
    generate?: () => GeneratedFields<K>,
  ): Promise<Stored<K>> {
    return createOwnedOnce(this.client, this.#owner, kind, desired, { ...this.#ownedOptions, generate });
  }

  remove<K extends KubeObject>(kind: Resource<K>, key: NameOrKey): Promise<boolean> {
    return removeOwned(this.client, this.object, kind, this.#keyOf(kind, key));
  }

  prune<K extends KubeObject>(kind: Resource<K>, desiredNames: Iterable<string>): Promise<readonly string[]> {
    return pruneOwned(this.client, this.object, kind, desiredNames);
  }

  find<K extends KubeObject>(kind: Resource<K>, key: NameOrKey): Promise<Stored<K> | undefined> {
    return find(this.client, kind, this.#keyOf(kind, key));
  }

  setStatus(status: StatusOf<T>): Promise<boolean> {
    const conditions = conditionsIn(this.#status);
    return this.#writeStatus(conditions === undefined ? status : { conditions, ...status });
  }

  async setCondition(condition: ConditionOf<T>): Promise<boolean> {
    if (!isConditionUpdate(condition)) throw new InvalidConditionError(this.#resource, condition);
    const update = withGeneration(condition, this.object.metadata.generation);
    const conditions = mergeConditions(conditionsIn(this.#status), [update], this.clock.now());
    return this.#writeStatus({ ...(isRecord(this.#status) ? this.#status : {}), conditions });
  }

  event(type: "Normal" | "Warning", reason: string, message: string): void {
    this.events.record(this.object, { type, reason, message });
  }

  get key(): ObjectKey {
    return this.#run.key;
  }

  get client(): Client {
    return this.#run.client;
  }

  get liveClient(): Client {
    return this.#run.liveClient;
  }

  get clock(): Clock {
    return this.#run.clock;
  }

  get settings(): Settings {
    return this.#run.settings;
  }

  get log(): Logger {
    return this.#run.log;
  }

  get events(): EventRecorder {
    return this.#run.events;
  }

  get signal(): AbortSignal {
    return this.#run.signal;
  }

  get failures(): number {
    return this.#run.failures;
  }

  get reasons(): readonly Trigger[] {
    return this.#run.reasons;
  }

  get reasonCount(): number {
    return this.#run.reasonCount;
  }

  get reconcileId(): string {
    return this.#run.reconcileId;
  }

  get #owner(): ObjectOfKind<T> {
    return { object: this.object, resource: this.#resource };
  }

  get #ownedOptions(): OwnedOptions {
    return { fieldOwner: this.#run.fieldOwner, live: this.liveClient };
  }

  #keyOf({ scope }: Resource, key: NameOrKey): ObjectKey {
    if (typeof key !== "string") return key;
    const { namespace } = this.object.metadata;
    return scope === "Namespaced" && namespace !== undefined ? { namespace, name: key } : { name: key };
  }

  async #writeStatus(status: object): Promise<boolean> {
    const before = isRecord(this.#status) ? this.#status : undefined;
    const { fieldOwner } = this.#run;
    const hasChanged = await patchStatus(this.client, this.#owner, { before, after: status }, { fieldOwner });
    this.#status = status;
    return hasChanged;
  }
}

function isConditionUpdate(condition: unknown): condition is ConditionUpdate {
  return isRecord(condition) && typeof condition.type === "string" && typeof condition.status === "string";
}

function withGeneration(update: ConditionUpdate, generation: number | undefined): ConditionUpdate {
  return generation === undefined ? update : { observedGeneration: generation, ...update };
}

function conditionsIn(status: unknown): readonly Condition[] | undefined {
  return hasConditions(status) ? status.conditions : undefined;
}

function hasConditions(status: unknown): status is { readonly conditions: readonly Condition[] } {
  return isRecord(status) && Array.isArray(status.conditions);
}

const operations: readonly (keyof ObjectContext<KubeObject>)[] = [
  "apply",
  "applyWithResult",
  "createOnce",
  "remove",
  "prune",
  "find",
  "setStatus",
  "setCondition",
  "event",
];

const viewOfRun = contextView(["object", ...contextNames], operations);

/** The context that a reconciler of objects gets: a view of the run that may be copied and spread. */
export function objectContext<T extends KubeObject, Settings>(
  run: ObjectRun<T, Settings>,
): ObjectContext<T, Settings> {
  return viewOfRun(run);
}
