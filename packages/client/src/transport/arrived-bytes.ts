/** How much waits for its reader before the other side is made to wait. */
const mostWaitingBytes = 1 << 20;
const firstRoomBytes = 1 << 14;

/**
 * Bytes on the way to their reader, who gets all that arrived in one turn of the event loop in one piece. A server that
 * sends each line on its own sends many in a turn, and to wake the reader for each would cost more than to read it.
 */
export class ArrivedBytes {
  #room = Buffer.allocUnsafe(firstRoomBytes);
  #used = 0;
  #end: { readonly error: Error | undefined } | undefined;
  /** Wakes the reader that waits while there is nothing to take. */
  #wake: (() => void) | undefined;

  get isEmpty(): boolean {
    return this.#used === 0;
  }

  get isFull(): boolean {
    return this.#used >= mostWaitingBytes;
  }

  /** No more come. */
  get hasEnded(): boolean {
    return this.#end !== undefined;
  }

  /** Copies them. */
  add(bytes: Uint8Array): void {
    const needed = this.#used + bytes.length;
    if (needed > this.#room.length) {
      const larger = Buffer.allocUnsafe(Math.max(needed, 2 * this.#room.length));
      larger.set(this.#room.subarray(0, this.#used));
      this.#room = larger;
    }
    this.#room.set(bytes, this.#used);
    this.#used = needed;
    // After all that is there to be read in this turn.
    if (this.#wake !== undefined) setImmediate(this.#wake);
    this.#wake = undefined;
  }

  /** No more come. What is still here is read first, and then the error is thrown. The first end counts. */
  end(error?: Error): void {
    this.#end ??= { error };
    this.#wake?.();
    this.#wake = undefined;
  }

  /** Waits until there is something to take, and gives all of it; undefined when no more comes. */
  async next(): Promise<Uint8Array | undefined> {
    while (this.#used === 0 && this.#end === undefined) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    if (this.#used > 0) return this.#take();
    if (this.#end?.error !== undefined) throw this.#end.error;
    return undefined;
  }

  /** A room that had to grow is given away with what is in it. */
  #take(): Uint8Array {
    const arrived = this.#room.subarray(0, this.#used);
    this.#used = 0;
    if (this.#room.length === firstRoomBytes) return Buffer.from(arrived);
    this.#room = Buffer.allocUnsafe(firstRoomBytes);
    return arrived;
  }
}
