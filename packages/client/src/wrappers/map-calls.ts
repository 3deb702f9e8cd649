import type { Client } from "../client.ts";
import type { ApiCall } from "../request/api-call.ts";

/** A client that changes each call before it is made, or refuses it by throwing. */
export function mapCalls(client: Client, change: (call: ApiCall) => ApiCall): Client {
  return client.with((next) => ({
    json: async (call) => next.json(change(call)),
    stream: (call) => next.stream(change(call)),
    raw: (call) => next.raw(call),
  }));
}
