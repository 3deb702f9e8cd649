import { type ApiCall, type Client, describeCall, isWrite } from "@keelson/client";
import type { Transport } from "@keelson/core";
import { NotLeaderError } from "./errors.ts";
import type { Leadership } from "./lease-term.ts";

/**
 * A client that sends writes only while this replica leads.
 *
 * This is not fencing: the API server does not know about leases. It does not guarantee that a write which passed the
 * guard arrives before another replica leads: its bytes may be under way in the network, or the process may be paused
 * between the check of the clock and the socket. The time between the renew deadline and the lease duration, 5 s by
 * default, covers most such delays. The guard also does not notice time during which the whole machine was suspended,
 * since the monotonic clock then stands still, nor a clock that runs at another speed than those of other machines.
 *
 * What it guarantees [LE12]: right before a write is passed on, it compares the clock with the last renewal. If that is
 * older than the renew deadline, nothing is sent and the call throws a NotLeaderError. This needs no timer and no message,
 * so a process that was paused refuses writes from its first instruction on. Reads pass.
 *
 * A write may then wait below this guard: for credentials, for a connection, or to be retried. A timer aborts it when the
 * renew deadline passes meanwhile; and when it has its connection, right before the first byte is sent, the guard checks
 * the clock once more.
 */
export function guardWrites(client: Client, leadership: Leadership): Client {
  return client.with((next) => ({
    json: async (call) =>
      isWrite(call) ? whileLeading(call, leadership, (guarded) => next.json(guarded)) : next.json(call),
    stream: (call) => {
      if (isWrite(call)) requireLeadership(leadership, describeCall(call));
      return next.stream(call);
    },
    raw: (call) => next.raw(call),
  }));
}

/**
 * The same for every request of a transport: checks when the request is passed on, also for a retry, and again when it
 * has its connection, right before its first byte is sent. Every method but GET counts as a write.
 */
export function guardTransport(transport: Transport, leadership: Leadership): Transport {
  return {
    send: async (request) => {
      if (request.method === "GET") return transport.send(request);
      const check = (): void => {
        request.checkBeforeSend?.();
        requireLeadership(leadership, `${request.method} ${withoutQuery(request.path)}`);
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
  send: (call: ApiCall) => Promise<T>,
): Promise<T> {
  const operation = describeCall(call);
  requireLeadership(leadership, operation);
  const over = new AbortController();
  const cancel = leadership.whenUncertain?.(() => {
    const { lease, renewedAgoMs } = leadership;
    over.abort(new NotLeaderError(operation, lease, renewedAgoMs, { mayHaveBeenSent: true }));
  });
  const signal = call.signal === undefined ? over.signal : AbortSignal.any([over.signal, call.signal]);
  try {
    const checkBeforeSend = (): void => {
      call.checkBeforeSend?.();
      requireLeadership(leadership, operation);
    };
    return await send({ ...call, signal, checkBeforeSend });
  } finally {
    cancel?.();
  }
}

function requireLeadership({ isCertain, lease, renewedAgoMs }: Leadership, operation: string): void {
  if (!isCertain) throw new NotLeaderError(operation, lease, renewedAgoMs);
}

function withoutQuery(path: string): string {
  return path.replace(/\?.*$/s, "");
}
