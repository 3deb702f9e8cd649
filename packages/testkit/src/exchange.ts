import { abortable } from "@keelson/core";
import { connectionReset, type StreamEnd } from "./fault.ts";
import type { RecordedRequest } from "./recorded-request.ts";

/** Why a body ends that is to look complete. Never seen by the reader. */
const endOfBody = new Error("the body ends here, by a fault");

/**
 * One request, from being sent to the end of its body. It passes what the server sends, unless it is held; it
 * ends with its body, by the caller's signal, or because it is broken.
 */
export class Exchange {
  readonly request: RecordedRequest;
  /** For the real transport: aborts when the exchange is to end early, for whatever reason. */
  readonly signal: AbortSignal;
  readonly #breaking = new AbortController();
  readonly #onEnd: (exchange: Exchange) => void;
  #gate: PromiseWithResolvers<void> | undefined;

  constructor(
    request: RecordedRequest,
    callerSignal: AbortSignal | undefined,
    onEnd: (exchange: Exchange) => void,
  ) {
    const own = this.#breaking.signal;
    this.request = request;
    this.signal = callerSignal === undefined ? own : AbortSignal.any([own, callerSignal]);
    this.#onEnd = onEnd;
    // A caller that aborts may never have begun to read the body, so the end of the body alone is not enough.
    this.signal.addEventListener("abort", this.end);
  }

  get isHeld(): boolean {
    return this.#gate !== undefined;
  }

  /**
   * From now on nothing passes; what has been sent meanwhile passes after the release, as it does over TCP.
   */
  hold(): void {
    this.#gate ??= Promise.withResolvers();
  }

  release(): void {
    this.#gate?.resolve();
    this.#gate = undefined;
  }

  /** Waits for as long as it is held; throws if it is broken or aborted. */
  async passable(): Promise<void> {
    while (this.#gate !== undefined) await this.#orBroken(this.#gate.promise);
    if (this.signal.aborted) throw this.#failure();
  }

  /** Breaks what is under way, on both sides, with the given error or the error of the fault. */
  break(reason: StreamEnd | Error): void {
    if (reason instanceof Error) this.#breaking.abort(reason);
    else this.#breaking.abort(reason === "end" ? endOfBody : connectionReset());
  }

  /** The response's head; fails as a connection fails if the exchange is broken before it comes. */
  async head<Value>(response: Promise<Value>): Promise<Value> {
    const value = await this.#orBroken(response);
    await this.passable();
    return value;
  }

  async *body(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
    const chunks = source[Symbol.asyncIterator]();
    try {
      for (;;) {
        const step = await this.#orBroken(chunks.next());
        await this.passable();
        if (step.done === true) return;
        yield step.value;
      }
    } catch (error) {
      if (this.signal.reason !== endOfBody) throw error;
    } finally {
      this.end();
      const left = Promise.resolve(chunks.return?.());
      // A source that was aborted is closed, not waited for: it may be slow to notice.
      if (this.signal.aborted) left.catch(() => undefined);
      else await left;
    }
  }

  /** It is over: nothing is left of it in the transport. */
  readonly end = (): void => {
    this.signal.removeEventListener("abort", this.end);
    this.#onEnd(this);
  };

  async #orBroken<Value>(promise: Promise<Value>): Promise<Value> {
    try {
      return await abortable(promise, this.signal);
    } catch (error) {
      // The real transport notices the abort too, and rejects with an error of its own.
      throw this.signal.aborted ? this.#failure() : error;
    }
  }

  /** Without a head there is no body that could end well. */
  #failure(): unknown {
    return this.signal.reason === endOfBody ? connectionReset() : this.signal.reason;
  }
}
