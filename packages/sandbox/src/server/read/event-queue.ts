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
