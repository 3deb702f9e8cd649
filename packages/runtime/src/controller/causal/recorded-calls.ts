import { type ApiCall, type Caller, describeCall, isDryRun, isWrite } from "@keelson/client";
import {
  type Clock,
  errorCode,
  identityOf,
  isRecord,
  type KubeObject,
  type ObjectKey,
  type Resource,
} from "@keelson/core";
import { TrackedRead } from "../../cache/cached-client.ts";
import { isSameCollection } from "../../cache/store.ts";
import { changedPaths } from "../../source/changed-paths.ts";
import { normalizeError } from "../../source/normalize-error.ts";

/** The name of the call's object. A create has it in its body only, and not at all if the server chooses the name. */
export function objectNameOf({ name, body }: ApiCall): string | undefined {
  if (name !== undefined) return name;
  return isObject(body?.value) ? body.value.metadata.name : undefined;
}

/** Whether a value is an object or a list: both have a kind and metadata. */
export function isObject(value: unknown): value is KubeObject {
  return isRecord(value) && typeof value.kind === "string" && isRecord(value.metadata);
}

/** Whether a value is an object of the call's kind, and not the response of a subresource such as a Scale. */
export function isObjectOfCall({ resource }: ApiCall, value: unknown): value is KubeObject {
  return isObject(value) && value.kind === identityOf(resource).kind;
}

/** The resource version of the object in a response; undefined for a list. */
export function versionIn(response: unknown): string | undefined {
  return isObject(response) && !("items" in response) ? response.metadata.resourceVersion : undefined;
}

/** The record of one call of a run. */
export interface CallRecord {
  /** Such as `update deployments.apps/status shop/web`. */
  readonly call: string;
  readonly kind: "read" | "write";
  readonly fromCache: boolean;
  /** Absent until the response has arrived. */
  readonly ms?: number;
  /**
   * `ok`; `noop`, a write after which the object has the resource version that it had before; `dry-run`; `pending`, no
   * response yet; or the code of the error.
   */
  readonly outcome: string;
  /** Of the object in the response. */
  readonly resourceVersion?: string;
  /** The fields that the write changed, if the run had read the object before. */
  readonly changedPaths?: readonly string[];
}

/** What the cache held of an object. */
interface CachedRead {
  readonly version: string | undefined;
  /** Only while the run lasts. */
  readonly object: KubeObject | undefined;
}

/** The calls of one run, in the order in which they began, up to a limit. */
export class RecordedCalls {
  readonly #clock: Clock;
  readonly #limit: number;
  /** Resource versions that runs before this one saw. */
  readonly #earlierVersions: (call: ApiCall) => readonly string[];
  readonly #calls: RecordedCall[] = [];
  #dropped = 0;
  #isRunOver = false;

  constructor(clock: Clock, limit: number, earlierVersions: (call: ApiCall) => readonly string[]) {
    this.#clock = clock;
    this.#limit = limit;
    this.#earlierVersions = earlierVersions;
  }

  get dropped(): number {
    return this.#dropped;
  }

  layer(next: Caller): Caller {
    return {
      json: (call) => (isWrite(call) ? this.#write(call, next) : this.#read(call, next)),
      stream: (call) => this.#stream(call, next),
      raw: async (call) => {
        const recorded = this.#begin(`get ${call.path.replace(/\?.*$/, "")}`);
        try {
          const response = await next.raw(call);
          recorded.endRead(response, this.#clock.monotonicNow(), { isFromCache: false });
          return response;
        } catch (error) {
          throw this.#fail(recorded, error);
        }
      },
    };
  }

  /** Adds a read that was not a call and took no time. */
  addCachedRead(resource: Resource, { namespace, name }: ObjectKey, read: CachedRead): void {
    const recorded = this.#begin({
      verb: "get",
      resource,
      ...(namespace !== undefined && { namespace }),
      name,
      query: {},
      isStream: false,
    });
    recorded.endCachedRead(read);
  }

  versionsOf(call: ApiCall): readonly string[] {
    const versions: string[] = [];
    for (const recorded of this.#calls) {
      if (recorded.version !== undefined && recorded.hasSameObject(call)) versions.push(recorded.version);
    }
    return versions;
  }

  /** Releases all objects. A call that the run did not await is still recorded. */
  endRun(): void {
    this.#isRunOver = true;
    for (const recorded of this.#calls) recorded.endRun();
  }

  toRecords(): readonly CallRecord[] {
    return this.#calls.map((recorded) => recorded.toRecord());
  }

  async #read(call: ApiCall, next: Caller): Promise<unknown> {
    const recorded = this.#begin(call);
    const read = new TrackedRead(call);
    try {
      const response = await next.json(read.call);
      recorded.endRead(response, this.#clock.monotonicNow(), read);
      return response;
    } catch (error) {
      throw this.#fail(recorded, error);
    }
  }

  async #write(call: ApiCall, next: Caller): Promise<unknown> {
    const recorded = this.#begin(call);
    // Before the request: by the time of the response, the run may have read the result of this very write.
    const before = this.#before(call);
    try {
      const response = await next.json(call);
      recorded.endWrite(response, this.#clock.monotonicNow(), before);
      return response;
    } catch (error) {
      throw this.#fail(recorded, error);
    }
  }

  async *#stream(call: ApiCall, next: Caller): AsyncIterable<Uint8Array> {
    const recorded = this.#begin(call);
    try {
      yield* next.stream(call);
    } catch (error) {
      throw this.#fail(recorded, error);
    } finally {
      recorded.endStream(this.#clock.monotonicNow());
    }
  }

  /** Records the failure of a call, and returns its error. */
  #fail(recorded: RecordedCall, error: unknown): unknown {
    recorded.fail(error, this.#clock.monotonicNow());
    return error;
  }

  /** Writes matter more than reads: above the limit, a write replaces the last read. */
  #begin(call: ApiCall | string): RecordedCall {
    const recorded = new RecordedCall(call, this.#clock.monotonicNow());
    if (this.#isRunOver) recorded.endRun();
    if (this.#calls.length >= this.#limit) {
      this.#dropped += 1;
      const lastRead = recorded.isWrite ? this.#calls.findLastIndex(({ isWrite }) => !isWrite) : -1;
      if (lastRead === -1) return recorded;
      this.#calls.splice(lastRead, 1);
    }
    this.#calls.push(recorded);
    return recorded;
  }

  #before(call: ApiCall): ObjectBefore {
    const versions = [...this.versionsOf(call), ...this.#earlierVersions(call)];
    const object = this.#lastSeen(call);
    const body = call.body?.value;
    for (const known of [object, isObject(body) ? body : undefined]) {
      if (known?.metadata.resourceVersion !== undefined) versions.push(known.metadata.resourceVersion);
    }
    return { object, versions };
  }

  #lastSeen(call: ApiCall): KubeObject | undefined {
    for (const recorded of this.#calls.toReversed()) {
      const object = recorded.responseObjectOf(call);
      if (object !== undefined) return object;
    }
    return undefined;
  }
}

/** What is known of an object before a call writes it. */
interface ObjectBefore {
  /** As the run saw it last, if it did. */
  readonly object: KubeObject | undefined;
  /** Some resource versions that it has had. */
  readonly versions: readonly string[];
}

const noQuery = {};

/** One call in the compact form that the log keeps. After the run it holds on to no value of a field. */
class RecordedCall {
  /** Without its body; or a text, for a path that is not a resource. */
  readonly #call: ApiCall | string;
  readonly #startedAt: number;
  readonly #isDryRun: boolean;
  readonly isWrite: boolean;
  #outcome = "pending";
  #ms: number | undefined;
  #isFromCache = false;
  #version: string | undefined;
  #changedPaths: readonly string[] | undefined;
  /** Only while the run lasts: the fields that a later write changes are computed from it. */
  #response: unknown;
  #isRunOver = false;

  constructor(call: ApiCall | string, startedAt: number) {
    const isOfResource = typeof call !== "string";
    this.#call = isOfResource ? withoutContents(call) : call;
    this.#startedAt = startedAt;
    this.isWrite = isOfResource && isWrite(call);
    this.#isDryRun = isOfResource && isDryRun(call);
  }

  get version(): string | undefined {
    return this.#version;
  }

  endRead(response: unknown, now: number, { isFromCache }: { readonly isFromCache: boolean }): void {
    this.#end("ok", now);
    this.#isFromCache = isFromCache;
    this.#version = versionIn(response);
    if (!this.#isRunOver) this.#response = response;
  }

  endCachedRead({ version, object }: CachedRead): void {
    this.#end("ok", this.#startedAt);
    this.#isFromCache = true;
    this.#version = version;
    this.#response = object;
  }

  endWrite(response: unknown, now: number, before: ObjectBefore): void {
    if (this.#isDryRun) {
      this.#end("dry-run", now);
      return;
    }
    const version = versionIn(response);
    // A resource version is never used twice: if the object had this one before, nothing has changed since.
    const isNoop = version !== undefined && before.versions.includes(version);
    this.#end(isNoop ? "noop" : "ok", now);
    this.#version = version;
    if (!this.#isRunOver) this.#response = response;
    // The response may be of another kind, such as a Scale, or the metadata alone.
    const isComparable = isObject(response) && response.kind === before.object?.kind;
    if (!isNoop && isComparable) this.#changedPaths = changedPaths(before.object, response);
  }

  /** Ends a call that has no single response. */
  endStream(now: number): void {
    if (this.#outcome === "pending") this.#end("ok", now);
  }

  fail(error: unknown, now: number): void {
    this.#end(errorCode(error) ?? normalizeError(error).name, now);
  }

  /** Whether both calls are about the same object, in whichever version and subresource of its kind. */
  hasSameObject(other: ApiCall): boolean {
    const own = this.#call;
    if (typeof own === "string" || own.name === undefined) return false;
    return (
      own.name === objectNameOf(other) &&
      own.namespace === other.namespace &&
      isSameCollection(own.resource, other.resource)
    );
  }

  /** The object of the other call, if the response to this call contained it. */
  responseObjectOf(other: ApiCall): KubeObject | undefined {
    const own = this.#call;
    if (typeof own === "string" || !isSameCollection(own.resource, other.resource)) return undefined;
    if (this.hasSameObject(other)) return isObjectOfCall(own, this.#response) ? this.#response : undefined;
    if (!isRecord(this.#response) || !Array.isArray(this.#response.items)) return undefined;
    const [name, { namespace }] = [objectNameOf(other), other];
    const isIt = (item: unknown): item is KubeObject =>
      isObjectOfCall(own, item) && item.metadata.name === name && item.metadata.namespace === namespace;
    return this.#response.items.find(isIt);
  }

  /** Releases the objects, also those of a response that is still to come. */
  endRun(): void {
    this.#isRunOver = true;
    this.#response = undefined;
  }

  toRecord(): CallRecord {
    return {
      call: typeof this.#call === "string" ? this.#call : describeCall(this.#call),
      kind: this.isWrite ? "write" : "read",
      fromCache: this.#isFromCache,
      ...(this.#ms !== undefined && { ms: this.#ms }),
      outcome: this.#outcome,
      ...(this.#version !== undefined && { resourceVersion: this.#version }),
      ...(this.#changedPaths !== undefined && { changedPaths: this.#changedPaths }),
    };
  }

  #end(outcome: string, now: number): void {
    this.#outcome = outcome;
    this.#ms = now - this.#startedAt;
  }
}

/** The call without its body, which holds values of fields, and without its signal, which holds on to the run. */
function withoutContents(call: ApiCall): ApiCall {
  const { verb, resource, namespace, subresource } = call;
  const name = objectNameOf(call);
  return {
    verb,
    resource,
    query: noQuery,
    isStream: false,
    ...(namespace !== undefined && { namespace }),
    ...(name !== undefined && { name }),
    ...(subresource !== undefined && { subresource }),
  };
}
