import { isStatus, type Kind, type KubeObject, type Resource } from "@keelson/core";
import type { SubresourceClient } from "./client.ts";
import { asObject } from "./request/answer.ts";
import { type ApiCall, describeCall } from "./request/api-call.ts";
import type { Caller } from "./request/caller.ts";
import { applyBody, callForObject, jsonBody, keyOfObject, makeCall } from "./request/object-call.ts";
import { applyQuery, writeQuery } from "./request/query.ts";

/** What every object that is written has, and maybe a status. */
interface Written {
  readonly metadata: {
    readonly name?: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly resourceVersion?: string;
  };
  readonly status?: unknown;
}

/** The objects of a subresource may be of another kind than the resource's: `as` says which. */
export function subresourceClient<T extends KubeObject>(
  caller: Caller,
  resource: Resource,
  subresource: string,
  as: Kind<T>,
  partToSend: (object: Written) => object = (object) => object,
): SubresourceClient<T> {
  const ask = (call: ApiCall): Promise<T> => callForObject(caller, as, call);
  return {
    get(key, options = {}) {
      const query = { resourceVersion: options.resourceVersion };
      return ask(makeCall(resource, key, { verb: "get", subresource, query }, options));
    },
    async create(key, object, options = {}) {
      const shape = {
        verb: "create",
        subresource,
        query: writeQuery(options),
        body: jsonBody(as, object),
      } as const;
      const call = makeCall(resource, key, shape, options);
      const answer = await caller.json(call);
      return isStatus(answer) ? answer : asObject(describeCall(call), as, answer);
    },
    update(object, options = {}) {
      const body = jsonBody(as, partToSend(object));
      const shape = { verb: "update", subresource, query: writeQuery(options), body } as const;
      return ask(makeCall(resource, keyOfObject(object), shape, options));
    },
    patch(key, patch, options = {}) {
      const shape = { verb: "patch", subresource, query: writeQuery(options), body: patch } as const;
      return ask(makeCall(resource, key, shape, options));
    },
    apply(configuration, options = {}) {
      const body = applyBody(as, partToSend(configuration));
      const shape = { verb: "patch", subresource, query: applyQuery(options), body } as const;
      return ask(makeCall(resource, keyOfObject(configuration), shape, options));
    },
  };
}

/** Writes of the status carry the status and nothing else that could be taken for a change [CL5]. */
export function statusClient<T extends KubeObject>(
  caller: Caller,
  resource: Resource<T>,
): SubresourceClient<T> {
  return subresourceClient(caller, resource, "status", resource, onlyStatus);
}

function onlyStatus({ metadata, status }: Written): object {
  const { name, namespace, uid, resourceVersion } = metadata;
  return { metadata: { name, namespace, uid, resourceVersion }, status };
}
