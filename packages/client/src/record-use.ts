import type { ApiUse } from "@keelson/core";
import type { Client } from "./client.ts";
import { type ApiCall, isApply } from "./request/api-call.ts";

/**
 * A client that reports the permissions that each call needs, before the call is made; `rbacRules` makes rules of them. It
 * sees calls as they leave it, so it belongs inside of other wrappers: `inNamespace(recordUse(client, …), "shop")`.
 */
export function recordUse(client: Client, onUse: (use: ApiUse) => void): Client {
  return client.with((next) => ({
    json: (call) => {
      for (const use of usesOf(call)) onUse(use);
      return next.json(call);
    },
    stream: (call) => {
      for (const use of usesOf(call)) onUse(use);
      return next.stream(call);
    },
    raw: (call) => {
      onUse({ verb: "get", nonResourceUrl: call.path.replace(/\?.*$/, "") });
      return next.raw(call);
    },
  }));
}

/** An apply is a patch; for an object that is not there yet the server also wants the permission to create it. */
function usesOf(call: ApiCall): readonly ApiUse[] {
  const { verb, resource, subresource, namespace, name } = call;
  const use = {
    verb,
    group: resource.group,
    resource: resource.plural,
    ...(subresource !== undefined && { subresource }),
    ...(namespace !== undefined && { namespace }),
    ...(name !== undefined && { name }),
  };
  if (!isApply(call) || subresource !== undefined) return [use];
  const { name: _, ...unnamed } = use;
  return [use, { ...unnamed, verb: "create" }];
}
