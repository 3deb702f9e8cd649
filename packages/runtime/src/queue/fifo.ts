const smallest = 16;

/** First in, first out, in a ring that grows and shrinks with what it holds. */
export class Fifo<Value> {
  /** Its length is a power of two; the values are the `size` places from `head` on, around the end; the rest is empty. */
  #ring: (Value | undefined)[] = new Array(smallest);
  #head = 0;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  push(value: Value): void {
    if (this.#size === this.#ring.length) this.#resize(this.#size * 2);
    this.#ring[(this.#head + this.#size) & (this.#ring.length - 1)] = value;
    this.#size++;
  }

  /** The value that came first; undefined if there is none. */
  get first(): Value | undefined {
    return this.#size === 0 ? undefined : this.#ring[this.#head];
  }

  /** Takes out the first one. */
  shift(): Value | undefined {
    if (this.#size === 0) return undefined;
    const value = this.#ring[this.#head];
    this.#ring[this.#head] = undefined;
    this.#head = (this.#head + 1) & (this.#ring.length - 1);
    this.#size--;
    if (this.#ring.length > smallest && this.#size * 4 < this.#ring.length) {
      this.#resize(this.#ring.length / 2);
    }
    return value;
  }

  #resize(length: number): void {
    const ring: (Value | undefined)[] = new Array(length);
    for (let i = 0; i < this.#size; i++) ring[i] = this.#ring[(this.#head + i) & (this.#ring.length - 1)];
    this.#ring = ring;
    this.#head = 0;
  }
}
