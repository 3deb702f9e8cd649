/** Hands what is pushed on one side to whoever waits on the other, many at a time. */
export class EventQueue<Item> {
  readonly #limit: number;
  #items: Item[] = [];
  #isEnded = false;
  #wake: (() => void) | undefined;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** What waits already is still taken after the end; whatever comes later is dropped. */
  push(item: Item): void {
    if (this.#isEnded) return;
    // Somebody who does not keep up is cut off, and starts again from what was seen last.
    if (this.#items.length >= this.#limit) this.end();
    else this.#items.push(item);
    this.#wake?.();
  }

  /** Beyond the limit. */
  pushAll(items: readonly Item[]): void {
    if (this.#isEnded) return;
    this.#items = this.#items.concat(items);
    this.#wake?.();
  }

  end(): void {
    this.#isEnded = true;
    this.#wake?.();
  }

  /** All that waits, as soon as something does; undefined after the end. Only one may wait at a time. */
  async take(): Promise<readonly Item[] | undefined> {
    while (this.#items.length === 0) {
      if (this.#isEnded) return undefined;
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      await promise;
      this.#wake = undefined;
    }
    const items = this.#items;
    this.#items = [];
    return items;
  }
}
