import { type Clock, KeelsonError } from "keelson";
import type { Transport } from "keelson/client";
import { toError } from "keelson/low-level";
import { Slots } from "../slots.ts";

export interface AttemptGateOptions {
  readonly clock: Clock;
  /** How many attempts begin at the same time. Default 20. */
  readonly atOnce?: number;
  /** How long an attempt keeps others from beginning. Default 500 ms. */
  readonly placeMs?: number;
}

/**
 * Limits how many requests to tenant clusters begin at the same time, so that 200 handshakes at the start of the process
 * do not delay everything else. A request gives its place back with its response, and after half a second in any case:
 * after that it only waits, which costs nothing, and a tenant cluster that hangs must not make others wait.
 */
export class AttemptGate {
  readonly #clock: Clock;
  readonly #placeMs: number;
  readonly #places: Slots;

  constructor({ clock, atOnce = 20, placeMs = 500 }: AttemptGateOptions) {
    this.#clock = clock;
    this.#placeMs = placeMs;
    this.#places = new Slots(atOnce);
  }

  /** Waits for a place, and returns what gives it back. Throws the signal's reason as soon as it aborts. */
  async enter(signal: AbortSignal | undefined): Promise<() => void> {
    const release = await this.#places.acquire(signal);
    const cancel = this.#clock.schedule(this.#placeMs, release);
    return () => {
      cancel();
      release();
    };
  }
}

export interface GatedTransportOptions {
  readonly gate: AttemptGate;
  readonly clock: Clock;
  /** How long a server may take until its response begins. Default 15 s. */
  readonly responseTimeoutMs?: number;
  /** Called when a stream has begun, such as a watch. */
  readonly onStream: () => void;
}

/** The same transport, whose requests pass the gate, and fail if there is no response in time. */
export function gatedTransport(
  inner: Transport,
  { gate, clock, responseTimeoutMs = 15_000, onStream }: GatedTransportOptions,
): Transport {
  return {
    close: () => inner.close(),
    async send(request) {
      const leave = await gate.enter(request.signal);
      const late = new AbortController();
      const seconds = responseTimeoutMs / 1000;
      const cancel = clock.schedule(responseTimeoutMs, () =>
        late.abort(new Error(`no response within ${seconds} s`)),
      );
      const signals = request.signal === undefined ? [late.signal] : [late.signal, request.signal];
      try {
        const response = await inner.send({ ...request, signal: AbortSignal.any(signals) });
        if (request.isStream && response.status === 200) onStream();
        return response;
      } catch (error) {
        throw withoutCode(toError(late.signal.aborted ? late.signal.reason : error));
      } finally {
        cancel();
        leave();
      }
    },
  };
}

/** The client repeats a request whose connection was reset, ten times in a row; here it is the back-off that decides. */
function withoutCode(error: Error): Error {
  if (error instanceof KeelsonError) return error;
  // An error of several addresses has no message of its own.
  const [first] = error instanceof AggregateError ? error.errors : [];
  return new Error(error.message === "" && first instanceof Error ? first.message : error.message);
}
