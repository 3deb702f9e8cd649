import type { ApiCall, Caller, Client } from "@keelson/client";
import { type Clock, formatKey } from "@keelson/core";
import type { Cache } from "../../cache/cache.ts";
import type { Logger } from "../../logger.ts";
import { isDryRun, isObject, versionIn } from "../causal/call-facts.ts";
import { RecentMap } from "../causal/recent-map.ts";
import { defaultLimits, type GuardLimits } from "./guard-limits.ts";
import { KeyHold } from "./key-hold.ts";
import { lookInto, type OtherWriters } from "./look-into.ts";
import { describePingPong, type PingPongReport } from "./ping-pong-report.ts";
import { RunSights } from "./run-sights.ts";
import { type Target, targetOf } from "./target.ts";
import { type Suspicion, WrittenObject } from "./written-object.ts";

export type { GuardLimits } from "./guard-limits.ts";
export type { FieldManager } from "./managed-field-owners.ts";
export type { PingPongReport } from "./ping-pong-report.ts";

/** Told what the guard sees, for metrics and events. Must be quick and must not throw. */
export interface HotLoopObserver {
  /** A write changed nothing; the target is named as in `deployments.apps shop/web`. */
  noopWrite(target: string): void;
  pingPong(report: PingPongReport): void;
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
  readonly hold: KeyHold;
  readonly objects: RecentMap<string, WrittenObject>;
}

/**
 * Sees when a key writes without end, and slows that key and no other. Two kinds of loop are known:
 *
 * - **No-op writes**: run after run writes an object and leaves it at the version that it had. It takes `noopWrites` runs
 *   within `noopWindowMs`, so one that applies the same every 30 s is none.
 * - **Ping-pong**: the key sets a field to a value that somebody else has replaced meanwhile, `flips` times within
 *   `windowMs`. Before the next write the object is read from the server once: if the field is indeed not what the key
 *   had made of it, managedFields say whose it is now.
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
    const run = new RunSights(this.#options.cache);
    return {
      json: async (call) => {
        if (isGuarded(call)) return this.#write(keyText, call, run, next);
        const answer = await next.json(call);
        if (call.verb === "get") run.see(call, answer);
        return answer;
      },
      stream: (call) => next.stream(call),
      raw: (call) => next.raw(call),
    };
  }

  /** How long the key is to wait between two runs; 0 for a key that does not loop. */
  holdMs(keyText: string): number {
    return this.#keys.peek(keyText)?.hold.at(this.#options.clock.monotonicNow()) ?? 0;
  }

  /** The key is gone; what was seen of it does not count for another of the same name. */
  forget(keyText: string): void {
    this.#keys.delete(keyText);
  }

  async #write(keyText: string, call: ApiCall, run: RunSights, next: Caller): Promise<unknown> {
    const target = targetOf(call);
    if (target === undefined) return next.json(call);
    const key = this.#keys.use(keyText, () => this.#newKey(keyText));
    const object = key.objects.use(target.text, () => new WrittenObject(this.#limits));
    const before = run.before(call, target);
    const { suspicion } = object;
    if (suspicion !== undefined) {
      const found = await lookInto(this.#options.liveClient, { call, target, before, object, suspicion });
      if (found !== undefined) this.#reportPingPong(key, { call, target, suspicion, found });
    }
    const answer = await next.json(call);
    if (!isObject(answer) || versionIn(answer) === undefined) return answer;
    run.see(call, answer);
    const now = this.#options.clock.monotonicNow();
    const isHeld = key.hold.at(now) > 0;
    const { isNoop, isNoopLoop } = object.note({ run, answer, before, now, isHeld });
    if (isNoop) this.#options.observer?.noopWrite(target.text);
    if (isNoopLoop) this.#reportNoopLoop(key, target);
    return answer;
  }

  #newKey(keyText: string): WritingKey {
    const { targetsPerKey } = this.#limits;
    return { keyText, hold: new KeyHold(this.#limits), objects: new RecentMap(targetsPerKey) };
  }

  #hold({ keyText, hold }: WritingKey): number {
    const holdMs = hold.tighten(this.#options.clock.monotonicNow());
    this.#options.observer?.slowed(keyText, holdMs);
    return holdMs;
  }

  #reportNoopLoop(key: WritingKey, { text }: Target): void {
    const { noopWrites, noopWindowMs } = this.#limits;
    const holdMs = this.#hold(key);
    this.#warn(
      key,
      holdMs,
      `write ${text}: ${noopWrites} runs within ${noopWindowMs / 1000} s wrote it and changed nothing; ` +
        "compare with what is there before writing, or run less often",
    );
  }

  #reportPingPong(key: WritingKey, fight: Fight): void {
    const { call, target, suspicion, found } = fight;
    const holdMs = this.#hold(key);
    const report: PingPongReport = {
      controller: this.#options.controllerName,
      keyText: key.keyText,
      object: `${call.resource.kind} ${formatKey(target.key)}`,
      field: suspicion.path,
      flips: suspicion.flips,
      ownManager: suspicion.ownManagers[0] ?? call.query.fieldManager ?? this.#options.controllerName,
      ...found,
      holdMs,
    };
    this.#warn(key, holdMs, describePingPong(report));
    this.#options.observer?.pingPong(report);
  }

  #warn({ keyText }: WritingKey, holdMs: number, message: string): void {
    this.#options.log.warn(message, { controller: this.#options.controllerName, key: keyText, holdMs });
  }
}

interface Fight {
  readonly call: ApiCall;
  readonly target: Target;
  readonly suspicion: Suspicion;
  readonly found: OtherWriters;
}

function isGuarded(call: ApiCall): boolean {
  const isRightVerb = call.verb === "create" || call.verb === "update" || call.verb === "patch";
  return isRightVerb && !isDryRun(call);
}
