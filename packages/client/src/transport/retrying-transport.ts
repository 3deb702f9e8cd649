import {
  type Clock,
  errorCode,
  sleep,
  type Transport,
  type TransportRequest,
  type TransportResponse,
  toError,
} from "@keelson/core";

const maxRetries = 10;
const firstResetWaitMs = 50;
const longestResetWaitMs = 1_000;
const resetCodes = new Set(["ECONNRESET", "EPIPE", "UND_ERR_SOCKET"]);

/**
 * Repeats what is safe to repeat, up to ten times [CL3]: a request that the server did not take (429, or any 5xx that
 * says when to come back), and a GET whose connection was reset. A reset write may have been carried out and is not
 * repeated.
 */
export function retryingTransport(transport: Transport, clock: Clock): Transport {
  return {
    close: () => transport.close(),
    async send(request) {
      for (let attempt = 0; ; attempt++) {
        const waitMs = await tryOnce(transport, request, attempt);
        if (typeof waitMs !== "number") return waitMs;
        await sleep(clock, waitMs, request.signal);
      }
    },
  };
}

/** The response, or how long to wait before the next attempt. */
async function tryOnce(
  transport: Transport,
  request: TransportRequest,
  attempt: number,
): Promise<TransportResponse | number> {
  try {
    const response = await transport.send(request);
    const waitMs = retryAfterMs(response);
    if (waitMs === undefined || attempt >= maxRetries) return response;
    // Reads the body away, so that its connection can be used again.
    for await (const _ of response.body);
    return waitMs;
  } catch (error) {
    const mayRepeat = request.method === "GET" && attempt < maxRetries && isReset(error);
    if (!mayRepeat || request.signal?.aborted === true) throw error;
    return Math.min(firstResetWaitMs * 2 ** attempt, longestResetWaitMs);
  }
}

function retryAfterMs({ status, headers }: TransportResponse): number | undefined {
  const header = headers["retry-after"];
  if (header === undefined || (status !== 429 && status < 500)) return undefined;
  const seconds = Number(header);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : undefined;
}

function isReset(error: unknown): boolean {
  const { cause } = toError(error);
  return resetCodes.has(errorCode(error) ?? "") || resetCodes.has(errorCode(cause) ?? "");
}
