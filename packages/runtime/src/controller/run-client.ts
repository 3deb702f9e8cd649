import type { ApiCall, Caller, CallOptions, Client } from "@keelson/client";

/** A client whose calls also end when the signal aborts. The signal is asked for when the first call is made. */
export function withSignal(client: Client, signalOf: () => AbortSignal): Client {
  return client.with((next) => signalLayer(next, signalOf));
}

function signalLayer(next: Caller, signalOf: () => AbortSignal): Caller {
  return {
    json: (call) => next.json(endedBy(call, signalOf())),
    stream: (call) => next.stream(endedBy(call, signalOf())),
    raw: (call) => next.raw(endedBy(call, signalOf())),
  };
}

function endedBy<Call extends CallOptions>(call: Call, signal: AbortSignal): Call {
  return { ...call, signal: call.signal === undefined ? signal : AbortSignal.any([call.signal, signal]) };
}

/**
 * A client that reads from the server and writes through the other client, so that the cache behind that one knows of
 * the writes [RW1].
 */
export function liveReads(live: Client, cached: Client): Client {
  return live.with((next) => ({
    json: (call) => (isRead(call) ? next.json(call) : cached.caller.json(call)),
    stream: (call) => next.stream(call),
    raw: (call) => next.raw(call),
  }));
}

function isRead({ verb }: ApiCall): boolean {
  return verb === "get" || verb === "list" || verb === "watch";
}
