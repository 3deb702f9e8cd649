import type { KubeObject } from "@keelson/core";
import type { GuardLimits } from "./guard-limits.ts";
import { managedFieldOwners } from "./managed-field-owners.ts";
import { isAtPace, type RunTimes } from "./run-times.ts";
import { hashOf } from "./value-hash.ts";

/** A field that somebody else seems to write as well. */
export interface Suspicion {
  readonly path: string;
  readonly flips: number;
  readonly ownManagers: readonly string[];
  /** It was contested before, and is set back as fast as the hold of the key allows. */
  readonly persists: boolean;
}

/** The key has set a field back. */
export interface Flip {
  readonly run: RunTimes;
  readonly answer: KubeObject;
  readonly now: number;
  /** How long the key is held because of fights; 0 if it is free. */
  readonly fightHoldMs: number;
}

/** A field that the key has written. Knows its value by a hash only. */
export class WrittenField {
  readonly #path: string;
  readonly #limits: GuardLimits;
  /** Of the value that the key gave it last. */
  #hash: string;
  /** When the key gave it that value again, after somebody else had given it another. */
  #flips: number[] = [];
  #lastFlipRun: RunTimes | undefined;
  /** Somebody was seen to fight over it. */
  #isContested = false;
  /** The cache does not have it as the server does, so that nothing can be told by it. */
  #isUnknowable = false;

  constructor(path: string, hash: string, limits: GuardLimits) {
    this.#path = path;
    this.#hash = hash;
    this.#limits = limits;
  }

  has(value: unknown): boolean {
    return this.#hash === hashOf(value);
  }

  get isUnknowable(): boolean {
    return this.#isUnknowable;
  }

  /** Another value: whatever was seen of the last one does not count any more. */
  set(value: unknown): void {
    this.#hash = hashOf(value);
    this.#flips = [];
    this.#lastFlipRun = undefined;
    this.#isContested = false;
  }

  /** Whether the fight that is known goes on with this, and what is to be suspected after it. */
  flip({ run, answer, now, fightHoldMs }: Flip): { goesOn: boolean; suspicion: Suspicion | undefined } {
    const { windowMs, flips, repeats, pace } = this.#limits;
    const goesOn = this.#isContested && fightHoldMs > 0;
    const isPaced = isAtPace(run, this.#lastFlipRun, pace * fightHoldMs);
    const counted = this.#flips.filter((time) => goesOn || now - time < windowMs);
    this.#flips = goesOn && !isPaced ? [] : [...counted, now];
    this.#lastFlipRun = run;
    if (this.#flips.length < (goesOn ? repeats : flips)) return { goesOn, suspicion: undefined };
    // Whoever changes a field owns it alone.
    const ownManagers = managedFieldOwners(answer, this.#path).map(({ manager }) => manager);
    const suspicion = { path: this.#path, flips: this.#flips.length, ownManagers, persists: goesOn };
    return { goesOn, suspicion };
  }

  /** A suspicion was looked into, with this result. */
  settle(result: "contested" | "uncontested" | "unknowable"): void {
    this.#flips = [];
    this.#isContested = result === "contested";
    this.#isUnknowable = result === "unknowable";
  }
}
