import type { CallOptions, Client, WriteOptions } from "./client.ts";
import { InvalidCallError } from "./errors.ts";
import { type ApiCall, describeCall } from "./request/api-call.ts";
import type { Caller } from "./request/caller.ts";

/** A client that changes each call before it is made, or refuses it by throwing. */
export function mapCalls(client: Client, change: (call: ApiCall) => ApiCall): Client {
  return client.with((next) => ({
    json: async (call) => next.json(change(call)),
    stream: (call) => next.stream(change(call)),
    raw: (call) => next.raw(call),
  }));
}

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

/** A client whose writes are dry runs: the server checks them and stores nothing. */
export function dryRun(client: Client): Client {
  return mapCalls(client, (call) => {
    switch (call.verb) {
      case "get":
      case "list":
      case "watch":
        return call;
      case "create":
      case "update":
      case "patch":
        return { ...call, query: { ...call.query, dryRun: "All" } };
      case "delete":
      case "deletecollection": {
        const { contentType = "application/json", value = {} } = call.body ?? {};
        return { ...call, body: { contentType, value: { ...Object(value), dryRun: ["All"] } } };
      }
    }
  });
}

/** A client that writes as the given manager, unless a call names another. */
export function withFieldOwner(client: Client, fieldOwner: string): Client {
  return mapCalls(client, (call) => withDefault(call, "fieldManager", fieldOwner));
}

/** A client whose writes treat unknown fields as given, unless a call says otherwise. */
export function withFieldValidation(
  client: Client,
  validation: NonNullable<WriteOptions["fieldValidation"]>,
): Client {
  return mapCalls(client, (call) => withDefault(call, "fieldValidation", validation));
}

function withDefault(call: ApiCall, parameter: string, value: string): ApiCall {
  const isWrite = call.verb === "create" || call.verb === "update" || call.verb === "patch";
  if (!isWrite || call.query[parameter] !== undefined) return call;
  return { ...call, query: { ...call.query, [parameter]: value } };
}

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
