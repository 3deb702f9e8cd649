import {
  atomicMaps,
  builtInGroups,
  defaultedInAtomics,
  defaultsInKeys,
  listKeys,
  meaningfulWhenEmpty,
  meaningfulWhenZero,
  muchDefaulted,
  orderedLists,
  quantityMaps,
  sets,
  textMaps,
} from "./built-in-fields.ts";
import { type FieldPath, isAmong, lookUp, pathIn } from "./field-path.ts";
import { deepEqual, isRecord } from "./json.ts";
import { hasNormalForm, isZero, normalForm } from "./normal-form.ts";
import type { GroupVersionKind } from "./resource.ts";

/**
 * Whether `actual`, as the server stored it, has every field that `desired` states, so that applying it would change
 * nothing. It does not find fields that `desired` states no longer, which an apply by the same field manager would
 * remove: use it only where no field is ever dropped, or where that is known from elsewhere. Without a kind both are
 * pod templates.
 *
 * Defaults of the server, and what other field managers added, are no difference: fields and entries of maps that `desired` does not
 * state, and elements of lists with keys (containers, env, volumes, the ports of a Service and so on) that it does not
 * have. Elements are matched by key; only env and initContainers must also be in the same order. Other lists, such as
 * args or the rules of a Role, and the few maps that have one author, such as selectors, must hold the same and no
 * more. Stating null, an empty list or an empty map states nothing.
 *
 * Of kinds that are not built in the schema is not known: every value is compared, also an empty one, lists must have
 * as many elements, and a further field of an element that is an object is taken for a default.
 */
export function isCoveredBy(
  desired: object,
  actual: object,
  kind?: Pick<GroupVersionKind, "group" | "kind">,
): boolean {
  if (kind !== undefined && !builtInGroups.has(kind.group)) return isCustomCoveredBy(desired, actual);
  // No server stores such an object of a built-in kind as it is.
  if (!(hasNormalForm(desired) && hasNormalForm(actual))) return false;
  const path = kind?.kind ?? "";
  return covers(normalForm(actual, path, "drop"), normalForm(desired, path, "keep"), {
    path,
    isAtomic: false,
  });
}

function isCustomCoveredBy(desired: object, actual: object): boolean {
  const { metadata, ...fields }: { readonly metadata?: unknown } = desired;
  const { metadata: actualMetadata }: { readonly metadata?: unknown } = actual;
  return (
    isCoveredBy({ metadata }, { metadata: actualMetadata }, { group: "", kind: "" }) && holds(actual, fields)
  );
}

/** Not by recursion: the depth of a custom object is what its author chose, and the stack is limited. */
function holds(actual: unknown, desired: unknown): boolean {
  const open = [{ actual, desired }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { actual: found, desired: stated } = next;
    if (stated === null || stated === undefined) continue;
    if (Array.isArray(stated)) {
      if (!Array.isArray(found) || found.length !== stated.length) return false;
      for (const [index, element] of stated.entries()) open.push({ actual: found[index], desired: element });
    } else if (isRecord(stated)) {
      if (!isRecord(found)) return false;
      for (const [name, value] of Object.entries(stated))
        open.push({ actual: own(found, name), desired: value });
    } else if (!deepEqual(found, stated)) return false;
  }
  return true;
}

interface Position {
  readonly path: FieldPath;
  /** Whether what is here has one author, so that nothing may be there beyond what is stated. */
  readonly isAtomic: boolean;
}

function covers(actual: unknown, desired: unknown, position: Position): boolean {
  if (Array.isArray(desired)) return Array.isArray(actual) && coversList(actual, desired, position);
  if (isRecord(desired)) return coversRecord(actual, desired, position);
  if (actual === undefined) return isZero(desired) && !isAmong(meaningfulWhenZero, position.path);
  return deepEqual(actual, desired);
}

function coversRecord(
  actual: unknown,
  desired: Readonly<Record<string, unknown>>,
  { path, isAtomic: isInAtomic }: Position,
): boolean {
  const isMap = isAmong(textMaps, path) || isAmong(quantityMaps, path);
  if (!isMap && isAmong(meaningfulWhenEmpty, path) && !isRecord(actual)) return false;
  if (isTakenFromElsewhere(actual, desired)) return false;
  const isAtomic = isInAtomic || isAmong(atomicMaps, path);
  if (isAtomic && hasMore(actual, desired, path)) return false;
  return Object.entries(desired).every(([name, value]) => {
    const counterpart = own(actual, name);
    return isMap ? counterpart === value : covers(counterpart, value, { path: pathIn(path, name), isAtomic });
  });
}

function own(value: unknown, name: string): unknown {
  return isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

function hasMore(actual: unknown, desired: Readonly<Record<string, unknown>>, path: FieldPath): boolean {
  if (!isRecord(actual)) return false;
  return Object.keys(actual).some(
    (name) => !(Object.hasOwn(desired, name) || isAmong(defaultedInAtomics, pathIn(path, name))),
  );
}

/** An empty value is not stored, but it is still not the value that is taken from a Secret. */
function isTakenFromElsewhere(actual: unknown, desired: Readonly<Record<string, unknown>>): boolean {
  return desired.value === "" && isRecord(actual) && actual.valueFrom !== undefined;
}

function coversList(
  actual: readonly unknown[],
  desired: readonly unknown[],
  { path, isAtomic }: Position,
): boolean {
  if (isAmong(sets, path)) return desired.every((element) => actual.includes(element));
  const keys = lookUp(listKeys, path);
  if (keys !== undefined)
    return (!isAtomic || actual.length === desired.length) && coversByKey(actual, desired, keys, path);
  const within = { path, isAtomic: isAtomic || !isAmong(muchDefaulted, path) };
  return (
    actual.length === desired.length &&
    desired.every((element, index) =>
      isRecord(element) ? covers(actual[index], element, within) : element === actual[index],
    )
  );
}

function coversByKey(
  actual: readonly unknown[],
  desired: readonly unknown[],
  keys: readonly string[],
  path: FieldPath,
): boolean {
  const isOrdered = isAmong(orderedLists, path);
  const positions = new Map<string, number[]>();
  for (const [index, element] of actual.entries()) {
    const key = keyOf(element, keys);
    positions.set(key, [...(positions.get(key) ?? []), index]);
  }
  let last = -1;
  for (const element of desired) {
    // A key that occurs twice, as a variable may, is matched with its occurrences in turn.
    const position = positions.get(keyOf(element, keys))?.shift();
    if (position === undefined || !covers(actual[position], element, { path, isAtomic: false })) return false;
    if (isOrdered && position < last) return false;
    last = position;
  }
  return true;
}

function keyOf(element: unknown, keys: readonly string[]): string {
  if (!isRecord(element)) return JSON.stringify(element) ?? "";
  return JSON.stringify(keys.map((key) => element[key] ?? defaultsInKeys.get(key) ?? null));
}
