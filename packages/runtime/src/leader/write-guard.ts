import { type ApiCall, type Client, describeCall, mapCalls, type Verb } from "@keelson/client";
import type { Transport, TransportRequest } from "@keelson/core";
import { NotLeaderError } from "./errors.ts";
import type { Leadership } from "./lease-term.ts";

/**
 * This is not fencing: the API server does not know about leases. Not guaranteed is that a write which passed the guard
 * has arrived before another replica leads. It may wait for a connection or for credentials, be under way in the
 * network, or the process may be stopped between the look at the clock and the socket. What helps is the time between
 * the renew deadline and the lease duration, 5 s by default. Also not seen is time during which the whole machine was
 * suspended, since the monotonic clock then stands still, and a clock that runs at another speed than those of others.
 *
 * What it does [LE12]: right before a write is passed on it compares the clock with the last renewal, and if that is
 * older than the renew deadline, nothing is sent and a NotLeaderError is thrown. No timer has to fire and no message has
 * to arrive for that, so a process that was stopped refuses from its first instruction on. Reads pass.
 *
 * A client repeats what a server was too busy for, below this guard: `guardTransport` holds for each attempt.
 */
export function guardWrites(client: Client, leadership: Leadership): Client {
  const check = (call: ApiCall): ApiCall => {
    if (isWrite(call.verb)) demand(leadership, describeCall(call));
    return call;
  };
  return mapCalls(client, check);
}

/** The same for every request that a transport sends, repeated ones included. Whatever is no GET counts as a write. */
export function guardTransport(transport: Transport, leadership: Leadership): Transport {
  const check = (request: TransportRequest): TransportRequest => {
    if (request.method !== "GET") demand(leadership, `${request.method} ${withoutQuery(request.path)}`);
    return request;
  };
  return {
    send: async (request) => transport.send(check(request)),
    close: () => transport.close(),
  };
}

function demand({ isCertain, lease, renewedAgoMs }: Leadership, operation: string): void {
  if (!isCertain) throw new NotLeaderError(operation, lease, renewedAgoMs);
}

function isWrite(verb: Verb): boolean {
  switch (verb) {
    case "get":
    case "list":
    case "watch":
      return false;
    case "create":
    case "update":
    case "patch":
    case "delete":
    case "deletecollection":
      return true;
  }
}

function withoutQuery(path: string): string {
  return path.replace(/\?.*$/s, "");
}
