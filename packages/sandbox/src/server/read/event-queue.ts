/** A queue with one reader, which takes all waiting items at once. */
export class EventQueue<Item> {
  readonly #limit: number;
  #items: Item[] = [];
  #isEnded = false;
  #wake: (() => void) | undefined;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Items that wait are still taken after the end; later ones are dropped. */
  push(item: Item): void {
    if (this.#isEnded) return;
    // A slow reader is cut off; its client starts a new watch from the last revision it has seen.
    if (this.#items.length >= this.#limit) this.end();
    else this.#items.push(item);
    this.#wake?.();
  }

  /** Ignores the limit. */
  pushAll(items: readonly Item[]): void {
    if (this.#isEnded) return;
    this.#items = this.#items.concat(items);
    this.#wake?.();
  }

  end(): void {
    this.#isEnded = true;
    this.#wake?.();
  }

  /** All waiting items, as soon as there is one; undefined after the end. Only one call may wait at a time. */
  take(): Promise<readonly Item[] | undefined> {
    if (this.#items.length > 0 || this.#isEnded) return Promise.resolve(this.#waiting());
    return new Promise<void>((resolve) => {
      this.#wake = resolve;
    }).then(() => this.#waiting());
  }

  #waiting(): readonly Item[] | undefined {
    this.#wake = undefined;
    const items = this.#items;
    if (items.length === 0) return undefined;
    this.#items = [];
    return items;
  }
}
