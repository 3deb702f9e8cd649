import type { Moment } from "./watch-rules.ts";
import type { StreamFacts } from "./watch-state.ts";

const veryShortMs = 1_000;

/** The facts after another line has come. */
export function heard(stream: StreamFacts, { nowMs }: Moment, events = 0): StreamFacts {
  return { ...stream, heardAtMs: nowMs, events: stream.events + events };
}

/** Whether a stream that is over was of no use at all [RF9]. */
export function isVeryShort({ openedAtMs, events }: StreamFacts, { nowMs }: Moment): boolean {
  return events === 0 && nowMs - openedAtMs < veryShortMs;
}
