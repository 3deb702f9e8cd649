import { type ApiCall, type Caller, type Client, isDryRun } from "@keelson/client";
import { type Clock, formatKey, isRecord, type KubeObject } from "@keelson/core";
import type { Cache } from "../../cache/cache.ts";
import { TrackedRead } from "../../cache/cached-client.ts";
import type { LogFields, Logger } from "../../logger.ts";
import { RecentMap } from "../../recent-map.ts";
import { changedPaths } from "../../source/changed-paths.ts";
import { isObject, versionIn } from "../causal/recorded-calls.ts";
import type { EventRecorder } from "../event-recorder.ts";
import {
  describeNoopWrites,
  describePingPong,
  describeReplacement,
  describeSelfWoken,
  type PingPongReport,
  type ReplacementReport,
  type SelfWokenReport,
} from "./hot-loop-reports.ts";
import { investigate, type OtherWriters } from "./investigation.ts";
import { defaultLimits, type GuardLimits, KeyHold, type LoopSign, type RunTimes } from "./loop-detection.ts";
import {
  type Holds,
  SeenObjects,
  type Suspicion,
  type Target,
  targetOf,
  WrittenObject,
} from "./written-objects.ts";

/** Is called with what the guard detects, for metrics and events. Must be quick and must not throw. */
export interface HotLoopObserver {
  /** A write changed nothing; the target is such as `deployments.apps shop/web`. */
  noopWrite(target: string): void;
  /** A field has another writer, which sets it back. Called again when the hold becomes longer. */
  pingPong(report: PingPongReport): void;
  /** The key's own writes trigger its runs. Default: the guard only logs it. */
  selfWoken?(report: SelfWokenReport): void;
  /** An object is created and deleted again and again. Default: the guard only logs it. */
  replaced?(report: ReplacementReport): void;
  /** The key is held for `holdMs` between its runs from now on. */
  slowed(keyText: string, holdMs: number): void;
}

export interface HotLoopGuardOptions {
  readonly clock: Clock;
  readonly log: Logger;
  readonly cache: Pick<Cache, "peek">;
  /** Reads from the server, managedFields included. */
  readonly liveClient: Pick<Client, "get">;
  readonly controllerName: string;
  readonly observer?: HotLoopObserver;
  /** Records a Warning about the written object when a loop is detected that others can see. Default: none is recorded. */
  readonly events?: EventRecorder;
  readonly limits?: Partial<GuardLimits>;
}

/** A key that has written something. */
interface WritingKey {
  readonly keyText: string;
  readonly holds: Readonly<Record<keyof Holds, KeyHold>>;
  readonly objects: RecentMap<string, WrittenObject>;
  /** The run that wrote last, until it has ended. */
  current: RunTimes | undefined;
}

/**
 * Detects when a key writes without end, and slows that key and no other. It knows four kinds of hot loop:
 *
 * - **No-op writes**: run after run writes an object and leaves it at the resource version that it had. All are counted;
 *   `noopWrites` runs within `noopWindowMs` are a loop, so an apply that repeats on an event every second is none.
 *   Logged once, when the loop begins.
 * - **Ping-pong**: the key restores a value of a field that another writer has replaced, `flips` times within `windowMs`.
 *   Before the next write the guard reads the object from the server once: if the field indeed differs from what the key
 *   wrote, managedFields name the manager that owns it now.
 * - **Self-woken**: run after run changes an object that no other writer is known to have changed in between,
 *   `selfWokenWrites` times within `selfWokenWindowMs`: the key's own write triggers its next run, as with a time in the
 *   status; or the cache is too late to show the other writer. It is not detected where another writer visibly changes the
 *   object just as often. Reported once, when the loop begins.
 * - **Replacement**: run after run creates an object again that another writer deletes, or deletes one that another writer
 *   creates, `replacements` times within `windowMs`. Reported once, when the loop begins.
 *
 * A key is held for `holdMs` first, and for longer only if it continues as fast as the hold allows (see `pace`).
 *
 * The guard knows an object before a write from the cache or, for kinds that are not cached, from what the run read. Of
 * other objects it does not detect a ping-pong. It compares fields by hashes and keeps no value (law 9).
 *
 * It has no timers, and costs nothing where nothing is written.
 */
export class HotLoopGuard {
  readonly #options: HotLoopGuardOptions;
  readonly #limits: GuardLimits;
  readonly #keys: RecentMap<string, WritingKey>;

  constructor(options: HotLoopGuardOptions) {
    this.#options = options;
    this.#limits = { ...defaultLimits, ...options.limits };
    this.#keys = new RecentMap(this.#limits.keys);
  }

  /** A layer for `client.with` that observes one run of the key: several layers are several runs. */
  layer(keyText: string, next: Caller): Caller {
    const seen = new SeenObjects(this.#options.cache);
    const now = this.#options.clock.monotonicNow();
    const run: WritingRun = { keyText, seen, times: { beganAtMs: now, endedAtMs: now } };
    return {
      json: async (call) => {
        if (isGuarded(call)) return this.#write(run, call, next);
        if (call.verb === "delete" && !isDryRun(call)) return this.#delete(run, call, next);
        if (call.verb !== "get") return next.json(call);
        const read = new TrackedRead(call);
        const response = await next.json(read.call);
        if (!read.isFromCache) seen.add(call, response);
        return response;
      },
      stream: (call) => next.stream(call),
      raw: (call) => next.raw(call),
    };
  }

  /** How long the key waits between two runs; 0 for a key that does not loop. */
  holdMs(keyText: string): number {
    const key = this.#keys.peek(keyText);
    return key === undefined ? 0 : this.#longestHold(key);
  }

  /** Notes the end of the key's run. */
  ended(keyText: string, nowMs: number): void {
    const key = this.#keys.peek(keyText);
    if (key?.current === undefined) return;
    key.current.endedAtMs = nowMs;
    key.current = undefined;
  }

  /** Forgets a key whose object was deleted, so that its writes do not count for a new object of the same name. */
  forget(keyText: string): void {
    this.#keys.delete(keyText);
  }

  async #write({ keyText, seen, times }: WritingRun, call: ApiCall, next: Caller): Promise<unknown> {
    const target = targetOf(call);
    if (target === undefined) return next.json(call);
    const key = this.#keys.use(keyText, () => this.#newKey(keyText));
    const object = key.objects.use(target.text, () => new WrittenObject(this.#limits));
    const before = seen.before(call, target);
    const { suspicion } = object;
    if (suspicion !== undefined) {
      const found = await investigate(this.#options.liveClient, { call, target, before, object, suspicion });
      if (found !== undefined) this.#reportPingPong(key, { call, target, object: before, suspicion, found });
    }
    const response = await next.json(call);
    if (!isObject(response) || versionIn(response) === undefined) return response;
    seen.add(call, response);
    const now = this.#options.clock.monotonicNow();
    const signs = object.note({ run: times, response, before, now, holds: holdsAt(key, now) });
    times.endedAtMs = now;
    key.current = times;
    if (signs.isNoop) this.#options.observer?.noopWrite(target.text);
    if (signs.pingPongContinues) key.holds.pingPong.keep(now);
    if (this.#follow(key, "noop", signs.noop)) this.#reportNoopLoop(key, target);
    if (this.#follow(key, "selfWoken", signs.selfWoken))
      this.#reportSelfWoken(key, { call, target, object: response, fields: fieldsOf(before, response) });
    if (this.#follow(key, "replaced", signs.replaced))
      this.#reportReplacement(key, { call, target, object: response, action: "creates" });
    return response;
  }

  async #delete({ keyText, seen, times }: WritingRun, call: ApiCall, next: Caller): Promise<unknown> {
    const target = targetOf(call);
    const before = target && seen.before(call, target);
    // A delete of an object that does not exist throws.
    const response = await next.json(call);
    const uid = deletedUid(response);
    if (target === undefined || uid === undefined) return response;
    const key = this.#keys.use(keyText, () => this.#newKey(keyText));
    const object = key.objects.use(target.text, () => new WrittenObject(this.#limits));
    const now = this.#options.clock.monotonicNow();
    const sign = object.noteDeletion(uid, { run: times, now, holds: holdsAt(key, now) });
    times.endedAtMs = now;
    key.current = times;
    if (this.#follow(key, "replaced", sign))
      this.#reportReplacement(key, { call, target, object: before, action: "deletes" });
    return response;
  }

  #newKey(keyText: string): WritingKey {
    const limits = this.#limits;
    const { windowMs, noopWindowMs, selfWokenWindowMs, maxLoneHoldMs, targetsPerKey } = limits;
    return {
      keyText,
      holds: {
        pingPong: new KeyHold({ ...limits, windowMs }),
        noop: new KeyHold({ ...limits, windowMs: noopWindowMs, maxHoldMs: maxLoneHoldMs }),
        selfWoken: new KeyHold({ ...limits, windowMs: selfWokenWindowMs, maxHoldMs: maxLoneHoldMs }),
        replaced: new KeyHold({ ...limits, windowMs, maxHoldMs: maxLoneHoldMs }),
      },
      objects: new RecentMap(targetsPerKey),
      current: undefined,
    };
  }

  #longestHold(key: WritingKey): number {
    return Math.max(...Object.values(holdsAt(key, this.#options.clock.monotonicNow())));
  }

  /** Holds the key as a sign requires. True if a loop begins. */
  #follow(key: WritingKey, kind: keyof Holds, sign: LoopSign): boolean {
    if (sign === "continues") key.holds[kind].keep(this.#options.clock.monotonicNow());
    if (sign === "begins" || sign === "persists") this.#slow(key, kind, sign);
    return sign === "begins";
  }

  #slow(key: WritingKey, kind: keyof Holds, sign: "begins" | "persists"): void {
    const now = this.#options.clock.monotonicNow();
    const before = this.#longestHold(key);
    if (sign === "begins") key.holds[kind].begin(now);
    else key.holds[kind].extend(now);
    const holdMs = this.#longestHold(key);
    if (holdMs !== before) this.#options.observer?.slowed(key.keyText, holdMs);
  }

  #reportNoopLoop(key: WritingKey, { text }: Target): void {
    const { noopWrites, noopWindowMs } = this.#limits;
    this.#options.log.info(describeNoopWrites(text, noopWrites, noopWindowMs), this.#logFields(key));
  }

  #reportSelfWoken(key: WritingKey, { call, target, object, fields }: LoneWrite): void {
    const report: SelfWokenReport = {
      controller: this.#options.controllerName,
      keyText: key.keyText,
      object: `${call.resource.kind} ${formatKey(target.key)}`,
      fields,
      runs: this.#limits.selfWokenWrites,
      windowMs: this.#limits.selfWokenWindowMs,
      holdMs: this.#longestHold(key),
    };
    this.#warn(key, describeSelfWoken(report), object);
    this.#options.observer?.selfWoken?.(report);
  }

  #reportReplacement(key: WritingKey, { call, target, object, action }: Replacement): void {
    const report: ReplacementReport = {
      controller: this.#options.controllerName,
      keyText: key.keyText,
      object: `${call.resource.kind} ${formatKey(target.key)}`,
      action,
      runs: this.#limits.replacements,
      windowMs: this.#limits.windowMs,
      holdMs: this.#longestHold(key),
    };
    this.#warn(key, describeReplacement(report), object);
    this.#options.observer?.replaced?.(report);
  }

  #reportPingPong(key: WritingKey, { call, target, object, suspicion, found }: FoundPingPong): void {
    this.#slow(key, "pingPong", suspicion.persists ? "persists" : "begins");
    const report: PingPongReport = {
      controller: this.#options.controllerName,
      keyText: key.keyText,
      object: `${call.resource.kind} ${formatKey(target.key)}`,
      field: suspicion.path,
      flips: suspicion.flips,
      ownManager: suspicion.ownManagers[0] ?? call.query.fieldManager ?? this.#options.controllerName,
      ...found,
      holdMs: this.#longestHold(key),
    };
    this.#warn(key, describePingPong(report), object);
    this.#options.observer?.pingPong(report);
  }

  #warn(key: WritingKey, message: string, object: KubeObject | undefined): void {
    this.#options.log.warn(message, this.#logFields(key));
    if (object !== undefined)
      this.#options.events?.record(object, { type: "Warning", reason: "HotLoop", message });
  }

  #logFields(key: WritingKey): LogFields {
    return {
      controller: this.#options.controllerName,
      key: key.keyText,
      holdMs: this.#longestHold(key),
    };
  }
}

/** The run that a layer observes. */
interface WritingRun {
  readonly keyText: string;
  readonly seen: SeenObjects;
  readonly times: RunTimes;
}

/** A write that shows a loop. */
interface LoopingWrite {
  readonly call: ApiCall;
  readonly target: Target;
  /** The object, if its state is known. */
  readonly object: KubeObject | undefined;
}

interface FoundPingPong extends LoopingWrite {
  readonly suspicion: Suspicion;
  readonly found: OtherWriters;
}

interface LoneWrite extends LoopingWrite {
  readonly fields: readonly string[];
}

interface Replacement extends LoopingWrite {
  readonly action: ReplacementReport["action"];
}

function holdsAt({ holds }: WritingKey, now: number): Holds {
  return {
    noop: holds.noop.at(now),
    selfWoken: holds.selfWoken.at(now),
    pingPong: holds.pingPong.at(now),
    replaced: holds.replaced.at(now),
  };
}

/** The uid in the response to a delete: that of the object, or of the details of a Status. */
function deletedUid(response: unknown): string | undefined {
  if (!isRecord(response)) return undefined;
  const holder = response.kind === "Status" ? response.details : response.metadata;
  return isRecord(holder) && typeof holder.uid === "string" ? holder.uid : undefined;
}

/** What a write has changed, without the generation, which every change of the spec increments; empty if it is unknown. */
function fieldsOf(before: KubeObject | undefined, response: KubeObject): readonly string[] {
  if (before === undefined) return [];
  const fields = changedPaths(before, response).filter((path) => path !== "metadata.generation");
  return fields.length === 0 ? ["metadata.managedFields"] : fields;
}

function isGuarded(call: ApiCall): boolean {
  const isGuardedVerb = call.verb === "create" || call.verb === "update" || call.verb === "patch";
  return isGuardedVerb && !isDryRun(call);
}
