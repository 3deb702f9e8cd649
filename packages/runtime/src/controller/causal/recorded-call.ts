import { type ApiCall, describeCall } from "@keelson/client";
import { errorCode, isRecord, type KubeObject } from "@keelson/core";
import { changedPaths } from "../../source/changed-paths.ts";
import { soundError } from "../../source/thrown.ts";
import {
  areOfOneKind,
  isDryRun,
  isFromCache,
  isObject,
  isOwnObject,
  isWrite,
  nameIn,
  versionIn,
} from "./call-facts.ts";
import type { CallRecord } from "./run-record.ts";

const noQuery = {};

/** What is known of an object that a call writes. */
export interface Before {
  /** As the run saw it last, if it did. */
  readonly object: KubeObject | undefined;
  /** Some versions that it has had. */
  readonly versions: readonly string[];
}

/** What the cache had of an object. */
export interface CachedRead {
  readonly version: string | undefined;
  /** Only for as long as the run lasts. */
  readonly object: KubeObject | undefined;
}

/** A call that a run has made, in the compact form that is kept. After the run nothing of it leads to a value. */
export class RecordedCall {
  /** Without a body; or the text for a path that is not a resource. */
  readonly #call: ApiCall | string;
  readonly #startedAt: number;
  readonly #isDryRun: boolean;
  readonly isWrite: boolean;
  #outcome = "pending";
  #ms: number | undefined;
  #isFromCache = false;
  #version: string | undefined;
  #changedPaths: readonly string[] | undefined;
  /** Only for as long as the run lasts: what a later write changes is told by it. */
  #answer: unknown;
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

  answerRead(answer: unknown, now: number): void {
    this.#end("ok", now);
    this.#isFromCache = isFromCache(answer);
    this.#version = versionIn(answer);
    if (!this.#isRunOver) this.#answer = answer;
  }

  answerFromCache({ version, object }: CachedRead): void {
    this.#end("ok", this.#startedAt);
    this.#isFromCache = true;
    this.#version = version;
    this.#answer = object;
  }

  answerWrite(answer: unknown, now: number, before: Before): void {
    const version = versionIn(answer);
    if (this.#isDryRun) {
      this.#end("dry-run", now);
      return;
    }
    // A version never comes again: if the object has had this one before, nothing has changed since.
    const isNoop = version !== undefined && before.versions.includes(version);
    this.#end(isNoop ? "noop" : "ok", now);
    this.#version = version;
    if (!this.#isRunOver) this.#answer = answer;
    // What is answered may be something else, such as a Scale, or the metadata alone.
    const isComparable = isObject(answer) && answer.kind === before.object?.kind;
    if (!isNoop && isComparable) this.#changedPaths = changedPaths(before.object, answer);
  }

  fail(error: unknown, now: number): void {
    this.#end(errorCode(error) ?? soundError(error).name, now);
  }

  /** For what has an end but no one answer. */
  finish(now: number): void {
    if (this.#outcome === "pending") this.#end("ok", now);
  }

  /** Whether it is about the very object that the other call is about. */
  isAboutSame(other: ApiCall): boolean {
    const own = this.#call;
    if (typeof own === "string" || own.name === undefined) return false;
    return own.name === nameIn(other) && own.namespace === other.namespace && areOfOneKind(own, other);
  }

  /** The object that the other call is about, if it was in the answer to this one. */
  answeredObjectOf(other: ApiCall): KubeObject | undefined {
    const own = this.#call;
    if (typeof own === "string" || !areOfOneKind(own, other)) return undefined;
    if (this.isAboutSame(other)) return isOwnObject(own, this.#answer) ? this.#answer : undefined;
    if (!isRecord(this.#answer) || !Array.isArray(this.#answer.items)) return undefined;
    const [name, { namespace }] = [nameIn(other), other];
    const isIt = (item: unknown): item is KubeObject =>
      isOwnObject(own, item) && item.metadata.name === name && item.metadata.namespace === namespace;
    return this.#answer.items.find(isIt);
  }

  /** Lets go of the objects, also of those that are still to come. */
  endRun(): void {
    this.#isRunOver = true;
    this.#answer = undefined;
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

/** What a call is, without what it carries: a body holds values, and a signal holds on to the run. */
function withoutContents(call: ApiCall): ApiCall {
  const { verb, resource, namespace, subresource } = call;
  const name = nameIn(call);
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
