import {
  type Clock,
  errorCode,
  sleep,
  type Transport,
  type TransportRequest,
  type TransportResponse,
  toError,
} from "@keelson/core";
import { retryAfterSeconds } from "../request/response.ts";

const maxRetries = 10;
const firstWaitMs = 50;
const longestWaitMs = 1_000;
const resetCodes = new Set(["ECONNRESET", "EPIPE"]);

/**
 * Repeats what is safe to repeat, up to ten times [CL3]: a request that the server did not take (429, or any 5xx that
 * says when to come back), and a GET whose connection was reset. A reset write may have been carried out and is not
 * repeated. The waits grow, and are not shorter than the server demands.
 */
export function retryingTransport(transport: Transport, clock: Clock): Transport {
  return {
    close: () => transport.close(),
    async send(request) {
      for (let attempt = 0; ; attempt++) {
        const outcome = await tryOnce(transport, request, attempt);
        if (!("waitMs" in outcome)) return outcome;
        await sleep(clock, outcome.waitMs, request.signal).catch((cause: unknown) => {
          throw new Error(`given up while waiting to repeat a request, because ${outcome.because}`, {
            cause,
          });
        });
      }
    },
  };
}

/** How long to wait before the next attempt, and why there is to be one. */
interface Wait {
  readonly waitMs: number;
  readonly because: string;
}

async function tryOnce(
  transport: Transport,
  request: TransportRequest,
  attempt: number,
): Promise<TransportResponse | Wait> {
  try {
    const response = await transport.send(request);
    const seconds = isTooBusy(response) ? retryAfterSeconds(response) : undefined;
    if (seconds === undefined || attempt >= maxRetries) return response;
    await readAway(response.body);
    return {
      // A server that demands no wait at all is not asked ten times in a row.
      waitMs: Math.max(seconds * 1000, waitBefore(attempt)),
      because: `the response was ${response.status} with Retry-After: ${seconds}`,
    };
  } catch (error) {
    const mayRepeat = request.method === "GET" && attempt < maxRetries && isReset(error);
    if (!mayRepeat || request.signal?.aborted === true) throw error;
    return { waitMs: waitBefore(attempt), because: `its connection was reset (${toError(error).message})` };
  }
}

/** How long to wait at least before an attempt is repeated. */
function waitBefore(attempt: number): number {
  return Math.min(firstWaitMs * 2 ** attempt, longestWaitMs);
}

function isTooBusy({ status }: TransportResponse): boolean {
  return status === 429 || status >= 500;
}

/** So that the connection can be used again; that the rest of a refusal is lost does not matter. */
async function readAway(body: AsyncIterable<Uint8Array>): Promise<void> {
  try {
    for await (const _ of body);
  } catch {
    // The connection is closed then, and the request was refused all the same.
  }
}

function isReset(error: unknown): boolean {
  const { cause } = toError(error);
  return resetCodes.has(errorCode(error) ?? "") || resetCodes.has(errorCode(cause) ?? "");
}
