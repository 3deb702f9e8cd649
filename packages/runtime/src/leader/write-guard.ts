import { type ApiCall, type Client, describeCall, type Verb } from "@keelson/client";
import type { Transport } from "@keelson/core";
import { NotLeaderError } from "./errors.ts";
import type { Leadership } from "./lease-term.ts";

/**
 * This is not fencing: the API server does not know about leases. Not guaranteed is that a write which passed the guard
 * has arrived before another replica leads: its bytes may be under way in the network, or the process may be stopped
 * between the look at the clock and the socket. What helps is the time between the renew deadline and the lease
 * duration, 5 s by default. Also not seen is time during which the whole machine was suspended, since the monotonic
 * clock then stands still, and a clock that runs at another speed than those of others.
 *
 * What it does [LE12]: right before a write is passed on it compares the clock with the last renewal, and if that is
 * older than the renew deadline, nothing is sent and a NotLeaderError is thrown. No timer has to fire and no message has
 * to arrive for that, so a process that was stopped refuses from its first instruction on. Reads pass.
 *
 * A write may then wait below this guard, for credentials, for a connection or because a server was too busy. When the
 * renew deadline passes meanwhile, it is given up by a timer; and a process that was stopped while it waited looks at the
 * clock once more when it has its connection, right before the first byte leaves.
 */
export function guardWrites(client: Client, leadership: Leadership): Client {
  return client.with((next) => ({
    json: async (call) =>
      isWrite(call.verb) ? whileLeading(call, leadership, (guarded) => next.json(guarded)) : next.json(call),
    stream: (call) => {
      if (isWrite(call.verb)) demand(leadership, describeCall(call));
      return next.stream(call);
    },
    raw: (call) => next.raw(call),
  }));
}

/**
 * The same for every request that a transport sends: looks when it is passed on, repeated ones included, and again when
 * it has its connection, right before its first byte leaves. Whatever is no GET counts as a write.
 */
export function guardTransport(transport: Transport, leadership: Leadership): Transport {
  return {
    send: async (request) => {
      if (request.method === "GET") return transport.send(request);
      const check = (): void => {
        request.checkBeforeSend?.();
        demand(leadership, `${request.method} ${withoutQuery(request.path)}`);
      };
      check();
      return transport.send({ ...request, checkBeforeSend: check });
    },
    close: () => transport.close(),
  };
}

async function whileLeading<T>(
  call: ApiCall,
  leadership: Leadership,
  make: (call: ApiCall) => Promise<T>,
): Promise<T> {
  const operation = describeCall(call);
  demand(leadership, operation);
  const over = new AbortController();
  const cancel = leadership.whenUncertain?.(() => {
    const { lease, renewedAgoMs } = leadership;
    over.abort(new NotLeaderError(operation, lease, renewedAgoMs, { mayHaveBeenSent: true }));
  });
  const signal = call.signal === undefined ? over.signal : AbortSignal.any([over.signal, call.signal]);
  try {
    const checkBeforeSend = (): void => {
      call.checkBeforeSend?.();
      demand(leadership, operation);
    };
    return await make({ ...call, signal, checkBeforeSend });
  } finally {
    cancel?.();
  }
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
