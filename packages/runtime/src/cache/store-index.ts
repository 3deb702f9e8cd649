import type { KubeObject } from "@keelson/core";
import { plainKey, type Snapshot } from "../watch/snapshot.ts";
import { IndexFunctionError } from "./errors.ts";
import type { IndexFunction } from "./informer/informer.ts";

const none: ReadonlySet<string> = new Set();

/** Which keys are found under which value. A value without keys leaves nothing behind [IN14]. */
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
  /** What each key was filed under, so that it can be taken away without asking the function again. */
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

  /** What a snapshot is to be filed under. Throws an IndexFunctionError that names it if the function throws. */
  read(snapshot: Snapshot<T>): readonly string[] {
    try {
      return [...this.valuesOf(snapshot.object)];
    } catch (error) {
      throw new IndexFunctionError(this.name, { key: plainKey(snapshot), cause: error });
    }
  }

  /** Files a key under these values and under no others. */
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
