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
