import { setField } from "../schema/json-document.ts";
import { type FieldType, type ListType, type MapType, typeOfField } from "./field-type.ts";
import { fieldsOf, formOf, hasFields, identify, itemsOf } from "./list-element.ts";

/**
 * The live value with all fields of the configuration. Nothing is removed. Lists have the order of the configuration for
 * the items that it contains. The result shares parts with both.
 */
export function mergeConfiguration(live: unknown, configuration: unknown, type: FieldType): unknown {
  if (configuration === undefined) return live;
  if (live === undefined) return configuration;
  const form = formOf(type, configuration);
  if (form === "map" && type.map?.isAtomic === false) {
    const [from, to] = [fieldsOf(live), fieldsOf(configuration)];
    if (hasFields(from) || hasFields(to)) return mergeMaps(from, to, type.map);
  } else if (form === "list" && type.list !== undefined && type.list.relation !== "atomic") {
    const [from, to] = [itemsOf(live), itemsOf(configuration)];
    if (from.length > 0 || to.length > 0) return mergeLists(from, to, type.list);
  }
  return configuration;
}

type Fields = Readonly<Record<string, unknown>>;

function mergeMaps(live: Fields, configuration: Fields, map: MapType): unknown {
  const out = { ...live };
  for (const name of Object.keys(configuration)) {
    const own = Object.hasOwn(live, name) ? live[name] : undefined;
    setField(out, name, mergeConfiguration(own, configuration[name], typeOfField(map, name)));
  }
  return out;
}

interface Items {
  /** The identities of the items, in order. */
  readonly order: readonly string[];
  readonly items: readonly unknown[];
  readonly byElement: ReadonlyMap<string, unknown>;
}

function indexed(list: ListType, values: readonly unknown[]): Items {
  const order: string[] = [];
  const items: unknown[] = [];
  const byElement = new Map<string, unknown>();
  for (const value of values) {
    const identity = identify(list, value);
    if ("problem" in identity) continue;
    order.push(identity.element);
    items.push(value);
    // Several items with the same keys are not merged.
    byElement.set(identity.element, byElement.has(identity.element) ? null : value);
  }
  return { order, items, byElement };
}

/** Walks both lists; common items have the order of the configuration, live items stay between their neighbours. */
function mergeLists(
  liveItems: readonly unknown[],
  configured: readonly unknown[],
  list: ListType,
): unknown[] {
  const [live, config] = [indexed(list, liveItems), indexed(list, configured)];
  const shared = config.order.filter((element) => live.byElement.has(element));
  const merged = new Set<string>();
  const out: unknown[] = [];
  const merge = (element: string): void => {
    merged.add(element);
    const [own, other] = [live.byElement.get(element), config.byElement.get(element)];
    out.push(mergeConfiguration(own, other, list.element));
    if (shared[0] === element) shared.shift();
  };
  let [l, c] = [0, 0];
  while (l < live.order.length || c < config.order.length) {
    const [here, there] = [live.order[l], config.order[c]];
    if (here !== undefined && here === there) {
      merge(here);
      l += 1;
      c += 1;
    } else if (here !== undefined && !config.byElement.has(here)) {
      out.push(live.items[l]);
      l += 1;
    } else if (here !== undefined && there !== undefined && shared.length > 0 && shared[0] !== here) {
      // The item follows at its place in the configuration.
      l += 1;
    } else {
      if (here !== undefined && merged.has(here)) l += 1;
      if (there !== undefined) {
        merge(there);
        c += 1;
      }
    }
  }
  return out;
}
