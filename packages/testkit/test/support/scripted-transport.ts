import { abortable, type Transport, type TransportRequest } from "@keelson/core";

/**
 * Responds to every request with 200 and the same lines; a stream then stays open until it is left or aborted.
 * Knows how many requests reached it and how many bodies are being read.
 */
export class ScriptedTransport implements Transport {
  readonly #lines: readonly string[];
  readonly received: TransportRequest[] = [];
  openBodies = 0;
  isClosed = false;

  constructor(...lines: readonly string[]) {
    this.#lines = lines;
  }

  async send(request: TransportRequest) {
    request.signal?.throwIfAborted();
    this.received.push(request);
    return { status: 200, headers: { "content-type": "application/json" }, body: this.#body(request) };
  }

  async close(): Promise<void> {
    this.isClosed = true;
  }

  async *#body({ isStream, signal }: TransportRequest): AsyncGenerator<Uint8Array> {
    this.openBodies += 1;
    try {
      for (const line of this.#lines) yield Buffer.from(`${line}\n`);
      if (isStream) await abortable(Promise.withResolvers<never>().promise, signal);
    } finally {
      this.openBodies -= 1;
    }
  }
}
