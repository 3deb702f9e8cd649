import type { Clock } from "@keelson/core";
import { RecentMap } from "../../recent-map.ts";
import { identityOf, type Occurrence, similarityOf, spamKeyOf, withNote } from "./occurrence.ts";

/** An Event that is stored on the server or waits to be written. */
export interface TrackedEvent {
  readonly name: string;
  readonly namespace: string;
  /** The first occurrence. */
  readonly first: Occurrence;
  /** The number of occurrences. */
  count: number;
  /** The note of the last occurrence, which differs from the first if similar ones are combined. */
  note: string;
  /** The time of the last occurrence, in milliseconds since 1970. */
  lastAtMs: number;
  /** The same time on the monotonic clock. */
  lastMonotonicMs: number;
  /** The count that the server has stored; 0 if it has no such Event. */
  savedCount: number;
  /** It waits to be written. */
  isQueued: boolean;
  /** When it was last passed on to be written, on the monotonic clock; undefined if it never was. */
  sentMonotonicMs: number | undefined;
}

/** What a correlator works with. */
export interface CorrelatorOptions {
  readonly clock: Clock;
  /** A new name for an Event about the object of this name. */
  readonly nameFor: (objectName: string) => string;
  /**
   * How repetitions are written [EVR2, EVR3]. As a series: the second one at once, later ones with a heartbeat every 30 min
   * and at the end of the series, after 6 min without one. As a count: each at once, as long as the Event is tracked.
   */
  readonly repetitions: "series" | "count";
}

/** What to do about an occurrence: write its Event now, write it later, or drop it as spam. */
export interface Correlation {
  readonly event: TrackedEvent;
  readonly verdict: "write" | "later" | "spam";
  /** Events that are no longer tracked because of it, and must be written for the last time. */
  readonly displaced: readonly TrackedEvent[];
}

interface Tracked {
  readonly event: TrackedEvent;
  readonly evicted: TrackedEvent | undefined;
}

const finishAfterMs = 360_000;
const heartbeatMs = 1_800_000;
const maxEvents = 4096;

/** Decides which Events are written, and when. Its only input is the clock; it writes nothing itself. */
export class EventCorrelator {
  readonly #events = new RecentMap<string, TrackedEvent>(maxEvents);
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
   * Counts also what the spam filter stops: the next write of the Event includes it. The spam filter takes a token for each
   * write, and none for repetitions that are only counted.
   */
  observe(occurrence: Occurrence): Correlation {
    const { occurrence: grouped, key } = this.#similar.group(occurrence);
    const ended = this.#endedBy(key);
    const known = this.#events.get(key);
    const { event, evicted } = known === undefined ? this.#track(key, grouped) : this.#repeat(known, grouped);
    const displaced = [ended, evicted].filter((old) => old !== undefined).filter(isBehind);
    return { event, verdict: this.#judge(event, grouped), displaced };
  }

  #judge(event: TrackedEvent, grouped: Occurrence): Correlation["verdict"] {
    const isOnServer = event.savedCount > 0;
    if (event.isQueued || (this.#isSeries && isOnServer && event.count > 2)) return "later";
    if (!this.#spam.allows(grouped)) return isOnServer ? "later" : "spam";
    event.sentMonotonicMs = this.#clock.monotonicNow();
    return "write";
  }

  /** When `due` next returns an Event, on the monotonic clock; undefined if never. */
  get nextDueMs(): number | undefined {
    if (!this.#isSeries) return undefined;
    let earliest: number | undefined;
    for (const [, event] of this.#events.entries())
      earliest = Math.min(earliest ?? Number.POSITIVE_INFINITY, dueMs(event));
    return earliest;
  }

  /** The Events that are due: heartbeats, and series that have ended, which are then no longer tracked [EVR3]. */
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

  /** The Events whose stored count is too low, so that nothing is lost when the process ends. */
  unsaved(): readonly TrackedEvent[] {
    return [...this.#events.entries()].map(([, event]) => event).filter(isBehind);
  }

  /** The series of this key if it has ended and is still tracked; this occurrence starts a new one. */
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

/** A heartbeat does not create a missing Event: the spam filter or the server has refused it. */
function isBehind({ count, savedCount }: TrackedEvent): boolean {
  return savedCount > 0 && count > savedCount;
}

/** How many similar occurrences are recorded one by one. */
const maxSeparate = 10;
/** After this time without a similar occurrence, counting starts again. */
const forgetAfterMs = 600_000;
const maxGroups = 4096;

interface Group {
  /** At most one more than are recorded one by one. */
  readonly notes: ReadonlySet<string>;
  readonly lastMs: number;
}

/** An occurrence as it is recorded, and the key of the Event that it repeats. */
export interface Grouped {
  readonly occurrence: Occurrence;
  readonly key: string;
}

/** Combines occurrences that differ only in their note, after more than 10 of them with pauses below 10 min [EVR2]. */
export class SimilarEvents {
  readonly #groups = new RecentMap<string, Group>(maxGroups);
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
    const isKnown = notes.has(occurrence.note) || notes.size > maxSeparate;
    const grown = isKnown ? notes : new Set([...notes, occurrence.note]);
    this.#groups.set(key, { notes: grown, lastMs: nowMs });
    if (grown.size <= maxSeparate) return { occurrence, key: identityOf(occurrence) };
    return { occurrence: withNote(occurrence, `(combined from similar events): ${occurrence.note}`), key };
  }
}

const burst = 25;
const refillMs = 300_000;
const maxObjects = 4096;

interface Bucket {
  readonly tokens: number;
  readonly countedMs: number;
}

/** Allows 25 Events of a type about an object, and after that one every 5 minutes [EVR2]. */
export class SpamFilter {
  readonly #buckets = new RecentMap<string, Bucket>(maxObjects);
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
