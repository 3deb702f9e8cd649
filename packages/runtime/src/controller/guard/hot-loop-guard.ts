import type { ApiCall, Caller, Client } from "@keelson/client";
import { type Clock, formatKey, type KubeObject } from "@keelson/core";
import type { Cache } from "../../cache/cache.ts";
import { readWithOrigin } from "../../cache/cached-client.ts";
import { RecentMap } from "../../cache/recent-map.ts";
import type { LogFields, Logger } from "../../logger.ts";
import { changedPaths } from "../../source/changed-paths.ts";
import { isDryRun, isObject, versionIn } from "../causal/call-facts.ts";
import { defaultLimits, type GuardLimits } from "./guard-limits.ts";
import { KeyHold } from "./key-hold.ts";
import { lookInto, type OtherWriters } from "./look-into.ts";
import type { LoopSign } from "./loop-counter.ts";
import { describePingPong, type PingPongReport } from "./ping-pong-report.ts";
import { RunSights } from "./run-sights.ts";
import type { RunTimes } from "./run-times.ts";
import { describeSelfWoken, type SelfWokenReport } from "./self-woken-report.ts";
import { type Target, targetOf } from "./target.ts";
import type { Suspicion } from "./written-field.ts";
import { type Holds, WrittenObject } from "./written-object.ts";

export type { GuardLimits } from "./guard-limits.ts";
export type { FieldManager } from "./managed-field-owners.ts";
export type { PingPongReport } from "./ping-pong-report.ts";
export type { SelfWokenReport } from "./self-woken-report.ts";

/** Told what the guard sees, for metrics and events. Must be quick and must not throw. */
export interface HotLoopObserver {
  /** A write changed nothing; the target is named as in `deployments.apps shop/web`. */
  noopWrite(target: string): void;
  /** A field was found that somebody else sets as well. Comes again when the hold gets longer. */
  pingPong(report: PingPongReport): void;
  /** The key is woken by what it writes. Default: nobody is told but the log. */
  selfWoken?(report: SelfWokenReport): void;
  /** The key is held for so long between its runs from now on. */
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
  readonly limits?: Partial<GuardLimits>;
}

/** What one key has written. */
interface WritingKey {
  readonly keyText: string;
  readonly holds: Readonly<Record<keyof Holds, KeyHold>>;
  readonly objects: RecentMap<string, WrittenObject>;
  /** The run that wrote last, until it has ended. */
  current: RunTimes | undefined;
}

/**
 * Sees when a key writes without end, and slows that key and no other. Three kinds of loop are known:
 *
 * - **No-op writes**: run after run writes an object and leaves it at the version that it had. All are counted; it takes
 *   `noopWrites` runs within `noopWindowMs` to be a loop, so one that applies the same on an event every second is
 *   none. Logged once, when it begins.
 * - **Ping-pong**: the key sets a field to a value that somebody else has replaced meanwhile, `flips` times within
 *   `windowMs`. Before the next write the object is read from the server once: if the field is indeed not what the key
 *   had made of it, managedFields say whose it is now.
 * - **Self-woken**: run after run changes an object that nobody else has written in between, `selfWokenWrites` times
 *   within `selfWokenWindowMs`: what wakes the key is its own write, such as a time in the status. Where others write the
 *   object just as often it is not seen. Reported once, when it begins.
 *
 * A key is held for `holdMs` first, and for longer only if it goes on as fast as that lets it (see `pace`).
 *
 * What an object was before a write is known from the cache or, for kinds that are not cached, from what the run read.
 * Of an object that is neither, only no-op writes are seen. Fields are compared by hashes; no value is kept (law 9).
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

  /** A layer for `client.with` that watches one run of the key: several layers are several runs. */
  layer(keyText: string, next: Caller): Caller {
    const sights = new RunSights(this.#options.cache);
    const now = this.#options.clock.monotonicNow();
    const run: WritingRun = { keyText, sights, times: { beganAtMs: now, endedAtMs: now } };
    return {
      json: async (call) => {
        if (isGuarded(call)) return this.#write(run, call, next);
        if (call.verb !== "get") return next.json(call);
        const { response, isFromCache } = await readWithOrigin(next, call);
        if (!isFromCache) sights.see(call, response);
        return response;
      },
      stream: (call) => next.stream(call),
      raw: (call) => next.raw(call),
    };
  }

  /** How long the key is to wait between two runs; 0 for a key that does not loop. */
  holdMs(keyText: string): number {
    const key = this.#keys.peek(keyText);
    return key === undefined ? 0 : this.#longestHold(key);
  }

  /** The run of the key has ended. */
  ended(keyText: string, nowMs: number): void {
    const key = this.#keys.peek(keyText);
    if (key?.current === undefined) return;
    key.current.endedAtMs = nowMs;
    key.current = undefined;
  }

  /** The key is gone; what was seen of it does not count for another of the same name. */
  forget(keyText: string): void {
    this.#keys.delete(keyText);
  }

  async #write({ keyText, sights, times }: WritingRun, call: ApiCall, next: Caller): Promise<unknown> {
    const target = targetOf(call);
    if (target === undefined) return next.json(call);
    const key = this.#keys.use(keyText, () => this.#newKey(keyText));
    const object = key.objects.use(target.text, () => new WrittenObject(this.#limits));
    const before = sights.before(call, target);
    const { suspicion } = object;
    if (suspicion !== undefined) {
      const found = await lookInto(this.#options.liveClient, { call, target, before, object, suspicion });
      if (found !== undefined) this.#reportPingPong(key, { call, target, suspicion, found });
    }
    const answer = await next.json(call);
    if (!isObject(answer) || versionIn(answer) === undefined) return answer;
    sights.see(call, answer);
    const now = this.#options.clock.monotonicNow();
    const signs = object.note({ run: times, answer, before, now, holds: holdsAt(key, now) });
    times.endedAtMs = now;
    key.current = times;
    if (signs.isNoop) this.#options.observer?.noopWrite(target.text);
    if (signs.fightGoesOn) key.holds.fight.keep(now);
    if (this.#follow(key, "noop", signs.noop)) this.#reportNoopLoop(key, target);
    if (this.#follow(key, "selfWoken", signs.selfWoken))
      this.#reportSelfWoken(key, { call, target, fields: fieldsOf(before, answer) });
    return answer;
  }

  #newKey(keyText: string): WritingKey {
    const limits = this.#limits;
    const { windowMs, noopWindowMs, selfWokenWindowMs, maxLoneHoldMs, targetsPerKey } = limits;
    return {
      keyText,
      holds: {
        fight: new KeyHold({ ...limits, windowMs }),
        noop: new KeyHold({ ...limits, windowMs: noopWindowMs, maxHoldMs: maxLoneHoldMs }),
        selfWoken: new KeyHold({ ...limits, windowMs: selfWokenWindowMs, maxHoldMs: maxLoneHoldMs }),
      },
      objects: new RecentMap(targetsPerKey),
      current: undefined,
    };
  }

  #longestHold(key: WritingKey): number {
    return Math.max(...Object.values(holdsAt(key, this.#options.clock.monotonicNow())));
  }

  /** Does what follows from a sign. True if it is that of a loop which begins. */
  #follow(key: WritingKey, kind: keyof Holds, sign: LoopSign): boolean {
    if (sign === "goesOn") key.holds[kind].keep(this.#options.clock.monotonicNow());
    if (sign === "begins" || sign === "persists") this.#slow(key, kind, sign);
    return sign === "begins";
  }

  #slow(key: WritingKey, kind: keyof Holds, sign: "begins" | "persists"): void {
    const now = this.#options.clock.monotonicNow();
    const before = this.#longestHold(key);
    if (sign === "begins") key.holds[kind].begin(now);
    else key.holds[kind].tighten(now);
    const holdMs = this.#longestHold(key);
    if (holdMs !== before) this.#options.observer?.slowed(key.keyText, holdMs);
  }

  #reportNoopLoop(key: WritingKey, { text }: Target): void {
    const { noopWrites, noopWindowMs } = this.#limits;
    this.#options.log.info(
      `write ${text}: ${noopWrites} runs within ${noopWindowMs / 1000} s wrote it and changed nothing; ` +
        "skip the write when nothing differs from what is there, or run less often",
      this.#logFields(key),
    );
  }

  #reportSelfWoken(key: WritingKey, { call, target, fields }: LoneWrite): void {
    const report: SelfWokenReport = {
      controller: this.#options.controllerName,
      keyText: key.keyText,
      object: `${call.resource.kind} ${formatKey(target.key)}`,
      fields,
      runs: this.#limits.selfWokenWrites,
      windowMs: this.#limits.selfWokenWindowMs,
      holdMs: this.#longestHold(key),
    };
    this.#options.log.warn(describeSelfWoken(report), this.#logFields(key));
    this.#options.observer?.selfWoken?.(report);
  }

  #reportPingPong(key: WritingKey, { call, target, suspicion, found }: Fight): void {
    this.#slow(key, "fight", suspicion.persists ? "persists" : "begins");
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
    this.#options.log.warn(describePingPong(report), this.#logFields(key));
    this.#options.observer?.pingPong(report);
  }

  #logFields(key: WritingKey): LogFields {
    return {
      controller: this.#options.controllerName,
      key: key.keyText,
      holdMs: this.#longestHold(key),
    };
  }
}

/** What a layer knows of its run. */
interface WritingRun {
  readonly keyText: string;
  readonly sights: RunSights;
  readonly times: RunTimes;
}

interface Fight {
  readonly call: ApiCall;
  readonly target: Target;
  readonly suspicion: Suspicion;
  readonly found: OtherWriters;
}

interface LoneWrite {
  readonly call: ApiCall;
  readonly target: Target;
  readonly fields: readonly string[];
}

function holdsAt({ holds }: WritingKey, now: number): Holds {
  return { noop: holds.noop.at(now), selfWoken: holds.selfWoken.at(now), fight: holds.fight.at(now) };
}

/** What a write has changed; a write of the spec counts up its generation as well, which says nothing. */
function fieldsOf(before: KubeObject | undefined, answer: KubeObject): readonly string[] {
  const fields = changedPaths(before, answer).filter((path) => path !== "metadata.generation");
  return fields.length === 0 ? ["metadata.managedFields"] : fields;
}

function isGuarded(call: ApiCall): boolean {
  const isRightVerb = call.verb === "create" || call.verb === "update" || call.verb === "patch";
  return isRightVerb && !isDryRun(call);
}
