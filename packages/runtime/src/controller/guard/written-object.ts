import { isNewer, isResourceVersion, type KubeObject } from "@keelson/core";
import { RecentMap } from "../../cache/recent-map.ts";
import { changedFields } from "../../source/changed-paths.ts";
import type { GuardLimits } from "./guard-limits.ts";
import { LoopCounter, type LoopSign } from "./loop-counter.ts";
import type { RunTimes } from "./run-times.ts";
import { hashOf } from "./value-hash.ts";
import { type Suspicion, WrittenField } from "./written-field.ts";

/** How long a key is held, by the kind of loop; 0 if it is not. */
export interface Holds {
  readonly noop: number;
  readonly selfWoken: number;
  readonly fight: number;
}

/** A write that was answered by the object. */
export interface AnsweredWrite {
  readonly run: RunTimes;
  readonly answer: KubeObject;
  /** The object before the write, as far as that is known. */
  readonly before: KubeObject | undefined;
  readonly now: number;
  readonly holds: Holds;
}

/** What a write tells. */
export interface WriteSigns {
  /** It changed nothing. */
  readonly isNoop: boolean;
  readonly noop: LoopSign;
  readonly selfWoken: LoopSign;
  /** It set back a field that is known to be fought over. */
  readonly fightGoesOn: boolean;
}

const noSigns: WriteSigns = { isNoop: false, noop: "calm", selfWoken: "calm", fightGoesOn: false };

/**
 * What one key has written to one object: enough to see that it writes without end, and no values. Holds versions, times
 * and hashes only.
 */
export class WrittenObject {
  readonly #limits: GuardLimits;
  /** The version that the last write was answered with. */
  #version: string | undefined;
  /** Runs that wrote it without changing it. */
  readonly #noops: LoopCounter;
  /** Runs that changed it, since somebody else last wrote it. */
  readonly #changes: LoopCounter;
  readonly #fields: RecentMap<string, WrittenField>;
  #suspicion: Suspicion | undefined;

  constructor(limits: GuardLimits) {
    const { noopWrites, noopWindowMs, selfWokenWrites, selfWokenWindowMs } = limits;
    this.#limits = limits;
    this.#noops = new LoopCounter({ ...limits, runs: noopWrites, windowMs: noopWindowMs });
    this.#changes = new LoopCounter({ ...limits, runs: selfWokenWrites, windowMs: selfWokenWindowMs });
    this.#fields = new RecentMap(limits.fieldsPerTarget);
  }

  /** What should be looked into before the next write. */
  get suspicion(): Suspicion | undefined {
    return this.#suspicion;
  }

  note(write: AnsweredWrite): WriteSigns {
    const { run, answer, before, now, holds } = write;
    const previous = this.#version;
    this.#version = answer.metadata.resourceVersion;
    // A version never comes again: if the object has had this one before, nothing has changed since.
    const isNoop = this.#version === previous || this.#version === before?.metadata.resourceVersion;
    if (isNoop) return { ...noSigns, isNoop, noop: this.#noops.note(run, now, holds.noop) };
    if (before === undefined || before.kind !== answer.kind) return noSigns;
    const othersWrote = previous !== undefined && isLater(before.metadata.resourceVersion, previous);
    const fightGoesOn = this.#noteFields(write, before, othersWrote);
    if (othersWrote || previous === undefined) this.#changes.reset();
    // A state older than the own write tells nothing of what came after it.
    else if (before.metadata.resourceVersion !== previous) return { ...noSigns, fightGoesOn };
    return { ...noSigns, fightGoesOn, selfWoken: this.#changes.note(run, now, holds.selfWoken) };
  }

  /** Whether the field is what the key made of it. */
  isAsWritten(path: string, value: unknown): boolean {
    return this.#fields.peek(path)?.has(value) === true;
  }

  /** The suspicion was looked into, with this result. */
  settle(path: string, result: "contested" | "uncontested" | "unknowable"): void {
    this.#suspicion = undefined;
    this.#fields.peek(path)?.settle(result);
  }

  /** Whether a fight goes on. */
  #noteFields(write: AnsweredWrite, before: KubeObject, othersWrote: boolean): boolean {
    let fightGoesOn = false;
    for (const { path, after } of changedFields(before, write.answer)) {
      const isKnown = this.#fields.peek(path) !== undefined;
      const field = this.#fields.use(path, () => new WrittenField(path, hashOf(after), this.#limits));
      if (!field.has(after)) field.set(after);
      else if (isKnown && othersWrote && !field.isUnknowable) {
        const { goesOn, suspicion } = field.flip({ ...write, fightHoldMs: write.holds.fight });
        this.#suspicion ??= suspicion;
        fightGoesOn ||= goesOn;
      }
    }
    return fightGoesOn;
  }
}

/** Only what is later than the own write can be somebody else's; versions without an order are later if they differ. */
function isLater(version: string | undefined, own: string): boolean {
  if (version === undefined) return false;
  if (!isResourceVersion(version) || !isResourceVersion(own)) return version !== own;
  return isNewer(version, own);
}
