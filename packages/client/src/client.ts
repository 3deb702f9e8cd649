import type {
  ApplyConfiguration,
  Kind,
  KubeList,
  KubeObject,
  LabelSelector,
  ObjectKey,
  ObjectMeta,
  Resource,
  Status,
  Stored,
  WrittenAs,
} from "@keelson/core";
import type { Patch } from "./patch.ts";
import type { Caller } from "./request/caller.ts";
import type { WatchEvent } from "./watch/watch-event.ts";

export interface CallOptions {
  /** Aborts the call, which then throws the signal's reason. */
  readonly signal?: AbortSignal;
  /** How long until the whole response must have arrived. Default the client's, 30 s. */
  readonly timeoutMs?: number;
}

export interface GetOptions extends CallOptions {
  /** `0` lets the server read from its cache. Default: the newest state. */
  readonly resourceVersion?: string;
}

/** Which objects of a kind a list, a watch or a deletion is about. */
export interface Selection {
  /** Default: all namespaces. */
  readonly namespace?: string;
  readonly labelSelector?: string | LabelSelector;
  /** Such as `metadata.name=web,status.phase!=Failed`; the kind decides which fields it knows. */
  readonly fieldSelector?: string;
}

export interface ListOptions extends CallOptions, Selection {
  /** Objects per response. Default: all in one, for `list`; 500, for `pages`. */
  readonly limit?: number;
  /** The token of the previous page. */
  readonly continue?: string;
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: "Exact" | "NotOlderThan";
}

export interface WatchOptions extends Selection {
  readonly signal?: AbortSignal;
  /** How long until the response must begin. Default the client's. A watch has no other limit of its own. */
  readonly timeoutMs?: number;
  /** Where to begin. Default: with an ADDED event for each object that exists. */
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: "NotOlderThan";
  readonly allowWatchBookmarks?: boolean;
  /** Begin with all objects and a bookmark that says where they end. */
  readonly sendInitialEvents?: boolean;
  /** After so long the server ends the watch. */
  readonly timeoutSeconds?: number;
}

export interface WriteOptions extends CallOptions {
  /** The server checks the write and stores nothing. */
  readonly dryRun?: boolean;
  /** The field owner of the write. */
  readonly fieldOwner?: string;
  /** What happens with fields that the kind does not have. Default: the server's, which is Warn. */
  readonly fieldValidation?: "Strict" | "Warn" | "Ignore";
}

export interface ApplyOptions extends WriteOptions {
  /** Takes over fields that another field manager owns, instead of failing with a ConflictError. */
  readonly force?: boolean;
}

export interface DeleteOptions extends CallOptions {
  readonly dryRun?: boolean;
  readonly gracePeriodSeconds?: number;
  /** What happens to the objects that this one owns. Default: the kind's, mostly Background. */
  readonly propagationPolicy?: "Orphan" | "Background" | "Foreground";
  /** The object is deleted only if it has this uid and resource version. */
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
}

/** An object to be written; `apiVersion` and `kind` may be left out. */
export type ObjectToWrite<Written> = Omit<Written, "apiVersion" | "kind" | "metadata"> & {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMeta;
};

/** Reads objects: a client, or a cache. */
export interface Reader {
  get<T extends KubeObject>(resource: Resource<T>, key: ObjectKey, options?: GetOptions): Promise<Stored<T>>;
  list<T extends KubeObject>(resource: Resource<T>, options?: ListOptions): Promise<KubeList<Stored<T>>>;
}

/** Changes objects. Each method returns the server's object and does not change its arguments [CL1]. */
export interface Writer {
  create<T extends KubeObject, Written = T>(
    resource: Resource<T> & WrittenAs<Written>,
    object: ObjectToWrite<Written>,
    options?: WriteOptions,
  ): Promise<Stored<T>>;
  /** Replaces the object; with a resource version only if it is still that version. */
  update<T extends KubeObject, Written = T>(
    resource: Resource<T> & WrittenAs<Written>,
    object: ObjectToWrite<Written>,
    options?: WriteOptions,
  ): Promise<Stored<T>>;
  patch<T extends KubeObject>(
    resource: Resource<T>,
    key: ObjectKey,
    patch: Patch,
    options?: WriteOptions,
  ): Promise<Stored<T>>;
  /** Server-side apply: states the fields this manager wants. Needs a field owner. */
  apply<T extends KubeObject>(
    resource: Resource<T>,
    configuration: ApplyConfiguration<T>,
    options?: ApplyOptions,
  ): Promise<Stored<T>>;
  /** Returns the object if it is being deleted now, or a Status if it is deleted. */
  delete<T extends KubeObject>(
    resource: Resource<T>,
    key: ObjectKey,
    options?: DeleteOptions,
  ): Promise<Stored<T> | Status>;
  /** Deletes every object of the selection. Without a namespace: in all of them, which only cluster-scoped kinds allow. */
  deleteAllOf<T extends KubeObject>(resource: Resource<T>, options: DeleteOptions & Selection): Promise<void>;
}

/** The part of an object that has a path of its own, such as `status` or `scale`. */
export interface SubresourceClient<T extends KubeObject> {
  get(key: ObjectKey, options?: GetOptions): Promise<Stored<T>>;
  create(key: ObjectKey, object: ObjectToWrite<T>, options?: WriteOptions): Promise<Stored<T>>;
  /** As create, for subresources whose response is a Status, such as `eviction` and `binding`. */
  submit(key: ObjectKey, object: ObjectToWrite<T>, options?: WriteOptions): Promise<Status>;
  update(object: ObjectToWrite<T>, options?: WriteOptions): Promise<Stored<T>>;
  patch(key: ObjectKey, patch: Patch, options?: WriteOptions): Promise<Stored<T>>;
  apply(configuration: ApplyConfiguration<T>, options?: ApplyOptions): Promise<Stored<T>>;
}

export interface LogOptions {
  readonly signal?: AbortSignal;
  readonly container?: string;
  /** Goes on with what is written from now on. */
  readonly follow?: boolean;
  readonly previous?: boolean;
  readonly sinceSeconds?: number;
  readonly tailLines?: number;
  readonly timestamps?: boolean;
}

/** A client of one API server. Made by `createClient`; made different by the wrappers, such as `inNamespace`. */
export interface Client extends Reader, Writer {
  /**
   * All objects of the selection, page by page, at one point in time. A reader that takes minutes may find that the
   * server has forgotten that point: a GoneError, after which only a new list helps.
   */
  pages<T extends KubeObject>(
    resource: Resource<T>,
    options?: ListOptions,
  ): AsyncIterable<KubeList<Stored<T>>>;
  /** The events of a watch until it ends: by an ERROR event, by the server, or by the signal, which throws its reason. */
  watch<T extends KubeObject>(resource: Resource<T>, options?: WatchOptions): AsyncIterable<WatchEvent<T>>;
  /**
   * The same watch, a line of JSON for each event, for readers that do not want all of it parsed. Lines that arrived
   * together come together.
   */
  watchLines(resource: Resource, options?: WatchOptions): AsyncIterable<readonly Buffer[]>;
  /** Writes of the status; the spec is not sent [CL5]. */
  status<T extends KubeObject>(resource: Resource<T>): SubresourceClient<T>;
  /** Any other subresource, such as `scale`, `eviction` or `token`; `as` is the kind of its objects. */
  subresource<T extends KubeObject>(resource: Resource, name: string, as: Kind<T>): SubresourceClient<T>;
  /** The log of a pod, as bytes. */
  logs(pod: ObjectKey, options?: LogOptions): AsyncIterable<Uint8Array>;
  /** The JSON at a path that is not a resource, such as `/version`. */
  raw(path: string, options?: CallOptions): Promise<unknown>;
  /** A client whose calls pass through the layer first. */
  with(layer: (next: Caller) => Caller): Client;
  /** What all the methods above make their calls with. */
  readonly caller: Caller;
}
