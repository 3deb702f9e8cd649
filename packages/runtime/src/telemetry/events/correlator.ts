import type { Clock } from "@keelson/core";
import { RecentMap } from "../../recent-map.ts";
import { identityOf, type Occurrence, similarityOf, spamKeyOf, withNote } from "./occurrence.ts";

/** An Event on the server, or on its way there. */
export interface TrackedEvent {
  readonly name: string;
  readonly namespace: string;
  /** What happened first; the later ones are like it. */
  readonly first: Occurrence;
  /** How often it happened. */
  count: number;
  /** The note of the last one, which differs from the first where similar ones are combined. */
  note: string;
  /** When it happened last, in milliseconds since 1970. */
  lastAtMs: number;
  /** The same moment for measuring durations. */
  lastMonotonicMs: number;
  /** How many of them the server knows of; 0 as long as the Event is not there. */
  savedCount: number;
  /** It waits to be written, as it will be by then. */
  isQueued: boolean;
  /** When it was last on its way to the server, for measuring durations; undefined if it never was. */
  sentMonotonicMs: number | undefined;
}

export interface CorrelatorOptions {
  readonly clock: Clock;
  /** A new name for an Event about the object of this name. */
  readonly nameFor: (objectName: string) => string;
  /**
   * How repetitions are told [EVR2, EVR3]. As a series: the second one at once, the others with a heartbeat every 30 min
   * and at the end of the series, after 6 min without one. As a count: each at once, for as long as it is remembered.
   */
  readonly repetitions: "series" | "count";
}

/** What is to be done about an occurrence: write its Event as it now is, wait with that, or tell nobody of it. */
export interface Correlation {
  readonly event: TrackedEvent;
  readonly verdict: "write" | "later" | "spam";
  /** Events that are forgotten for it, and must be written for the last time. */
  readonly displaced: readonly TrackedEvent[];
}

interface Tracked {
  readonly event: TrackedEvent;
  readonly evicted: TrackedEvent | undefined;
}

const finishAfterMs = 360_000;
const heartbeatMs = 1_800_000;
const mostEvents = 4096;

/** Decides which Events are written, and when. Asks the clock and does nothing else. */
export class EventCorrelator {
  readonly #events = new RecentMap<string, TrackedEvent>(mostEvents);
  readonly #similar: SimilarEvents;
  readonly #spam: SpamFilter;
  readonly #clock: Clock;
  readonly #nameFor: (objectName: string) => string;
  readonly #isSeries: boolean;

  constructor({ clock, nameFor, repetitions }: CorrelatorOptions) {
    this.#clock = clock;
    this.#nameFor = nameFor;
    this.#isSeries = repetitions === "series";
    this.#similar = new SimilarEvents(clock);
    this.#spam = new SpamFilter(clock);
  }

  /**
   * What the spam filter stops is counted all the same: whatever of the Event is written next tells of it. It takes
   * a token for each write, and none for repetitions that are only counted.
   */
  observe(occurrence: Occurrence): Correlation {
    const { occurrence: told, key } = this.#similar.group(occurrence);
    const ended = this.#endedBy(key);
    const known = this.#events.get(key);
    const { event, evicted } = known === undefined ? this.#track(key, told) : this.#repeat(known, told);
    const displaced = [ended, evicted].filter((old) => old !== undefined).filter(isBehind);
    return { event, verdict: this.#judge(event, told), displaced };
  }

  #judge(event: TrackedEvent, told: Occurrence): Correlation["verdict"] {
    const isOnServer = event.savedCount > 0;
    if (event.isQueued || (this.#isSeries && isOnServer && event.count > 2)) return "later";
    if (!this.#spam.allows(told)) return isOnServer ? "later" : "spam";
    event.sentMonotonicMs = this.#clock.monotonicNow();
    return "write";
  }

  /** When `due` has something to do next, as `monotonicNow` counts; undefined if never. */
  get nextDueMs(): number | undefined {
    if (!this.#isSeries) return undefined;
    let earliest: number | undefined;
    for (const [, event] of this.#events.entries())
      earliest = Math.min(earliest ?? Number.POSITIVE_INFINITY, dueMs(event));
    return earliest;
  }

  /** Which Events must be written by now: heartbeats, and series that have ended, which are then forgotten [EVR3]. */
  due(): readonly TrackedEvent[] {
    const nowMs = this.#clock.monotonicNow();
    const toWrite: TrackedEvent[] = [];
    for (const [key, event] of this.#isSeries ? this.#events.entries() : []) {
      if (dueMs(event) > nowMs) continue;
      if (finishMs(event) <= nowMs) this.#events.delete(key);
      else event.sentMonotonicMs = nowMs;
      if (isBehind(event)) toWrite.push(event);
    }
    return toWrite;
  }

  /** Which Events the server knows with too low a count, so that nothing is lost at the end of a process. */
  unsaved(): readonly TrackedEvent[] {
    return [...this.#events.entries()].map(([, event]) => event).filter(isBehind);
  }

  /** A series that ended before it was swept away. What happens now begins another one. */
  #endedBy(key: string): TrackedEvent | undefined {
    const event = this.#events.get(key);
    if (event === undefined || !this.#isSeries || finishMs(event) > this.#clock.monotonicNow())
      return undefined;
    this.#events.delete(key);
    return event;
  }

  #track(key: string, first: Occurrence): Tracked {
    const { regarding, atMs, note } = first;
    const event: TrackedEvent = {
      name: this.#nameFor(regarding.name ?? ""),
      namespace: regarding.namespace ?? "default",
      first,
      count: 1,
      note,
      lastAtMs: atMs,
      lastMonotonicMs: this.#clock.monotonicNow(),
      savedCount: 0,
      isQueued: false,
      sentMonotonicMs: undefined,
    };
    return { event, evicted: this.#events.set(key, event) };
  }

  #repeat(event: TrackedEvent, { note, atMs }: Occurrence): Tracked {
    event.count += 1;
    event.note = note;
    event.lastAtMs = atMs;
    event.lastMonotonicMs = this.#clock.monotonicNow();
    return { event, evicted: undefined };
  }
}

function finishMs({ lastMonotonicMs }: TrackedEvent): number {
  return lastMonotonicMs + finishAfterMs;
}

function dueMs(event: TrackedEvent): number {
  const { sentMonotonicMs } = event;
  const heartbeat = sentMonotonicMs === undefined ? Number.POSITIVE_INFINITY : sentMonotonicMs + heartbeatMs;
  return Math.min(finishMs(event), heartbeat);
}

/** One that is not there is not made by a heartbeat: the spam filter, or the server, said no to it. */
function isBehind({ count, savedCount }: TrackedEvent): boolean {
  return savedCount > 0 && count > savedCount;
}

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

const burst = 25;
const refillMs = 300_000;
const mostObjects = 4096;

interface Bucket {
  readonly tokens: number;
  readonly countedMs: number;
}

/** Lets 25 events of a type about an object pass, and after that one every 5 minutes [EVR2]. */
export class SpamFilter {
  readonly #buckets = new RecentMap<string, Bucket>(mostObjects);
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Takes a token if there is one. */
  allows(occurrence: Occurrence): boolean {
    const key = spamKeyOf(occurrence);
    const nowMs = this.#clock.monotonicNow();
    const { tokens: before, countedMs } = this.#buckets.get(key) ?? { tokens: burst, countedMs: nowMs };
    const tokens = Math.min(burst, before + (nowMs - countedMs) / refillMs);
    const isAllowed = tokens >= 1;
    this.#buckets.set(key, { tokens: isAllowed ? tokens - 1 : tokens, countedMs: nowMs });
    return isAllowed;
  }
}
