import { type Clock, isRecord } from "@keelson/core";

/** At most one event in so long is looked at: to know the lag it must be parsed, which others may never need. */
const intervalMs = 1_000;
/** Events that are larger are not looked at. */
const mostBytes = 65_536;

/**
 * How much later than their writes events arrive. Taken from when the server says that the object was last written,
 * which is in whole seconds and by its clock; so it shows a watch that is seconds late, and nothing finer.
 */
export class EventLag {
  readonly #clock: Clock;
  #lookedAtMs: number | undefined;
  #lagMs: number | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Of the last event that was looked at. */
  get lagMs(): number | undefined {
    return this.#lagMs;
  }

  /** An event came, as the server wrote it. */
  observe(line: Buffer): void {
    const nowMs = this.#clock.now();
    if (this.#lookedAtMs !== undefined && nowMs - this.#lookedAtMs < intervalMs) return;
    if (line.length > mostBytes) return;
    this.#lookedAtMs = nowMs;
    const writtenMs = writtenAt(line);
    if (writtenMs !== undefined) this.#lagMs = Math.max(0, nowMs - writtenMs);
  }
}

/** When the object of an event was last written; undefined if it does not say so. */
function writtenAt(line: Buffer): number | undefined {
  const event: unknown = JSON.parse(line.toString("utf8"));
  if (!isRecord(event) || !isRecord(event.object) || event.type === "DELETED") return undefined;
  const { metadata } = event.object;
  // The beginning of a deletion is a write that leaves no time of its own.
  if (!isRecord(metadata) || metadata.deletionTimestamp !== undefined) return undefined;
  const managers: readonly unknown[] = Array.isArray(metadata.managedFields) ? metadata.managedFields : [];
  const times = managers.map((manager) => (isRecord(manager) ? timeOf(manager.time) : Number.NaN));
  // An object without any field has no managers of fields, and was written when it was made.
  if (event.type === "ADDED") times.push(timeOf(metadata.creationTimestamp));
  const newest = Math.max(...times.filter(Number.isFinite));
  return Number.isFinite(newest) ? newest : undefined;
}

function timeOf(value: unknown): number {
  return typeof value === "string" ? Date.parse(value) : Number.NaN;
}
