import type { Clock } from "@keelson/core";
import { RecentMap } from "../../recent-map.ts";
import { identityOf, similarityOf } from "./event-keys.ts";
import { type Occurrence, withNote } from "./occurrence.ts";

/** So many that differ by their note only are told one by one. */
const mostApart = 10;
/** After so long without one of them counting begins anew. */
const forgetAfterMs = 600_000;
const mostGroups = 4096;

interface Group {
  /** No more than one more than are told apart. */
  readonly notes: ReadonlySet<string>;
  readonly lastMs: number;
}

/** An occurrence as it is to be told, and what it counts as a repetition of. */
export interface Grouped {
  readonly occurrence: Occurrence;
  readonly key: string;
}

/** Combines events that differ by their note only, once there were more than 10 of them with pauses below 10 min [EVR2]. */
export class SimilarEvents {
  readonly #groups = new RecentMap<string, Group>(mostGroups);
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  group(occurrence: Occurrence): Grouped {
    const key = similarityOf(occurrence);
    const nowMs = this.#clock.monotonicNow();
    const known = this.#groups.get(key);
    const notes =
      known === undefined || nowMs - known.lastMs > forgetAfterMs ? new Set<string>() : known.notes;
    const isKnown = notes.has(occurrence.note) || notes.size > mostApart;
    const grown = isKnown ? notes : new Set([...notes, occurrence.note]);
    this.#groups.set(key, { notes: grown, lastMs: nowMs });
    if (grown.size <= mostApart) return { occurrence, key: identityOf(occurrence) };
    return { occurrence: withNote(occurrence, `(combined from similar events): ${occurrence.note}`), key };
  }
}
