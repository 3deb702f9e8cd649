import type { ApiUse } from "@keelson/core";
import type { Client } from "./client.ts";
import type { ApiCall } from "./request/api-call.ts";

/** A client that tells of each call what permission it needs, before it is made; `rbacRules` makes rules of it. */
export function recordUse(client: Client, onUse: (use: ApiUse) => void): Client {
  return client.with((next) => ({
    json: (call) => {
      onUse(useOf(call));
      return next.json(call);
    },
    stream: (call) => {
      onUse(useOf(call));
      return next.stream(call);
    },
    raw: (call) => {
      onUse({ verb: "get", nonResourceUrl: call.path });
      return next.raw(call);
    },
  }));
}

function useOf({ verb, resource, subresource, namespace, name }: ApiCall): ApiUse {
  return {
    verb,
    group: resource.group,
    resource: resource.plural,
    ...(subresource !== undefined && { subresource }),
    ...(namespace !== undefined && { namespace }),
    ...(name !== undefined && { name }),
  };
}
