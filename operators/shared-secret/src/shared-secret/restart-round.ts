import type { RestartRound, SharedSecretStatus } from "../api/status.ts";

/** What a round depends on. */
export interface RoundFacts {
  readonly status: SharedSecretStatus | undefined;
  /** Whether `podsRestartRequired` of the object itself is set. */
  readonly isFlagged: boolean;
  /** The version of the value that the Secret has now. */
  readonly version: string;
  readonly nowMs: number;
}

/** Whether a round is under way or begins. */
export type NextRound =
  | { readonly type: "round"; readonly round: RestartRound }
  /** The value has changed and no flag is set; if none is set until then, a round begins at this time. */
  | { readonly type: "later"; readonly atMs: number }
  | { readonly type: "none" };

/** A rotator sets the flag after it has written the value. What is begun before would have to be repeated. */
const flagGraceMs = 5_000;

/**
 * The rounds, in each of which all read-only consumers are restarted. One is required if a flag is set, or if the value is not
 * the one that the consumers were restarted for: so neither a flag that is set again during a round nor a value whose flag
 * was never set is lost. If the value changes during a round, it begins anew, for those too that were restarted already; a
 * flag that is set during a round asks for what is being done. The first value that is seen counts as theirs.
 */
export class RestartRounds {
  /** When a value was first seen that no flag belongs to, by the uid of its SharedSecret. */
  readonly #unflagged = new Map<string, { readonly version: string; readonly sinceMs: number }>();

  next(uid: string, { status, isFlagged, version, nowMs }: RoundFacts): NextRound {
    const { restart, restartedVersion = version, podsRestartRequired = false } = status ?? {};
    if (restart?.version === version) return { type: "round", round: restart };
    if (restart === undefined && !isFlagged && !podsRestartRequired) {
      if (restartedVersion === version) return this.#none(uid);
      const atMs = this.#firstSeen(uid, version, nowMs) + flagGraceMs;
      if (atMs > nowMs) return { type: "later", atMs };
    }
    this.forget(uid);
    return { type: "round", round: { startedAt: new Date(nowMs).toISOString(), version } };
  }

  forget(uid: string): void {
    this.#unflagged.delete(uid);
  }

  #none(uid: string): NextRound {
    this.forget(uid);
    return { type: "none" };
  }

  #firstSeen(uid: string, version: string, nowMs: number): number {
    const known = this.#unflagged.get(uid);
    if (known?.version === version) return known.sinceMs;
    this.#unflagged.set(uid, { version, sinceMs: nowMs });
    return nowMs;
  }
}
