import type { Occurrence } from "./occurrence.ts";

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
