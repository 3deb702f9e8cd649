import type { KubeObject, Stored } from "@keelson/core";
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
export function onEveryEvent<T extends KubeObject>(ask: (event: SourceEvent<T>) => boolean): Predicate<T> {
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
