import type { GenericObject } from "@keelson/core";
import type { StoreChange } from "../../store/store.ts";
import type { Selection } from "./selection.ts";

/** A change as a watcher of a selection sees it. */
export interface WatchChange {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  /** As it is stored. */
  readonly object: GenericObject;
}

/** The last states of objects that left a selection, with the revision of that change. */
const departed = new WeakMap<StoreChange, GenericObject>();

/** Undefined if the change is outside of the selection. An object that enters or leaves it is ADDED or DELETED. */
export function seenChange(selection: Selection, change: StoreChange): WatchChange | undefined {
  const { type, object, previous } = change;
  if (!selection.isSelective) return selection.matches(object) ? { type, object } : undefined;
  const was = previous !== undefined && selection.matches(previous);
  const is = type !== "DELETED" && selection.matches(object);
  if (!was && !is) return undefined;
  if (type === "DELETED") return { type, object };
  if (was && is) return { type: "MODIFIED", object };
  if (is) return { type: "ADDED", object };
  return previous === undefined ? undefined : { type: "DELETED", object: departure(change, previous) };
}

function departure(change: StoreChange, previous: GenericObject): GenericObject {
  const known = departed.get(change);
  if (known !== undefined) return known;
  const metadata = { ...previous.metadata, resourceVersion: String(change.revision) };
  const object = { ...previous, metadata };
  departed.set(change, object);
  return object;
}
