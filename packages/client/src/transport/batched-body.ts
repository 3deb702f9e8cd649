import type { Readable } from "node:stream";

/** How much waits for its reader before the other side is made to wait. */
const mostWaitingBytes = 1 << 20;

/**
 * The bytes of a stream: all that arrived in one turn of the event loop in one piece. A server that sends each line on
 * its own sends many in a turn, and to wake the reader for each would cost more than to read it. The stream is
 * destroyed when the reader leaves. Rejects with what ended the stream; one that closes before its end just ends.
 */
export async function* batchedBody(stream: Readable): AsyncGenerator<Uint8Array, void, undefined> {
  const arrivals = new Arrivals(stream);
  try {
    for (;;) {
      const piece = arrivals.take() ?? (await arrivals.next());
      if (piece === undefined) return;
      yield piece;
    }
  } finally {
    stream.destroy();
  }
}

class Arrivals {
  readonly #stream: Readable;
  #chunks: Buffer[] = [];
  #bytes = 0;
  #isOver = false;
  /** Of whoever waits, while there is nothing to take. */
  #wake: (() => void) | undefined;

  constructor(stream: Readable) {
    this.#stream = stream;
    for (const end of ["error", "end", "close"]) stream.on(end, () => this.#end());
    stream.on("data", (chunk: Buffer) => this.#add(chunk));
    if (stream.destroyed) this.#end();
  }

  /** What has arrived and was not taken; undefined if that is nothing. */
  take(): Uint8Array | undefined {
    const chunks = this.#chunks;
    if (chunks.length === 0) return undefined;
    const isWaitedFor = this.#bytes >= mostWaitingBytes;
    this.#chunks = [];
    this.#bytes = 0;
    if (isWaitedFor) this.#stream.resume();
    return chunks.length === 1 ? chunks[0] : Buffer.concat(chunks);
  }

  /** Waits until there is something to take, or nothing comes any more. */
  async next(): Promise<Uint8Array | undefined> {
    while (this.#chunks.length === 0 && !this.#isOver) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    const piece = this.take();
    if (piece === undefined && this.#stream.errored !== null) throw this.#stream.errored;
    return piece;
  }

  #add(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes >= mostWaitingBytes) this.#stream.pause();
    // After all that is there to be read in this turn.
    if (this.#wake !== undefined && this.#chunks.length === 1) setImmediate(this.#wake);
  }

  #end(): void {
    this.#isOver = true;
    this.#wake?.();
  }
}
