import { type KubeObject, keyOf, type ObjectKey, type Stored } from "@keelson/core";
import type { InformerEvent } from "../cache/informer/informer.ts";

/** Something happened that is no change of an object in the API server: a callback, a timer, a message. */
export interface GenericEvent<Item> {
  readonly type: "generic";
  readonly object: Item;
}

/** What handlers and predicates are asked about. Of an informer's event, `key` costs nothing and `object` may cost a parse. */
export type SourceEvent<T extends KubeObject> = InformerEvent<T> | GenericEvent<Stored<T>>;

/** Where the object of an event is, without looking at the object if that can be. */
export function keyOfEvent(event: SourceEvent<KubeObject>): ObjectKey {
  return event.type === "generic" ? keyOf(event.object) : event.key;
}
