import { hash } from "node:crypto";
import type { ApiCall } from "@keelson/client";
import {
  formatJson,
  formatKey,
  groupResourceOf,
  isNewer,
  isResourceVersion,
  type KubeObject,
  type ObjectKey,
} from "@keelson/core";
import type { Cache } from "../../cache/cache.ts";
import { RecentMap } from "../../recent-map.ts";
import { changedFields } from "../../source/changed-paths.ts";
import { isObjectOfCall, objectNameOf } from "../causal/recorded-calls.ts";
import { managedFieldOwners } from "./field-owners.ts";
import { type GuardLimits, isAtPace, LoopCounter, type LoopSign, type RunTimes } from "./loop-detection.ts";

/** The object of a call. */
export interface Target {
  readonly key: ObjectKey;
  /** Such as `deployments.apps shop/web`, without the subresource of the call. */
  readonly text: string;
}

/** The object of a call; undefined for calls on a collection, and for creates whose name the server chooses. */
export function targetOf(call: ApiCall): Target | undefined {
  const name = objectNameOf(call);
  if (name === undefined) return undefined;
  const key = call.namespace === undefined ? { name } : { namespace: call.namespace, name };
  return { key, text: `${groupResourceOf(call.resource)} ${formatKey(key)}` };
}

/** The objects that one run has read, or got back from a write, for comparison with its next write. */
export class SeenObjects {
  readonly #cache: Pick<Cache, "peek">;
  /** By target; created with the first object from the server. */
  #seen: Map<string, KubeObject> | undefined;

  constructor(cache: Pick<Cache, "peek">) {
    this.#cache = cache;
  }

  /** Remembers the object in a response of the server. What the cache serves it can serve again. */
  add(call: ApiCall, response: unknown): void {
    if (!isObjectOfCall(call, response)) return;
    const target = targetOf(call);
    if (target === undefined) return;
    this.#seen ??= new Map();
    this.#seen.set(target.text, response);
  }

  /** The object before a write of it; undefined if the run does not know it. */
  before({ resource }: ApiCall, { key, text }: Target): KubeObject | undefined {
    return this.#cache.peek(resource, key) ?? this.#seen?.get(text);
  }
}

/** Identifies a value without keeping it, since it may be a secret (law 9). */
export function hashOf(value: unknown): string {
  return value === undefined ? "absent" : hash("sha256", formatJson(value), "base64url");
}

/** How long a key is held, by the kind of loop; 0 if it is not held. */
export interface Holds {
  readonly noop: number;
  readonly selfWoken: number;
  readonly pingPong: number;
  readonly replaced: number;
}

/** A write whose response was the object. */
export interface CompletedWrite {
  readonly run: RunTimes;
  readonly response: KubeObject;
  /** The object before the write, if it is known. */
  readonly before: KubeObject | undefined;
  readonly now: number;
  readonly holds: Holds;
}

/** What a write shows of the kinds of loop. */
export interface WriteSigns {
  /** It changed nothing. */
  readonly isNoop: boolean;
  readonly noop: LoopSign;
  readonly selfWoken: LoopSign;
  /** It set back a field that is known to be contested. */
  readonly pingPongContinues: boolean;
  /** It created the object again. */
  readonly replaced: LoopSign;
}

const noSigns: WriteSigns = {
  isNoop: false,
  noop: "none",
  selfWoken: "none",
  pingPongContinues: false,
  replaced: "none",
};

/** A field that another writer seems to set as well. */
export interface Suspicion {
  readonly path: string;
  readonly flips: number;
  readonly ownManagers: readonly string[];
  /** The field was contested before, and is set back as fast as the hold of the key allows. */
  readonly persists: boolean;
}

/**
 * What the live object shows about a suspicion: another writer sets the field; no other writer does; or the cache stores
 * the field differently from the server, so that nothing follows from it.
 */
export type SuspicionResult = "contested" | "uncontested" | "unknowable";

/**
 * The writes of one key to one object: enough to detect a loop, and no values of fields. Holds resource versions, times
 * and hashes only.
 */
export class WrittenObject {
  readonly #limits: GuardLimits;
  /** The resource version in the response to the last write. */
  #version: string | undefined;
  /** Runs that wrote the object without changing it. */
  readonly #noops: LoopCounter;
  /** Runs that changed the object since another writer was last known to write it. */
  readonly #changes: LoopCounter;
  /** Runs that created the object again after it was deleted. */
  readonly #creations: LoopCounter;
  /** Runs that deleted the object after it was created again. */
  readonly #deletions: LoopCounter;
  /** Of the object that was deleted last. */
  #deletedUid: string | undefined;
  /** Of the object that was written last. */
  #uid: string | undefined;
  readonly #fields: RecentMap<string, WrittenField>;
  #suspicion: Suspicion | undefined;

  constructor(limits: GuardLimits) {
    const { noopWrites, noopWindowMs, selfWokenWrites, selfWokenWindowMs } = limits;
    this.#limits = limits;
    this.#noops = new LoopCounter({ ...limits, runs: noopWrites, windowMs: noopWindowMs });
    this.#changes = new LoopCounter({ ...limits, runs: selfWokenWrites, windowMs: selfWokenWindowMs });
    this.#creations = new LoopCounter({ ...limits, runs: limits.replacements });
    this.#deletions = new LoopCounter({ ...limits, runs: limits.replacements });
    this.#fields = new RecentMap(limits.fieldsPerTarget);
  }

  /** What should be investigated before the next write. */
  get suspicion(): Suspicion | undefined {
    return this.#suspicion;
  }

  note(write: CompletedWrite): WriteSigns {
    const { run, response, before, now, holds } = write;
    const previous = this.#version;
    this.#version = response.metadata.resourceVersion;
    if (this.#isCreatedAgain(response, before)) {
      this.#changes.reset();
      return { ...noSigns, replaced: this.#creations.note(run, now, holds.replaced) };
    }
    // A resource version is never used twice: if the object had this one before, nothing has changed since.
    const isNoop = this.#version === previous || this.#version === before?.metadata.resourceVersion;
    if (isNoop) return { ...noSigns, isNoop, noop: this.#noops.note(run, now, holds.noop) };
    // Without the state before the write, as with one from before the own write, no other writer is known.
    const countChange = (): LoopSign => this.#changes.note(run, now, holds.selfWoken);
    if (before === undefined || before.kind !== response.kind)
      return previous === undefined ? noSigns : { ...noSigns, selfWoken: countChange() };
    const hasOtherWriter = previous !== undefined && isLater(before.metadata.resourceVersion, previous);
    const pingPongContinues = this.#noteFields(write, before, hasOtherWriter);
    if (hasOtherWriter || previous === undefined) this.#changes.reset();
    return { ...noSigns, pingPongContinues, selfWoken: countChange() };
  }

  /** Notes that a run deleted the object of this uid. A second delete of one object is none: it may wait for finalizers. */
  noteDeletion(uid: string, { run, now, holds }: Pick<CompletedWrite, "run" | "now" | "holds">): LoopSign {
    const earlier = this.#deletedUid;
    this.#deletedUid = uid;
    const isCreatedAgain = earlier !== undefined && earlier !== uid;
    return isCreatedAgain ? this.#deletions.note(run, now, holds.replaced) : "none";
  }

  /** Whether the write created an object of the name of an earlier one; remembers its uid. */
  #isCreatedAgain({ metadata: { uid } }: KubeObject, before: KubeObject | undefined): boolean {
    const earlier = this.#uid;
    this.#uid = uid;
    const isOther = uid !== undefined && earlier !== undefined && earlier !== uid;
    return isOther && before?.metadata.uid !== uid;
  }

  /** Whether the field still has the value that the key gave it. */
  isAsWritten(path: string, value: unknown): boolean {
    return this.#fields.peek(path)?.has(value) === true;
  }

  /** Ends a suspicion with the result of its investigation. */
  settle(path: string, result: SuspicionResult): void {
    this.#suspicion = undefined;
    this.#fields.peek(path)?.settle(result);
  }

  /** Whether a ping-pong continues. */
  #noteFields(write: CompletedWrite, before: KubeObject, hasOtherWriter: boolean): boolean {
    let pingPongContinues = false;
    for (const { path, after } of changedFields(before, write.response)) {
      const isKnown = this.#fields.peek(path) !== undefined;
      const field = this.#fields.use(path, () => new WrittenField(path, hashOf(after), this.#limits));
      if (!field.has(after)) field.set(after);
      else if (isKnown && hasOtherWriter && !field.isUnknowable) {
        const { continues, suspicion } = field.flip(write);
        this.#suspicion ??= suspicion;
        pingPongContinues ||= continues;
      }
    }
    return pingPongContinues;
  }
}

/** Only a version later than the own write can be another writer's; versions without an order are later if they differ. */
function isLater(version: string | undefined, own: string): boolean {
  if (version === undefined) return false;
  if (!isResourceVersion(version) || !isResourceVersion(own)) return version !== own;
  return isNewer(version, own);
}

/** A field that the key has written. Keeps only a hash of its value. */
class WrittenField {
  readonly #path: string;
  readonly #limits: GuardLimits;
  /** Of the value that the key gave it last. */
  #hash: string;
  /** When the key restored its value after another writer had replaced it. */
  #flips: number[] = [];
  #lastFlipRun: RunTimes | undefined;
  #isContested = false;
  /** The cache stores the field differently from the server, so that nothing follows from the cached value. */
  #isUnknowable = false;

  constructor(path: string, valueHash: string, limits: GuardLimits) {
    this.#path = path;
    this.#hash = valueHash;
    this.#limits = limits;
  }

  has(value: unknown): boolean {
    return this.#hash === hashOf(value);
  }

  get isUnknowable(): boolean {
    return this.#isUnknowable;
  }

  /** The key sets it to another value: the flips of the last value do not count any more. */
  set(value: unknown): void {
    this.#hash = hashOf(value);
    this.#flips = [];
    this.#lastFlipRun = undefined;
    this.#isContested = false;
  }

  /** The key sets it back. Returns whether a known ping-pong continues, and a suspicion if one follows. */
  flip({ run, response, now, holds }: CompletedWrite): {
    continues: boolean;
    suspicion: Suspicion | undefined;
  } {
    const { windowMs, flips, repeats, pace } = this.#limits;
    const continues = this.#isContested && holds.pingPong > 0;
    const isPaced = isAtPace(run, this.#lastFlipRun, pace * holds.pingPong);
    const counted = this.#flips.filter((time) => continues || now - time < windowMs);
    this.#flips = continues && !isPaced ? [] : [...counted, now];
    this.#lastFlipRun = run;
    if (this.#flips.length < (continues ? repeats : flips)) return { continues, suspicion: undefined };
    // The writer that changes a field is its only owner.
    const ownManagers = managedFieldOwners(response, this.#path).map(({ manager }) => manager);
    const suspicion = { path: this.#path, flips: this.#flips.length, ownManagers, persists: continues };
    return { continues, suspicion };
  }

  settle(result: SuspicionResult): void {
    this.#flips = [];
    this.#isContested = result === "contested";
    this.#isUnknowable = result === "unknowable";
  }
}
