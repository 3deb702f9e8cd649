/** From this many removed entries on, the rest is moved to the front. */
const worthMoving = 1024;

/** A first-in-first-out queue. Removed entries are not held in memory. */
export class Backlog<Entry> {
  /** The entries from `#head` on; those before it are delivered and undefined. */
  #entries: (Entry | undefined)[] = [];
  #head = 0;

  get size(): number {
    return this.#entries.length - this.#head;
  }

  push(entry: Entry): void {
    this.#entries.push(entry);
  }

  shift(): Entry | undefined {
    if (this.size === 0) return undefined;
    const entry = this.#entries[this.#head];
    this.#entries[this.#head] = undefined;
    this.#head += 1;
    if (this.size === 0) this.clear();
    else if (this.#head >= worthMoving && this.#head * 2 >= this.#entries.length) {
      this.#entries = this.#entries.slice(this.#head);
      this.#head = 0;
    }
    return entry;
  }

  clear(): void {
    this.#entries = [];
    this.#head = 0;
  }
}
