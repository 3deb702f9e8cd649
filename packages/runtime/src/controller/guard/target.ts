import type { ApiCall } from "@keelson/client";
import { formatKey, groupResourceOf, type ObjectKey } from "@keelson/core";
import { objectNameOf } from "../causal/call-facts.ts";

/** The object that a call is about. */
export interface Target {
  readonly key: ObjectKey;
  /** Such as `deployments.apps shop/web`, whichever subresource of it the call is to. */
  readonly text: string;
}

/** Undefined for calls on a collection, and for creates whose name the server chooses. */
export function targetOf(call: ApiCall): Target | undefined {
  const name = objectNameOf(call);
  if (name === undefined) return undefined;
  const key = call.namespace === undefined ? { name } : { namespace: call.namespace, name };
  return { key, text: `${groupResourceOf(call.resource)} ${formatKey(key)}` };
}
