import type { Client, WriteOptions } from "../client.ts";
import type { ApiCall } from "../request/api-call.ts";
import { mapCalls } from "./map-calls.ts";

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
