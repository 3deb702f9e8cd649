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
 * Which events a controller hears of, one question for each type; a type without a question passes [EV6]. An event that
 * does not pass is as if it had never been: filter only what cannot matter.
 */
export interface Predicate<T extends KubeObject = KubeObject> {
  readonly create?: (event: InformerCreate<T>) => boolean;
  readonly update?: (event: InformerUpdate<T>) => boolean;
  readonly delete?: (event: InformerDelete<T>) => boolean;
  readonly generic?: (event: GenericEvent<Stored<T>>) => boolean;
}

/** Whether all of them let the event pass; the first that does not is the last that is asked. */
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

/** Asks the same of events of every type. */
function onEveryEvent<T extends KubeObject>(ask: (event: SourceEvent<T>) => boolean): Predicate<T> {
  return { create: ask, update: ask, delete: ask, generic: ask };
}

/**
 * Asks about the object; of an update, about the new one only. So an object that stops fulfilling it is not heard of
 * at that moment; let the update pass by `anyOf` with another predicate where that matters.
 */
export function predicateOf<T extends KubeObject>(isWanted: (object: Stored<T>) => boolean): Predicate<T> {
  return onEveryEvent((event) => isWanted(event.object));
}

/** Passes what all of them pass; without any, everything. */
export function allOf<T extends KubeObject>(...predicates: readonly Predicate<T>[]): Predicate<T> {
  return onEveryEvent((event) => passesAll(predicates, event));
}

/** Passes what one of them passes; without any, nothing. */
export function anyOf<T extends KubeObject>(...predicates: readonly Predicate<T>[]): Predicate<T> {
  return onEveryEvent((event) => predicates.some((predicate) => passes(predicate, event)));
}

/**
 * Passes what the other does not. That includes the types that the other does not ask about: `not(generationChanged)`
 * passes neither creates nor deletes.
 */
export function not<T extends KubeObject>(predicate: Predicate<T>): Predicate<T> {
  return onEveryEvent((event) => !passes(predicate, event));
}

/**
 * Passes updates of the spec; those of the status or the metadata only, and resyncs, fall. That a deletion began
 * passes too. Not for kinds without a generation, such as ConfigMap and Secret, whose updates would all fall.
 */
export const generationChanged: Predicate = onChange(
  (old, now) => old.generation !== now.generation || hasDeletionStarted(old, now),
);

/** Passes every update but resyncs and relists of what is as it was. */
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

/** Passes the update by which an object that finalizers hold begins to be deleted. */
export const deletionStarted: Predicate = onChange(hasDeletionStarted);

/**
 * Passes objects with such labels: `app=web,tier!=db`, or the form that objects have it in. Of an update, the new
 * labels count. Throws InvalidLabelSelectorError.
 */
export function matchesSelector(selector: string | LabelQuery): Predicate {
  const query = typeof selector === "string" ? parseLabelSelector(selector) : selector;
  validateLabelSelector(query);
  return predicateOf((object) => matchesLabels(query, metadataOf(object)?.labels));
}

/** Passes objects in one of these namespaces. */
export function inNamespaces(...namespaces: readonly string[]): Predicate {
  return onEveryEvent((event) => namespaces.includes(placeOf(event)?.namespace ?? ""));
}

/** Passes objects with one of these names, in whatever namespace. */
export function named(...names: readonly string[]): Predicate {
  return onEveryEvent((event) => names.includes(placeOf(event)?.name ?? ""));
}

/**
 * Asks about updates only. One from an object to another of the same name passes in any case: a deletion and a creation
 * hide behind it [IN7], and the new object may well look like the old one.
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

/** The key of an informer's event, which is there without a parse. */
function placeOf(event: SourceEvent<KubeObject>): Pick<ObjectMeta, "namespace" | "name"> | undefined {
  return event.type === "generic" ? metadataOf(event.object) : event.key;
}

/** What comes through a channel is whatever somebody put in. */
function metadataOf(object: KubeObject | undefined): ObjectMeta | undefined {
  return object?.metadata;
}
