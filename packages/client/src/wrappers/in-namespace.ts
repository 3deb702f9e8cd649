import type { Client } from "../client.ts";
import { InvalidCallError } from "../errors.ts";
import { describeCall } from "../request/api-call.ts";
import { mapCalls } from "./map-calls.ts";

/**
 * A client of one namespace: calls that name none mean this one, also lists and watches, and calls that name another
 * are refused before anything is sent. Cluster-scoped kinds are as they were.
 */
export function inNamespace(client: Client, namespace: string): Client {
  return mapCalls(client, (call) => {
    if (call.resource.scope === "Cluster") return call;
    if (call.namespace === undefined) return { ...call, namespace };
    if (call.namespace === namespace) return call;
    throw new InvalidCallError(describeCall(call), `this client is limited to namespace ${namespace}`);
  });
}
