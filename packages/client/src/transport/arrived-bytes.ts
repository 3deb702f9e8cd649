/** How much waits for its reader before the other side is made to wait. */
const mostWaitingBytes = 1 << 20;
const firstRoomBytes = 1 << 14;

/**
 * Bytes on the way to their reader, who gets all that arrived in one turn of the event loop in one piece. A server that
 * sends each line on its own sends many in a turn, and to wake the reader for each would cost more than to read it.
 */
abstract class Arrivals {
  #end: { readonly error: Error | undefined } | undefined;
  /** Wakes the reader that waits while there is nothing to take. */
  #wake: (() => void) | undefined;

  /** How many bytes wait. */
  protected abstract readonly waiting: number;

  /** Gives all that waits away. */
  protected abstract take(): Uint8Array;

  get isEmpty(): boolean {
    return this.waiting === 0;
  }

  get isFull(): boolean {
    return this.waiting >= mostWaitingBytes;
  }

  /** No more come. */
  get hasEnded(): boolean {
    return this.#end !== undefined;
  }

  /** Wakes the reader after all that is there to be read in this turn. */
  protected wakeReader(): void {
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
    while (this.isEmpty && this.#end === undefined) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    if (!this.isEmpty) return this.take();
    if (this.#end?.error !== undefined) throw this.#end.error;
    return undefined;
  }
}

/** Bytes that arrive in memory that is used again, and are copied. */
export class ArrivedBytes extends Arrivals {
  #room = Buffer.allocUnsafe(firstRoomBytes);
  #used = 0;

  protected get waiting(): number {
    return this.#used;
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
    this.wakeReader();
  }

  /** A room that had to grow is given away with what is in it. */
  protected take(): Uint8Array {
    const arrived = this.#room.subarray(0, this.#used);
    this.#used = 0;
    if (this.#room.length === firstRoomBytes) return Buffer.from(arrived);
    this.#room = Buffer.allocUnsafe(firstRoomBytes);
    return arrived;
  }
}

/** Bytes that arrive in memory of their own. */
export class ArrivedChunks extends Arrivals {
  #chunks: Buffer[] = [];
  #bytes = 0;

  protected get waiting(): number {
    return this.#bytes;
  }

  /** Keeps the chunk, which must not be changed any more. */
  add(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    this.wakeReader();
  }

  protected take(): Uint8Array {
    const [first] = this.#chunks;
    const isOne = this.#chunks.length === 1 && first !== undefined;
    const arrived = isOne ? first : Buffer.concat(this.#chunks, this.#bytes);
    this.#chunks = [];
    this.#bytes = 0;
    return arrived;
  }
}
