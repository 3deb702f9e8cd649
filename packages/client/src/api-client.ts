import {
  type ApplyConfiguration,
  isStatus,
  type Kind,
  type KubeList,
  type KubeObject,
  type ObjectKey,
  type Resource,
  type Status,
  type Stored,
  type WrittenAs,
} from "@keelson/core";
import type {
  ApplyOptions,
  CallOptions,
  Client,
  DeleteOptions,
  GetOptions,
  ListOptions,
  LogOptions,
  ObjectToWrite,
  Selection,
  SubresourceClient,
  WatchOptions,
  WriteOptions,
} from "./client.ts";
import { MalformedResponseError } from "./errors.ts";
import type { Patch } from "./patch.ts";
import {
  type ApiCall,
  applyQuery,
  deleteBody,
  describeCall,
  listQuery,
  selectionQuery,
  watchQuery,
  writeQuery,
} from "./request/api-call.ts";
import {
  applyConfigurationBody,
  type Caller,
  callForObject,
  jsonBody,
  keyOfObject,
  makeCall,
} from "./request/caller.ts";
import { cancelOnReturn, eitherSignal } from "./request/cancellation.ts";
import { asList, asObjectOrStatus } from "./request/response.ts";
import { splitLines } from "./watch/line-splitter.ts";
import { typedWatch, type WatchEvent } from "./watch/watch-event.ts";

const defaultPageSize = 500;

/** The client: each method makes one call of its arguments and a typed result of the response. */
export class ApiClient implements Client {
  readonly caller: Caller;

  constructor(caller: Caller) {
    this.caller = caller;
  }

  async get<T extends KubeObject>(
    resource: Resource<T>,
    key: ObjectKey,
    options: GetOptions = {},
  ): Promise<Stored<T>> {
    const query = { resourceVersion: options.resourceVersion };
    return callForObject(this.caller, resource, makeCall(resource, key, { verb: "get", query }, options));
  }

  async list<T extends KubeObject>(
    resource: Resource<T>,
    options: ListOptions = {},
  ): Promise<KubeList<Stored<T>>> {
    const call = makeCall(
      resource,
      namespaceOf(options),
      { verb: "list", query: listQuery(options) },
      options,
    );
    return asList(describeCall(call), resource, await this.caller.json(call));
  }

  async *pages<T extends KubeObject>(
    resource: Resource<T>,
    options: ListOptions = {},
  ): AsyncIterable<KubeList<Stored<T>>> {
    let page = await this.list(resource, { limit: defaultPageSize, ...options });
    yield page;
    // The continue token stands for the resource version of the first page; naming both is refused.
    const { resourceVersion, resourceVersionMatch, ...rest } = options;
    while (page.metadata.continue !== undefined && page.metadata.continue !== "") {
      page = await this.list(resource, { limit: defaultPageSize, ...rest, continue: page.metadata.continue });
      yield page;
    }
  }

  async create<T extends KubeObject, Written = T>(
    resource: Resource<T> & WrittenAs<Written>,
    object: ObjectToWrite<Written>,
    options: WriteOptions = {},
  ): Promise<Stored<T>> {
    const { namespace } = object.metadata;
    const shape = { verb: "create", query: writeQuery(options), body: jsonBody(resource, object) } as const;
    const target = namespace === undefined ? {} : { namespace };
    return callForObject(this.caller, resource, makeCall(resource, target, shape, options));
  }

  async update<T extends KubeObject, Written = T>(
    resource: Resource<T> & WrittenAs<Written>,
    object: ObjectToWrite<Written>,
    options: WriteOptions = {},
  ): Promise<Stored<T>> {
    const shape = { verb: "update", query: writeQuery(options), body: jsonBody(resource, object) } as const;
    return callForObject(this.caller, resource, makeCall(resource, keyOfObject(object), shape, options));
  }

  async patch<T extends KubeObject>(
    resource: Resource<T>,
    key: ObjectKey,
    patch: Patch,
    options: WriteOptions = {},
  ): Promise<Stored<T>> {
    const shape = { verb: "patch", query: writeQuery(options), body: patch } as const;
    return callForObject(this.caller, resource, makeCall(resource, key, shape, options));
  }

  async apply<T extends KubeObject>(
    resource: Resource<T>,
    configuration: ApplyConfiguration<T>,
    options: ApplyOptions = {},
  ): Promise<Stored<T>> {
    const shape = {
      verb: "patch",
      query: applyQuery(options),
      body: applyConfigurationBody(resource, configuration),
    } as const;
    return callForObject(
      this.caller,
      resource,
      makeCall(resource, keyOfObject(configuration), shape, options),
    );
  }

  async delete<T extends KubeObject>(
    resource: Resource<T>,
    key: ObjectKey,
    options: DeleteOptions = {},
  ): Promise<Stored<T> | Status> {
    const body = { contentType: "application/json", value: deleteBody(options) };
    const call = makeCall(resource, key, { verb: "delete", body }, options);
    return asObjectOrStatus(describeCall(call), resource, await this.caller.json(call));
  }

  async deleteAllOf<T extends KubeObject>(
    resource: Resource<T>,
    options: DeleteOptions & Selection,
  ): Promise<void> {
    const body = { contentType: "application/json", value: deleteBody(options) };
    const shape = { verb: "deletecollection", query: selectionQuery(options), body } as const;
    await this.caller.json(makeCall(resource, namespaceOf(options), shape, options));
  }

  watch<T extends KubeObject>(
    resource: Resource<T>,
    options: WatchOptions = {},
  ): AsyncIterable<WatchEvent<T>> {
    return cancelOnReturn((returned) => {
      const call = watchCall(resource, options, returned);
      const operation = describeCall(call);
      return typedWatch(resource, operation, splitLines(this.caller.stream(call), operation));
    });
  }

  watchLines(resource: Resource, options: WatchOptions = {}): AsyncIterable<readonly Buffer[]> {
    return cancelOnReturn((returned) => {
      const call = watchCall(resource, options, returned);
      return splitLines(this.caller.stream(call), describeCall(call));
    });
  }

  status<T extends KubeObject>(resource: Resource<T>): SubresourceClient<T> {
    return statusClient(this.caller, resource);
  }

  subresource<T extends KubeObject>(resource: Resource, name: string, as: Kind<T>): SubresourceClient<T> {
    return subresourceClient(this.caller, resource, name, as);
  }

  logs(pod: ObjectKey, options: LogOptions = {}): AsyncIterable<Uint8Array> {
    return cancelOnReturn((returned) => {
      const signal = eitherSignal(returned, options.signal);
      return podLog(this.caller, pod, { ...options, signal });
    });
  }

  async raw(path: string, options: CallOptions = {}): Promise<unknown> {
    return this.caller.raw({ ...options, path });
  }

  with(layer: (next: Caller) => Caller): Client {
    return new ApiClient(layer(this.caller));
  }
}

function watchCall(resource: Resource, options: WatchOptions, returned: AbortSignal): ApiCall {
  const shape = { verb: "watch", query: watchQuery(options) } as const;
  const signal = eitherSignal(returned, options.signal);
  return { ...makeCall(resource, namespaceOf(options), shape, { ...options, signal }), isStream: true };
}

function namespaceOf({ namespace }: Selection): { readonly namespace?: string } {
  return namespace === undefined ? {} : { namespace };
}

const pods: Resource = { group: "", version: "v1", kind: "Pod", plural: "pods", scope: "Namespaced" };

/** The log of a pod's container as it comes. The server ends it, unless it is followed. */
function podLog(caller: Caller, pod: ObjectKey, options: LogOptions): AsyncIterable<Uint8Array> {
  const query = {
    container: options.container,
    follow: options.follow?.toString(),
    previous: options.previous?.toString(),
    sinceSeconds: options.sinceSeconds?.toString(),
    tailLines: options.tailLines?.toString(),
    timestamps: options.timestamps?.toString(),
  };
  const call = makeCall(pods, pod, { verb: "get", subresource: "log", query }, options);
  // Logs are text; a refusal still comes as a Status in JSON.
  return caller.stream({ ...call, accept: "text/plain, application/json", isStream: true });
}

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
function subresourceClient<T extends KubeObject>(
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
function statusClient<T extends KubeObject>(caller: Caller, resource: Resource<T>): SubresourceClient<T> {
  return subresourceClient(caller, resource, "status", resource, statusPart);
}

const statusPart: PartToSend = {
  // An update replaces: of built-in kinds the server would remove labels and finalizers that were left out.
  update: ({ metadata, status }) => ({ metadata, status }),
  // An apply states what its manager wants to own, which is the status and no metadata.
  apply: ({ metadata: { name, namespace }, status }) => ({ metadata: { name, namespace }, status }),
};
