import type { KubeObject } from "@keelson/core";
import type { ObjectEvent } from "./watch-state.ts";

/** The objects of a sync that is not complete yet, each in its newest state. Nobody sees them before they are taken. */
export class Collection<T extends KubeObject> {
  #objects = new Map<string, T>();

  change({ type, object }: ObjectEvent<T>): void {
    if (type === "DELETED") this.#objects.delete(keyText(object));
    else this.#objects.set(keyText(object), object);
  }

  add(objects: readonly T[]): void {
    for (const object of objects) this.#objects.set(keyText(object), object);
  }

  /** Everything that was collected, after which there is nothing. */
  take(): readonly T[] {
    const objects = [...this.#objects.values()];
    this.clear();
    return objects;
  }

  clear(): void {
    this.#objects = new Map();
  }
}

function keyText({ metadata: { namespace = "", name = "" } }: KubeObject): string {
  return `${namespace}/${name}`;
}
