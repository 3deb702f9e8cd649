import type { Keyed } from "@keelson/core";
import { z } from "zod";
import { extend, type MapSize } from "../structural/extension.ts";

/** A list whose elements have different keys. The type remembers the keys, so that a server-side apply must give them. */
export type ListMap<Element extends z.ZodType, Key extends keyof z.output<Element>> = z.ZodArray<
  z.ZodType<Keyed<z.output<Element>, Key>[number], z.input<Element>>
>;

/**
 * A list whose elements are identified by keys, such as the ports of a Service by name: no two elements have equal
 * keys, and several managers may each own some elements (`x-kubernetes-list-type: map`). A key is a scalar field that is
 * required or has a default.
 */
export function listMap<Element extends z.ZodType, const Key extends keyof z.output<Element> & string>(
  element: Element,
  keys: readonly Key[],
): ListMap<Element, Key>;
export function listMap(element: z.ZodType, keys: readonly string[]): z.ZodArray {
  return extend(z.array(element), { listType: "map", listMapKeys: keys });
}

/** A list without equal elements, to which several managers may each add (`x-kubernetes-list-type: set`). */
export function listSet<Element extends z.ZodType>(element: Element): z.ZodArray<Element> {
  return extend(z.array(element), { listType: "set" });
}

/** A list, map or object that has one owner: server-side apply replaces it as a whole. Lists are atomic by default. */
export function atomic<S extends z.ZodType>(schema: S): S {
  return extend(schema, { atomic: true });
}

/** A map with so many entries. zod does not check it, the server does; rules on what is in a map need a `max` to be affordable. */
export function sized<Map extends z.ZodRecord>(map: Map, size: MapSize): Map {
  return extend(map, { mapSize: size });
}
