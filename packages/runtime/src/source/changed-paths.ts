import { deepEqual, isRecord } from "@keelson/core";

/** A field that two states of an object differ in. */
export interface ChangedField {
  /** Such as `spec.replicas`, `metadata.labels["app.kubernetes.io/name"]` or `spec.containers[name=web].image`. */
  readonly path: string;
  /** Undefined if the field did not exist. */
  readonly before: unknown;
  /** Undefined if the field does not exist any more. */
  readonly after: unknown;
}

/** Fields that change with every write, whatever was written. */
const ignoredMetadata: ReadonlySet<string> = new Set(["managedFields", "resourceVersion"]);

/**
 * The fields that identify the elements of a list; the first that fits counts. Its value becomes part of the path and so of
 * logs, therefore only fields that never hold a secret; `key` is not among them.
 */
const elementNames = ["name", "type", "uid", "mountPath", "containerPort", "port"] as const;

const mostPaths = 32;
/** This many values are compared; users do not need more, and every run with an update pays for them. */
const mostValues = 2_000;

/**
 * The deepest fields in which the two differ; none if and only if they are equal apart from `managedFields` and
 * `resourceVersion`. Elements of a list are matched by their names where they have any, else by their places; a list
 * that only has another order is one field. The values may be secrets: they are for comparing, not for showing.
 */
export function changedFields(old: unknown, now: unknown): readonly ChangedField[] {
  return differences(old, now, { fields: Number.POSITIVE_INFINITY, values: Number.POSITIVE_INFINITY }).fields;
}

/**
 * The paths of `changedFields`, for people: the first 32, and `…` if there are more, or if the objects are so large that
 * not all of them was compared. Shows no values.
 */
export function changedPaths(old: unknown, now: unknown): readonly string[] {
  const { fields, isComplete } = differences(old, now, { fields: mostPaths, values: mostValues });
  const paths = fields.map(({ path }) => path);
  return isComplete ? paths : [...paths, "…"];
}

interface Limits {
  readonly fields: number;
  /** How many pairs of values are compared. */
  readonly values: number;
}

interface Differences {
  readonly fields: readonly ChangedField[];
  readonly isComplete: boolean;
}

function differences(old: unknown, now: unknown, limits: Limits): Differences {
  const search = new Search(limits);
  search.compare(old, now, undefined);
  return search;
}

/** Where a value is, as a chain up to the root: most values are equal, and no path is written for those. */
interface Place {
  readonly parent: Place | undefined;
  /** A field's name, or `[…]` for an element of a list. */
  readonly step: string;
  readonly isElement: boolean;
  readonly depth: number;
}

/** A difference further down is shown as one of the value at this depth. */
const deepest = 100;

/** One comparison of two objects, which ends early when it has found or looked at enough. */
class Search implements Differences {
  readonly fields: ChangedField[] = [];
  isComplete = true;
  readonly #mostFields: number;
  #valuesLeft: number;

  constructor(limits: Limits) {
    this.#mostFields = limits.fields;
    this.#valuesLeft = limits.values;
  }

  compare(before: unknown, after: unknown, place: Place | undefined): void {
    if (before === after || !this.#mayGoOn()) return;
    if (depthOf(place) >= deepest) {
      if (!deepEqual(before, after)) this.#found(before, after, place);
    } else if (isRecord(before) && isRecord(after)) this.#compareRecords(before, after, place);
    else if (Array.isArray(before) && Array.isArray(after)) this.#compareLists(before, after, place);
    else this.#found(before, after, place);
  }

  #compareRecords(before: JsonObject, after: JsonObject, place: Place | undefined): void {
    for (const key of Object.keys(before)) this.#compareField(before, after, key, place);
    for (const key of Object.keys(after)) {
      if (!Object.hasOwn(before, key)) this.#compareField(before, after, key, place);
    }
  }

  #compareField(before: JsonObject, after: JsonObject, key: string, parent: Place | undefined): void {
    const [old, now] = [ownField(before, key), ownField(after, key)];
    if (old === now || isIgnored(parent, key)) return;
    this.compare(old, now, { parent, step: key, isElement: false, depth: depthOf(parent) + 1 });
  }

  #compareLists(before: readonly unknown[], after: readonly unknown[], place: Place | undefined): void {
    // Most lists of a changed object are as they were, and their elements need no names then.
    if (before.length === after.length && this.#areSame(before, after, depthOf(place))) return;
    for (const field of elementNames) {
      const old = byName(before, field);
      const now = old === undefined ? undefined : byName(after, field);
      if (old !== undefined && now !== undefined) {
        if (!areInOrder(old, now)) this.#found(before, after, place);
        this.#compareNamed(old, now, field, place);
        return;
      }
    }
    for (let i = 0; i < Math.max(before.length, after.length); i++) {
      this.compare(before[i], after[i], elementAt(place, `[${i}]`));
    }
  }

  #compareNamed(old: NamedElements, now: NamedElements, field: string, parent: Place | undefined): void {
    for (const [name, element] of old) {
      this.compare(element, now.get(name), elementAt(parent, `[${field}=${name}]`));
    }
    for (const [name, element] of now) {
      if (!old.has(name)) this.compare(undefined, element, elementAt(parent, `[${field}=${name}]`));
    }
  }

  /** Whether two lists of one length are the same, as far as they may be looked at. */
  #areSame(before: readonly unknown[], after: readonly unknown[], depth: number): boolean {
    for (let i = 0; i < before.length; i++) {
      if (!this.#isSame(before[i], after[i], depth + 1)) return false;
    }
    return true;
  }

  #isSame(before: unknown, after: unknown, depth: number): boolean {
    if (before === after) return true;
    if (!this.#mayGoOn()) return true;
    if (depth >= deepest) return deepEqual(before, after);
    if (Array.isArray(before) && Array.isArray(after))
      return before.length === after.length && this.#areSame(before, after, depth);
    if (!isRecord(before) || !isRecord(after)) return false;
    const keys = Object.keys(before);
    for (const key of keys) {
      if (!Object.hasOwn(after, key) || !this.#isSame(before[key], after[key], depth + 1)) return false;
    }
    return Object.keys(after).length === keys.length;
  }

  #found(before: unknown, after: unknown, place: Place | undefined): void {
    if (this.fields.length === this.#mostFields) this.isComplete = false;
    else this.fields.push({ path: pathOf(place), before, after });
  }

  #mayGoOn(): boolean {
    this.#valuesLeft -= 1;
    if (this.#valuesLeft < 0) this.isComplete = false;
    return this.isComplete;
  }
}

function depthOf(place: Place | undefined): number {
  return place?.depth ?? 0;
}

function elementAt(parent: Place | undefined, step: string): Place {
  return { parent, step, isElement: true, depth: depthOf(parent) + 1 };
}

type JsonObject = Readonly<Record<string, unknown>>;
type NamedElements = ReadonlyMap<string, unknown>;

/** Data may well have a key such as `constructor`. */
function ownField(record: JsonObject, key: string): unknown {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

function isIgnored(parent: Place | undefined, key: string): boolean {
  return parent?.step === "metadata" && parent.parent === undefined && ignoredMetadata.has(key);
}

/** Whether the elements that both have come in the same order. */
function areInOrder(old: NamedElements, now: NamedElements): boolean {
  const kept = [...old.keys()].filter((name) => now.has(name));
  const keptNow = [...now.keys()].filter((name) => old.has(name));
  return deepEqual(kept, keptNow);
}

/** The elements by such a field; undefined if one has none, or two the same. */
function byName(list: readonly unknown[], field: string): NamedElements | undefined {
  const elements = new Map<string, unknown>();
  for (const element of list) {
    const name = nameIn(element, field);
    if (name === undefined || elements.has(name)) return undefined;
    elements.set(name, element);
  }
  return elements;
}

/** The value as it stands in a path; undefined if there is none that could. */
function nameIn(element: unknown, field: string): string | undefined {
  if (!isRecord(element)) return undefined;
  const value = ownField(element, field);
  if (typeof value === "number" || typeof value === "bigint") return String(value);
  if (typeof value !== "string") return undefined;
  return /^[\w./:-]+$/.test(value) ? value : JSON.stringify(value);
}

function pathOf(place: Place | undefined): string {
  if (place === undefined) return "";
  const { parent, step, isElement } = place;
  const path = pathOf(parent);
  if (isElement) return path + step;
  if (!/^[\w-]+$/.test(step)) return `${path}[${JSON.stringify(step)}]`;
  return path === "" ? step : `${path}.${step}`;
}
