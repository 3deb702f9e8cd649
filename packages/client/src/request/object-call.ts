import type { Kind, KubeObject, ObjectKey, Resource, Stored } from "@keelson/core";
import type { CallOptions } from "../client.ts";
import { type ApiCall, applyBody, describeCall } from "./api-call.ts";
import type { Caller } from "./caller.ts";
import { asObject, identityOf } from "./response.ts";

type CallShape = Pick<ApiCall, "verb" | "subresource" | "body"> & { readonly query?: ApiCall["query"] };

/** Where a call goes: the place of an object, or a collection. */
export type Target = Partial<ObjectKey>;

/** Fills in what every call has. */
export function makeCall(
  resource: Resource,
  target: Target,
  shape: CallShape,
  options: CallOptions,
): ApiCall {
  return {
    query: {},
    ...shape,
    resource,
    ...(target.namespace !== undefined && { namespace: target.namespace }),
    ...(target.name !== undefined && { name: target.name }),
    ...(options.signal !== undefined && { signal: options.signal }),
    ...(options.timeoutMs !== undefined && { timeoutMs: options.timeoutMs }),
    isStream: false,
  };
}

/** Makes a call whose response is an object of the kind. */
export async function callForObject<T extends KubeObject>(
  caller: Caller,
  as: Kind<T>,
  call: ApiCall,
): Promise<Stored<T>> {
  return asObject(describeCall(call), as, await caller.json(call));
}

/** A JSON body with the object's own kind, whatever the argument said or left out; the argument stays as it is. */
export function jsonBody(kind: Kind, object: object): NonNullable<ApiCall["body"]> {
  return { contentType: "application/json", value: { ...object, ...identityOf(kind) } };
}

/** The body of an apply, with the object's own kind. */
export function applyConfigurationBody(kind: Kind, configuration: object): NonNullable<ApiCall["body"]> {
  return applyBody({ ...configuration, ...identityOf(kind) });
}

/** The place that an object names for itself. */
export function keyOfObject(object: {
  readonly metadata: { readonly name?: string; readonly namespace?: string };
}): Target {
  const { name, namespace } = object.metadata;
  return { ...(name !== undefined && { name }), ...(namespace !== undefined && { namespace }) };
}
