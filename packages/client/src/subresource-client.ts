import { isStatus, type Kind, type KubeObject, type Resource, type Stored } from "@keelson/core";
import type { SubresourceClient } from "./client.ts";
import { MalformedResponseError } from "./errors.ts";
import { type ApiCall, describeCall } from "./request/api-call.ts";
import type { Caller } from "./request/caller.ts";
import {
  applyConfigurationBody,
  callForObject,
  jsonBody,
  keyOfObject,
  makeCall,
} from "./request/object-call.ts";
import { applyQuery, writeQuery } from "./request/query.ts";

/** What every object that is written has, and maybe a status. */
interface Written {
  readonly metadata: { readonly name?: string; readonly namespace?: string };
  readonly status?: unknown;
}

/** Which part of an object goes with a write of it. */
interface PartToSend {
  readonly update: (object: Written) => object;
  readonly apply: (object: Written) => object;
}

const whole: PartToSend = { update: (object) => object, apply: (object) => object };

/** The objects of a subresource may be of another kind than the resource's: `as` says which. */
export function subresourceClient<T extends KubeObject>(
  caller: Caller,
  resource: Resource,
  subresource: string,
  as: Kind<T>,
  part: PartToSend = whole,
): SubresourceClient<T> {
  const callForStored = (call: ApiCall): Promise<Stored<T>> => callForObject(caller, as, call);
  return {
    async get(key, options = {}) {
      const query = { resourceVersion: options.resourceVersion };
      return callForStored(makeCall(resource, key, { verb: "get", subresource, query }, options));
    },
    async create(key, object, options = {}) {
      const shape = {
        verb: "create",
        subresource,
        query: writeQuery(options),
        body: jsonBody(as, object),
      } as const;
      return callForStored(makeCall(resource, key, shape, options));
    },
    async submit(key, object, options = {}) {
      const shape = {
        verb: "create",
        subresource,
        query: writeQuery(options),
        body: jsonBody(as, object),
      } as const;
      const call = makeCall(resource, key, shape, options);
      const response = await caller.json(call);
      if (isStatus(response)) return response;
      throw new MalformedResponseError(describeCall(call), { problem: "the response is not a Status" });
    },
    async update(object, options = {}) {
      const body = jsonBody(as, part.update(object));
      const shape = { verb: "update", subresource, query: writeQuery(options), body } as const;
      return callForStored(makeCall(resource, keyOfObject(object), shape, options));
    },
    async patch(key, patch, options = {}) {
      const shape = { verb: "patch", subresource, query: writeQuery(options), body: patch } as const;
      return callForStored(makeCall(resource, key, shape, options));
    },
    async apply(configuration, options = {}) {
      const body = applyConfigurationBody(as, part.apply(configuration));
      const shape = { verb: "patch", subresource, query: applyQuery(options), body } as const;
      return callForStored(makeCall(resource, keyOfObject(configuration), shape, options));
    },
  };
}

/** Writes of the status carry the status and no spec [CL5]. */
export function statusClient<T extends KubeObject>(
  caller: Caller,
  resource: Resource<T>,
): SubresourceClient<T> {
  return subresourceClient(caller, resource, "status", resource, statusPart);
}

const statusPart: PartToSend = {
  // An update replaces: of built-in kinds the server would remove labels and finalizers that were left out.
  update: ({ metadata, status }) => ({ metadata, status }),
  // An apply states what its manager wants to own, which is the status and no metadata.
  apply: ({ metadata: { name, namespace }, status }) => ({ metadata: { name, namespace }, status }),
};
