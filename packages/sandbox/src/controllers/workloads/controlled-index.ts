import { controllerOf, type KubeObject, type Resource } from "@keelson/core";
import type { ControllerContext, ObjectChange } from "../controller.ts";
import { loopKey } from "../key-loop.ts";
import { byCreation } from "./pod-state.ts";

/** The objects of a kind by their controller. As new as the store: it is told within each write. */
export interface ControlledIndex<T extends KubeObject> {
  /** Oldest first. */
  controlledBy(owner: KubeObject): readonly T[];
  /** Those of a namespace that have no controller. */
  orphansIn(namespace: string | undefined): readonly T[];
  stop(): void;
}

export function indexByController<T extends KubeObject>(
  context: Pick<ControllerContext, "watch">,
  resource: Resource<T>,
  onChange: (change: ObjectChange<T>) => void,
): ControlledIndex<T> {
  const groups = new Map<string, Map<string, T>>();

  function remove(object: T): void {
    const group = groups.get(groupOf(object));
    group?.delete(loopKey(object));
    if (group?.size === 0) groups.delete(groupOf(object));
  }

  function add(object: T): void {
    const name = groupOf(object);
    const group = groups.get(name) ?? new Map<string, T>();
    group.set(loopKey(object), object);
    groups.set(name, group);
  }

  const stop = context.watch(resource, (change) => {
    if (change.previous !== undefined) remove(change.previous);
    if (change.type === "DELETED") remove(change.object);
    else add(change.object);
    onChange(change);
  });

  return {
    controlledBy: (owner) => [...(groups.get(owner.metadata.uid ?? "")?.values() ?? [])].sort(byCreation),
    orphansIn: (namespace = "") => [...(groups.get(orphans(namespace))?.values() ?? [])].sort(byCreation),
    stop,
  };
}

function groupOf(object: KubeObject): string {
  return controllerOf(object)?.uid ?? orphans(object.metadata.namespace ?? "");
}

function orphans(namespace: string): string {
  return `orphans in ${namespace}`;
}
