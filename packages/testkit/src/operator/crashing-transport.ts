import { abortable, type Transport, type TransportRequest, type TransportResponse } from "@keelson/core";
import { Exchange } from "../exchange.ts";
import { connectionRefused } from "../fault.ts";
import { recordedRequest } from "../recorded-request.ts";
import { type RecordedWrite, writeOf } from "./recorded-write.ts";

/** Whether the server still gets the write during which the process dies. */
export type CrashMoment = "after" | "before";

export interface CrashingTransportOptions {
  /** During which write it crashes, the first being 1. Default: during none. */
  readonly atWrite?: number;
  /** `after`: the server has carried the write out. `before`: it never hears of it. Default `after`. */
  readonly moment?: CrashMoment;
  /** Whether a write that is made now counts. Default: each does. */
  readonly isCounted?: () => boolean;
}

/** The connections of a process that may be killed: from then on nothing passes in either direction. */
export interface CrashingTransport extends Transport {
  /** The write during which it crashed; undefined before that, and if it was another reason. */
  readonly crashedAt: RecordedWrite | undefined;
  /** Aborts when it crashes. */
  readonly crashed: AbortSignal;
  /** Breaks all that is under way; everything later is refused. */
  crash(): void;
}

export function crashingTransport(
  inner: Transport,
  { atWrite, moment = "after", isCounted = () => true }: CrashingTransportOptions = {},
): CrashingTransport {
  return new MortalTransport(inner, { atWrite, moment, isCounted });
}

interface MortalOptions extends Required<Omit<CrashingTransportOptions, "atWrite">> {
  readonly atWrite: number | undefined;
}

class MortalTransport implements CrashingTransport {
  readonly #inner: Transport;
  readonly #options: MortalOptions;
  readonly #exchanges = new Set<Exchange>();
  readonly #crash = new AbortController();
  #writes = 0;
  #crashedAt: RecordedWrite | undefined;

  constructor(inner: Transport, options: MortalOptions) {
    this.#inner = inner;
    this.#options = options;
  }

  get crashedAt(): RecordedWrite | undefined {
    return this.#crashedAt;
  }

  get crashed(): AbortSignal {
    return this.#crash.signal;
  }

  crash(): void {
    if (this.crashed.aborted) return;
    this.#crash.abort(new Error("the connections of this process are dead, by a fault"));
    for (const exchange of this.#exchanges) exchange.break("reset");
  }

  async send(request: TransportRequest): Promise<TransportResponse> {
    request.signal?.throwIfAborted();
    if (this.crashed.aborted) throw connectionRefused();
    const write = writeOf(request);
    const { atWrite, isCounted } = this.#options;
    if (write === undefined || !isCounted()) return this.#pass(request);
    this.#writes += 1;
    return this.#writes === atWrite ? this.#die(write, request) : this.#pass(request);
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  /** The sender never learns the result of the write. */
  async #die(write: RecordedWrite, request: TransportRequest): Promise<never> {
    const { signal, ...unaborted } = request;
    if (this.#options.moment === "after") await readToEnd(await this.#inner.send(unaborted));
    // Something else may have killed it in the meantime.
    if (!this.crashed.aborted) this.#crashedAt = write;
    this.crash();
    return abortable(Promise.withResolvers<never>().promise, signal);
  }

  async #pass(request: TransportRequest): Promise<TransportResponse> {
    const exchange = new Exchange(recordedRequest(request), request.signal, (ended) =>
      this.#exchanges.delete(ended),
    );
    this.#exchanges.add(exchange);
    try {
      const response = await exchange.head(this.#inner.send({ ...request, signal: exchange.signal }));
      return { ...response, body: exchange.body(response.body) };
    } catch (error) {
      exchange.end();
      throw error;
    }
  }
}

async function readToEnd({ body }: TransportResponse): Promise<void> {
  for await (const _ of body);
}
