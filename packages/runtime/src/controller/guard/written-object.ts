import { isNewer, isResourceVersion, type KubeObject } from "@keelson/core";
import { changedFields } from "../../source/changed-paths.ts";
import { RecentMap } from "../causal/recent-map.ts";
import type { GuardLimits } from "./guard-limits.ts";
import { managedFieldOwners } from "./managed-field-owners.ts";
import { hashOf } from "./value-hash.ts";

/** A field that the key has written. */
interface WrittenField {
  /** Of the value that the key gave it last. */
  hash: string;
  /** When the key gave it that value again, after somebody else had given it another. */
  flips: number[];
  /** What the key's writes of it are known as. */
  ownManagers: readonly string[];
  /** Somebody was seen to fight over it. */
  isContested: boolean;
  /** The cache does not have it as the server does, so that nothing can be told by it. */
  isUnknowable: boolean;
}

/** A field that somebody else seems to write as well. */
export interface Suspicion {
  readonly path: string;
  readonly flips: number;
  readonly ownManagers: readonly string[];
}

/** A write that was answered by the object. */
export interface AnsweredWrite {
  /** Stands for the run, to tell one from another. */
  readonly run: object;
  readonly answer: KubeObject;
  /** The object before the write, as far as that is known. */
  readonly before: KubeObject | undefined;
  readonly now: number;
  /** The key is held already. */
  readonly isHeld: boolean;
}

/**
 * What one key has written to one object: enough to see that it writes without end, and no values. Holds versions, times
 * and hashes only.
 */
export class WrittenObject {
  readonly #limits: GuardLimits;
  /** The version that the last write was answered with. */
  #version: string | undefined;
  /** When runs wrote it without changing it; one entry for each run. */
  #noops: number[] = [];
  #lastNoopRun: object | undefined;
  readonly #fields: RecentMap<string, WrittenField>;
  #suspicion: Suspicion | undefined;

  constructor(limits: GuardLimits) {
    this.#limits = limits;
    this.#fields = new RecentMap(limits.fieldsPerTarget);
  }

  /** What should be looked into before the next write. */
  get suspicion(): Suspicion | undefined {
    return this.#suspicion;
  }

  /** Whether a write changed nothing, and whether it is one of too many. */
  note(write: AnsweredWrite): { readonly isNoop: boolean; readonly isNoopLoop: boolean } {
    const { answer, before } = write;
    const previous = this.#version;
    this.#version = answer.metadata.resourceVersion;
    // A version never comes again: if the object has had this one before, nothing has changed since.
    const isNoop = this.#version === previous || this.#version === before?.metadata.resourceVersion;
    if (isNoop) return { isNoop, isNoopLoop: this.#noteNoop(write) };
    if (before !== undefined && before.kind === answer.kind) this.#noteChange(write, before, previous);
    return { isNoop, isNoopLoop: false };
  }

  /** Whether the field is what the key made of it. */
  isAsWritten(path: string, value: unknown): boolean {
    return this.#fields.peek(path)?.hash === hashOf(value);
  }

  /** The suspicion was looked into, with this result. */
  settle(path: string, result: "contested" | "uncontested" | "unknowable"): void {
    this.#suspicion = undefined;
    const field = this.#fields.peek(path);
    if (field === undefined) return;
    field.flips = [];
    field.isContested = result === "contested";
    field.isUnknowable = result === "unknowable";
  }

  #noteNoop({ run, now }: AnsweredWrite): boolean {
    if (run === this.#lastNoopRun) return false;
    this.#lastNoopRun = run;
    const { noopWindowMs, noopWrites } = this.#limits;
    this.#noops = [...this.#noops.filter((time) => now - time < noopWindowMs), now];
    if (this.#noops.length < noopWrites) return false;
    this.#noops = [];
    return true;
  }

  #noteChange(write: AnsweredWrite, before: KubeObject, previous: string | undefined): void {
    const othersWrote = previous !== undefined && isLater(before.metadata.resourceVersion, previous);
    for (const { path, after } of changedFields(before, write.answer)) {
      const hash = hashOf(after);
      const isKnown = this.#fields.peek(path) !== undefined;
      const field = this.#fields.use(path, () => newField(hash));
      if (field.hash !== hash) setField(field, hash);
      else if (isKnown && othersWrote && !field.isUnknowable) this.#noteFlip(path, field, write);
    }
  }

  #noteFlip(path: string, field: WrittenField, { answer, now, isHeld }: AnsweredWrite): void {
    const { windowMs, flips } = this.#limits;
    field.flips = [...field.flips.filter((time) => now - time < windowMs), now];
    // Whoever changes a field owns it alone.
    field.ownManagers = managedFieldOwners(answer, path).map(({ manager }) => manager);
    const enough = field.isContested && isHeld ? 1 : flips;
    if (field.flips.length < enough || this.#suspicion !== undefined) return;
    this.#suspicion = { path, flips: field.flips.length, ownManagers: field.ownManagers };
  }
}

function newField(hash: string): WrittenField {
  return { hash, flips: [], ownManagers: [], isContested: false, isUnknowable: false };
}

/** Another value: whatever was seen of the last one does not count any more. */
function setField(field: WrittenField, hash: string): void {
  field.hash = hash;
  field.flips = [];
  field.isContested = false;
}

/** Only what is later than the own write can be somebody else's; versions without an order are later if they differ. */
function isLater(version: string | undefined, own: string): boolean {
  if (version === undefined) return false;
  if (!isResourceVersion(version) || !isResourceVersion(own)) return version !== own;
  return isNewer(version, own);
}
