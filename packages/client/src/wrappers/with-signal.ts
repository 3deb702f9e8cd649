import type { CallOptions, Client } from "../client.ts";
import type { Caller } from "../request/caller.ts";

/** A client whose calls also end when the signal aborts. The signal is read when a call is made. */
export function withSignal(client: Client, signalOf: () => AbortSignal): Client {
  return client.with((next) => signalLayer(next, signalOf));
}

/** The layer of `withSignal`, for callers that are layered by hand. */
export function signalLayer(next: Caller, signalOf: () => AbortSignal): Caller {
  return {
    json: (call) => next.json(endedBy(call, signalOf())),
    stream: (call) => next.stream(endedBy(call, signalOf())),
    raw: (call) => next.raw(endedBy(call, signalOf())),
  };
}

function endedBy<Call extends CallOptions>(call: Call, signal: AbortSignal): Call {
  return { ...call, signal: call.signal === undefined ? signal : AbortSignal.any([call.signal, signal]) };
}
