import type { Event } from "keelson/kinds/core/v1";
import type { LastEvent } from "./row.ts";

/** What last happened to each object, by its uid. */
export class LastEvents {
  readonly #byUid = new Map<string, LastEvent>();

  /** Records an Event; returns whether it is the latest one of its object. */
  note(event: Event): boolean {
    const { uid } = event.involvedObject;
    if (uid === undefined) return false;
    const atMs = timeOf(event);
    const before = this.#byUid.get(uid);
    if (before !== undefined && before.atMs > atMs) return false;
    const { reason = "", message = "", type } = event;
    this.#byUid.set(uid, { atMs, reason, message, isWarning: type === "Warning" });
    return true;
  }

  forget(uid: string): void {
    this.#byUid.delete(uid);
  }

  of(uid: string | undefined): LastEvent | undefined {
    return uid === undefined ? undefined : this.#byUid.get(uid);
  }
}

/** When it last happened. Reporters fill in only some of the times. */
function timeOf({ series, lastTimestamp, eventTime, firstTimestamp, metadata }: Event): number {
  const times = [
    series?.lastObservedTime,
    lastTimestamp,
    eventTime,
    firstTimestamp,
    metadata.creationTimestamp,
  ];
  const known = times.flatMap((time) => (typeof time === "string" ? [Date.parse(time)] : []));
  return Math.max(0, ...known.filter((ms) => !Number.isNaN(ms)));
}
