import {
  abortable,
  DropConnectionError,
  type HttpService,
  KeelsonError,
  type ServiceResponse,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from "@keelson/core";

/** The connection ended before the response was complete, as if a socket had been reset. */
export class ConnectionLostError extends KeelsonError {
  static override readonly brand: string = "@keelson/sandbox.ConnectionLostError";
  readonly code = "ECONNRESET";

  constructor(why: string, options?: ErrorOptions) {
    super(`send a request in process: ${why}; the connection is lost`, options);
  }
}

/** Calls a service directly. `headers` go with every request, such as the authorization. */
export function createInProcessTransport(
  service: HttpService,
  headers: Readonly<Record<string, string>> = {},
): Transport {
  const closed = new AbortController();
  return {
    async send(request) {
      request.signal?.throwIfAborted();
      if (closed.signal.aborted) throw new ConnectionLostError("the transport is closed");
      request.checkBeforeSend?.();
      return exchange(service, { ...headers, ...request.headers }, request, closed.signal);
    },
    async close() {
      closed.abort(new ConnectionLostError("the transport was closed"));
    },
  };
}

async function exchange(
  service: HttpService,
  headers: Readonly<Record<string, string>>,
  request: TransportRequest,
  closed: AbortSignal,
): Promise<TransportResponse> {
  const { method, path, body, signal } = request;
  // Aborted by the caller's signal, when the transport closes, and when the reader leaves the body.
  const left = new AbortController();
  const end = (reason: unknown): void => left.abort(reason);
  const onAbort = (): void => end(signal?.reason);
  const onClose = (): void => end(closed.reason);
  signal?.addEventListener("abort", onAbort, { once: true });
  closed.addEventListener("abort", onClose, { once: true });
  const release = (): void => {
    signal?.removeEventListener("abort", onAbort);
    closed.removeEventListener("abort", onClose);
  };
  try {
    const sent = { method, path, headers, body: bytesOf(body), signal: left.signal };
    const response = await abortable(service(sent), left.signal);
    return {
      status: response.status,
      headers: joinedHeaders(response.headers ?? {}),
      body: responseBody(response, left, release),
    };
  } catch (error) {
    release();
    end(error);
    throw asLost(error);
  }
}

/** As a client joins the lines of a header. */
function joinedHeaders(headers: NonNullable<ServiceResponse["headers"]>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      typeof value === "string" ? value : value.join(", "),
    ]),
  );
}

async function* bytesOf(body: string | undefined): AsyncGenerator<Uint8Array> {
  if (body !== undefined && body !== "") yield Buffer.from(body);
}

function responseBody(
  { body }: ServiceResponse,
  left: AbortController,
  release: () => void,
): AsyncIterable<Uint8Array> {
  if (body === undefined || typeof body === "string" || body instanceof Uint8Array) {
    release();
    return once(typeof body === "string" ? Buffer.from(body) : body);
  }
  return new StreamReader(body[Symbol.asyncIterator](), left, release);
}

async function* once(bytes: Uint8Array | undefined): AsyncGenerator<Uint8Array> {
  if (bytes !== undefined && bytes.length > 0) yield bytes;
}

/** A body with back-pressure: leaving it aborts the request, and aborting the request rejects a pending read. */
class StreamReader implements AsyncIterableIterator<Uint8Array> {
  readonly #chunks: AsyncIterator<Uint8Array>;
  readonly #left: AbortController;
  readonly #release: () => void;
  /** Rejects the pending read. */
  #reject: ((reason: unknown) => void) | undefined;
  #isDone = false;

  constructor(chunks: AsyncIterator<Uint8Array>, left: AbortController, release: () => void) {
    this.#chunks = chunks;
    this.#left = left;
    this.#release = release;
    left.signal.addEventListener("abort", () => this.#reject?.(left.signal.reason), { once: true });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  // One promise for each chunk: a race with the signal would cost a listener for each.
  next(): Promise<IteratorResult<Uint8Array>> {
    if (this.#isDone) return Promise.resolve({ done: true, value: undefined });
    return new Promise((resolve, reject) => {
      this.#reject = (reason) => {
        this.#end();
        reject(asLost(reason));
      };
      if (this.#left.signal.aborted) return this.#reject(this.#left.signal.reason);
      this.#chunks.next().then((result) => {
        this.#reject = undefined;
        if (result.done === true) {
          this.#isDone = true;
          this.#release();
        }
        resolve(result);
      }, this.#reject);
    });
  }

  async return(): Promise<IteratorResult<Uint8Array>> {
    if (!this.#isDone) this.#end();
    return { done: true, value: undefined };
  }

  #end(): void {
    if (this.#isDone) return;
    this.#isDone = true;
    this.#release();
    this.#left.abort(new ConnectionLostError("the response was left"));
    // Not awaited: it may wait for something that never comes; the signal ends it.
    this.#chunks.return?.().catch(() => undefined);
  }
}

function asLost(error: unknown): unknown {
  return error instanceof DropConnectionError
    ? new ConnectionLostError("it was dropped", { cause: error })
    : error;
}
