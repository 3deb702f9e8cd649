import { fieldOf, isJsonObject, type JsonObject } from "../schema/json-document.ts";
import { plainError } from "../status/api-error.ts";
import { rejectedPatch } from "../status/request-errors.ts";
import { goText, goType, goValue } from "./go-format.ts";

type MergeMaps = (old: JsonObject, change: JsonObject) => JsonObject;

/** Merges two lists: of scalars as sets, of objects by their merge key. May change its arguments. */
export function mergeList(
  current: unknown[],
  patch: unknown[],
  mergeKey: string,
  mergeMaps: MergeMaps,
): unknown[] {
  if (current.length === 0 && patch.length === 0) return current;
  checkElementTypes(current, patch);
  const maps = current.concat(patch).filter(isJsonObject);
  if (maps.length === 0) return inOrder([...new Set([...current, ...patch])], patch, current, "");
  if (mergeKey === "") throw plainError("cannot merge lists without merge key for struct");
  const { kept, changes } = applyDirectives(
    current.filter(isJsonObject),
    patch.filter(isJsonObject),
    mergeKey,
  );
  return inOrder(mergeElements([...kept], changes, mergeKey, mergeMaps), changes, kept, mergeKey);
}

/** All elements must be of one type, and not lists themselves. */
function checkElementTypes(current: readonly unknown[], patch: readonly unknown[]): void {
  let first: string | undefined;
  for (const element of [...current, ...patch]) {
    const type = goType(element);
    if (first === undefined && Array.isArray(element)) throw rejectedPatch();
    first ??= type;
    if (type !== first) {
      throw plainError(`list element types are not identical: ${goValue([current, patch])}`);
    }
  }
}

interface Directed {
  readonly kept: JsonObject[];
  readonly changes: JsonObject[];
}

/** Applies the elements with a `$patch` directive; the other elements of the patch are the changes. */
function applyDirectives(current: JsonObject[], patch: readonly JsonObject[], mergeKey: string): Directed {
  const changes: JsonObject[] = [];
  let kept = current;
  let replaces = false;
  for (const element of patch) {
    const directive = fieldOf(element, "$patch");
    if (directive === undefined) changes.push(element);
    else if (directive === "replace") replaces = true;
    else if (directive === "merge") throw plainError("merging lists cannot yet be specified in the patch");
    else if (directive === "delete") {
      const key = keyOf(element, mergeKey);
      kept = kept.filter((one) => fieldOf(one, mergeKey) !== key);
    } else throw plainError(`unknown patch type: ${goText(directive)} in map: ${goValue(element)}`);
  }
  return replaces ? { kept: changes, changes: [] } : { kept, changes };
}

function mergeElements(
  merged: JsonObject[],
  changes: readonly JsonObject[],
  mergeKey: string,
  mergeMaps: MergeMaps,
): JsonObject[] {
  for (const change of changes) {
    const key = keyOf(change, mergeKey);
    const position = merged.findIndex((one) => fieldOf(one, mergeKey) === key);
    const old = merged[position];
    if (old === undefined) merged.push(change);
    else merged[position] = mergeMaps(old, change);
  }
  return merged;
}

/** The relative order of the patch's elements must be that of `$setElementOrder`, which must name all of them. */
export function checkAgainstOrder(
  patch: readonly unknown[],
  order: readonly unknown[],
  mergeKey: string,
): void {
  if (order.length === 0 || patch.length === 0) return;
  const changes = patch.filter((element) => !isDirective(element));
  let next = 0;
  for (const place of order) {
    if (next === changes.length) break;
    if (sameElement(changes[next], place, mergeKey)) next += 1;
  }
  if (next < changes.length) {
    const texts = `${goValue(patch)}\n doesn't match $setElementOrder list:\n${goValue(order)}\n`;
    throw plainError(`The order in patch list:\n${texts}`);
  }
}

function isDirective(element: unknown): boolean {
  return isJsonObject(element) && Object.hasOwn(element, "$patch");
}

function sameElement(element: unknown, place: unknown, mergeKey: string): boolean {
  if (mergeKey === "") return element === place;
  return keyOf(asMap(element), mergeKey) === keyOf(asMap(place), mergeKey);
}

/**
 * The merged elements: those that the order names in that order, all other elements in the order of the live list, each
 * before the first ordered element that follows it there.
 */
export function inOrder(
  merged: readonly unknown[],
  order: readonly unknown[],
  live: readonly unknown[],
  mergeKey: string,
): unknown[] {
  const identity = (element: unknown): unknown => {
    return mergeKey === "" ? element : keyOf(asMap(element), mergeKey);
  };
  const places = new Map(order.map((element, index) => [identity(element), index] as const));
  const livePlaces = new Map(live.map((element, index) => [identity(element), index] as const));
  const ordered = merged.filter((element) => places.has(identity(element)));
  const unordered = merged.filter((element) => !places.has(identity(element)));
  return interleave(
    sortedBy(unordered, livePlaces, identity),
    sortedBy(ordered, places, identity),
    (element) => livePlaces.get(identity(element)),
  );
}

function sortedBy(
  elements: unknown[],
  places: ReadonlyMap<unknown, number>,
  identity: (element: unknown) => unknown,
): unknown[] {
  return elements.sort((a, b) => (places.get(identity(a)) ?? 0) - (places.get(identity(b)) ?? 0));
}

/** Inserts the elements of the left list into the right one; both keep their order. */
function interleave(
  left: readonly unknown[],
  right: readonly unknown[],
  livePlace: (element: unknown) => number | undefined,
): unknown[] {
  const all: unknown[] = [];
  let i = 0;
  for (const element of right) {
    const place = livePlace(element);
    for (; i < left.length; i += 1) {
      const other = livePlace(left[i]);
      if (place === undefined || other === undefined || other >= place) break;
      all.push(left[i]);
    }
    all.push(element);
  }
  return [...all, ...left.slice(i)];
}

function asMap(element: unknown): JsonObject {
  if (isJsonObject(element)) return element;
  throw plainError(`expected a map[string]interface {}, but received a ${goType(element)}`);
}

function keyOf(element: JsonObject, mergeKey: string): unknown {
  if (Object.hasOwn(element, mergeKey)) return element[mergeKey];
  throw plainError(`map: ${goValue(element)} does not contain declared merge key: ${mergeKey}`);
}
