import type { Clock } from "keelson";
import { abortable, errorCode, toError } from "keelson/low-level";
import { PolicyError } from "../policy.ts";

/** Sends HTTP requests: `fetch` of Node, or one that uses a proxy. */
export type Fetch = typeof globalThis.fetch;

/** What every exchange with a host needs. */
export interface ExchangeDependencies {
  readonly fetch: Fetch;
  readonly clock: Clock;
}

/** Larger responses are not read: the lists of a canister are of some kilobytes. */
const mostResponseBytes = 8 * 1024 * 1024;

/**
 * Runs code that sends requests to a host, each on a connection of its own. When it ends, when the time is over or when
 * the signal aborts, all of them end. Throws a PolicyError if there is no response in time, or not all of it.
 */
export async function exchange<Result>(
  { fetch, clock }: ExchangeDependencies,
  timeoutMs: number,
  signal: AbortSignal,
  run: (fetch: Fetch, signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  signal.throwIfAborted();
  const end = new AbortController();
  let isLate = false;
  const cancel = clock.schedule(timeoutMs, () => {
    isLate = true;
    end.abort();
  });
  const either = AbortSignal.any([signal, end.signal]);
  try {
    return await abortable(run(boundedFetch(fetch, either), either), either);
  } catch (error) {
    signal.throwIfAborted();
    if (!isLate) throw error;
    throw unreachable(`the host did not respond within ${timeoutMs / 1000} s`, { cause: error });
  } finally {
    cancel();
    end.abort();
  }
}

/** Resolves with responses that have arrived whole, and rejects with a PolicyError. */
function boundedFetch(fetch: Fetch, signal: AbortSignal): Fetch {
  return async (input, init) => {
    const headers = new Headers(init?.headers);
    // So that no socket is left behind; there is one request in many seconds.
    headers.set("connection", "close");
    const { response, body } = await fetchWhole(() =>
      fetch(input, { ...init, headers, redirect: "error", signal }),
    );
    const { status, statusText, url } = response;
    if (status >= 500 || status === 408 || status === 429)
      throw unreachable(`the host responded with ${status}`);
    const whole = new Response(body.length === 0 ? null : body, {
      status,
      statusText,
      headers: response.headers,
    });
    // The agent looks at it to find out which versions of the protocol the host speaks.
    return Object.defineProperty(whole, "url", { value: url });
  };
}

async function fetchWhole(
  send: () => Promise<Response>,
): Promise<{ readonly response: Response; readonly body: Buffer<ArrayBuffer> }> {
  try {
    const response = await send();
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of response.body ?? []) {
      size += chunk.length;
      if (size > mostResponseBytes)
        throw new PolicyError("PolicyRefused", `the response has more than ${mostResponseBytes} bytes`);
      chunks.push(chunk);
    }
    return { response, body: Buffer.concat(chunks) };
  } catch (error) {
    if (error instanceof PolicyError) throw error;
    const { message, cause } = toError(error);
    throw unreachable(`the host did not respond: ${errorCode(cause) ?? message}`, { cause: error });
  }
}

function unreachable(problem: string, options?: ErrorOptions): PolicyError {
  return new PolicyError("PolicyUnreachable", problem, options);
}
