import type { KubeObject } from "@keelson/core";
import { plainKey, type Snapshot } from "../watch/snapshot.ts";
import { IndexFunctionError } from "./errors.ts";
import type { IndexFunction } from "./informer/informer.ts";

const none: ReadonlySet<string> = new Set();

/** Keys by value. A value without keys takes no memory [IN14]. */
export class KeysByValue {
  readonly #keys = new Map<string, Set<string>>();

  /** How many values there are. */
  get size(): number {
    return this.#keys.size;
  }

  get(value: string): ReadonlySet<string> {
    return this.#keys.get(value) ?? none;
  }

  add(value: string, key: string): void {
    const keys = this.#keys.get(value);
    if (keys === undefined) this.#keys.set(value, new Set([key]));
    else keys.add(key);
  }

  delete(value: string, key: string): void {
    const keys = this.#keys.get(value);
    keys?.delete(key);
    if (keys?.size === 0) this.#keys.delete(value);
  }
}

/** One index of a store. */
export class StoreIndex<T extends KubeObject> {
  readonly name: string;
  readonly valuesOf: IndexFunction<T>;
  readonly #keys = new KeysByValue();
  /** The values of each key, so that the key can be removed without calling the function again. */
  readonly #values = new Map<string, readonly string[]>();

  constructor(name: string, valuesOf: IndexFunction<T>) {
    this.name = name;
    this.valuesOf = valuesOf;
  }

  /** How many values there are. */
  get size(): number {
    return this.#keys.size;
  }

  /** The keys under a value. */
  get(value: string): ReadonlySet<string> {
    return this.#keys.get(value);
  }

  /** The values of a snapshot. Throws an IndexFunctionError that names the object if the function throws. */
  read(snapshot: Snapshot<T>): readonly string[] {
    try {
      return [...this.valuesOf(snapshot.object)];
    } catch (error) {
      throw new IndexFunctionError(this.name, { key: plainKey(snapshot), cause: error });
    }
  }

  /** Indexes a key under exactly these values. */
  set(key: string, values: readonly string[]): void {
    this.delete(key);
    for (const value of values) this.#keys.add(value, key);
    if (values.length > 0) this.#values.set(key, values);
  }

  delete(key: string): void {
    for (const value of this.#values.get(key) ?? []) this.#keys.delete(value, key);
    this.#values.delete(key);
  }
}
