import {
  deepEqual,
  type KubeObject,
  type LabelQuery,
  matchesLabels,
  type ObjectMeta,
  parseLabelSelector,
  type Stored,
  validateLabelSelector,
} from "@keelson/core";
import type { InformerCreate, InformerDelete, InformerUpdate } from "../cache/informer/informer.ts";
import type { GenericEvent, SourceEvent } from "./source-event.ts";

/**
 * Filters the events of a controller, with one function for each type; a type without a function passes [EV6]. An event
 * that does not pass has no effect at all: filter only what cannot matter.
 */
export interface Predicate<T extends KubeObject = KubeObject> {
  readonly create?: (event: InformerCreate<T>) => boolean;
  readonly update?: (event: InformerUpdate<T>) => boolean;
  readonly delete?: (event: InformerDelete<T>) => boolean;
  readonly generic?: (event: GenericEvent<Stored<T>>) => boolean;
}

/** Whether the event passes all of them; stops at the first that it does not pass. */
export function passesAll<T extends KubeObject>(
  predicates: readonly Predicate<T>[],
  event: SourceEvent<T>,
): boolean {
  return predicates.every((predicate) => passes(predicate, event));
}

function passes<T extends KubeObject>(predicate: Predicate<T>, event: SourceEvent<T>): boolean {
  switch (event.type) {
    case "create":
      return predicate.create?.(event) ?? true;
    case "update":
      return predicate.update?.(event) ?? true;
    case "delete":
      return predicate.delete?.(event) ?? true;
    case "generic":
      return predicate.generic?.(event) ?? true;
  }
}

/** Tests events of every type with the same function. */
function onEveryEvent<T extends KubeObject>(test: (event: SourceEvent<T>) => boolean): Predicate<T> {
  return { create: test, update: test, delete: test, generic: test };
}

/**
 * Tests the object; of an update, only the new one. So the update by which an object stops to match does not pass; combine
 * it by `anyOf` with another predicate where that matters.
 */
export function predicateOf<T extends KubeObject>(matches: (object: Stored<T>) => boolean): Predicate<T> {
  return onEveryEvent((event) => matches(event.object));
}

/** Passes events that pass all of them; without any, every event. */
export function allOf<T extends KubeObject>(...predicates: readonly Predicate<T>[]): Predicate<T> {
  return onEveryEvent((event) => passesAll(predicates, event));
}

/** Passes events that pass one of them; without any, no event. */
export function anyOf<T extends KubeObject>(...predicates: readonly Predicate<T>[]): Predicate<T> {
  return onEveryEvent((event) => predicates.some((predicate) => passes(predicate, event)));
}

/**
 * Passes events that the other does not pass. A type that the other has no function for does not pass:
 * `not(generationChanged)` passes neither creates nor deletes.
 */
export function not<T extends KubeObject>(predicate: Predicate<T>): Predicate<T> {
  return onEveryEvent((event) => !passes(predicate, event));
}

/**
 * Passes updates of the spec and the start of a deletion, but no updates of only the status or the metadata, and no
 * resyncs. Not for kinds without a generation, such as ConfigMap and Secret: none of their updates would pass.
 */
export const generationChanged: Predicate = onChange(
  (old, now) => old.generation !== now.generation || hasDeletionStarted(old, now),
);

/** Passes every update but resyncs and relists of unchanged objects. */
export const resourceVersionChanged: Predicate = onChange(
  (old, now) => old.resourceVersion !== now.resourceVersion,
);

/** Passes updates that change a label. */
export const labelsChanged: Predicate = onChange(
  (old, now) => !deepEqual(old.labels ?? {}, now.labels ?? {}),
);

/** Passes updates that change an annotation. */
export const annotationsChanged: Predicate = onChange(
  (old, now) => !deepEqual(old.annotations ?? {}, now.annotations ?? {}),
);

/** Passes updates that add or remove a finalizer. */
export const finalizersChanged: Predicate = onChange(
  (old, now) => !deepEqual(old.finalizers?.toSorted() ?? [], now.finalizers?.toSorted() ?? []),
);

/** Passes the update by which the deletion of an object with finalizers starts. */
export const deletionStarted: Predicate = onChange(hasDeletionStarted);

/**
 * Passes objects that match a label selector: `app=web,tier!=db`, or its form in objects. Of an update, the new labels
 * count. Throws InvalidLabelSelectorError.
 */
export function matchesSelector(selector: string | LabelQuery): Predicate {
  const query = typeof selector === "string" ? parseLabelSelector(selector) : selector;
  validateLabelSelector(query);
  return predicateOf((object) => matchesLabels(query, metadataOf(object)?.labels));
}

/** Passes objects in one of these namespaces. */
export function inNamespaces(...namespaces: readonly string[]): Predicate {
  return onEveryEvent((event) => namespaces.includes(identityOf(event)?.namespace ?? ""));
}

/** Passes objects with one of these names, in any namespace. */
export function named(...names: readonly string[]): Predicate {
  return onEveryEvent((event) => names.includes(identityOf(event)?.name ?? ""));
}

/**
 * Tests updates only. An update from an object to another one of the same name always passes: it stands for a deletion and
 * a creation [IN7], and the new object may look like the old one.
 */
function onChange(isChange: (old: ObjectMeta, now: ObjectMeta) => boolean): Predicate {
  return {
    update: (event) => {
      const old = metadataOf(event.old);
      const now = metadataOf(event.object);
      if (old === undefined || now === undefined) return false;
      return old.uid !== now.uid || isChange(old, now);
    },
  };
}

function hasDeletionStarted(old: ObjectMeta, now: ObjectMeta): boolean {
  return old.deletionTimestamp === undefined && now.deletionTimestamp !== undefined;
}

/** Name and namespace of the object, without parsing it if possible. */
function identityOf(event: SourceEvent<KubeObject>): Pick<ObjectMeta, "namespace" | "name"> | undefined {
  return event.type === "generic" ? metadataOf(event.object) : event.key;
}

/** A channel may carry any value. */
function metadataOf(object: KubeObject | undefined): ObjectMeta | undefined {
  return object?.metadata;
}
