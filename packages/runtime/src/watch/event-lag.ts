import { type Clock, isRecord } from "@keelson/core";

/** At most one event in this time is measured: that takes parsing it, which is otherwise often not needed. */
const intervalMs = 1_000;
/** Larger events are not measured. */
const mostBytes = 65_536;

/**
 * How much later than their writes events arrive. Computed from the time of the object's last write, which is in whole
 * seconds of the server's clock; so it shows a watch that is seconds late, and nothing finer.
 */
export class EventLag {
  readonly #clock: Clock;
  #measuredAtMs: number | undefined;
  #lagMs: number | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The lag of the last event that was measured. */
  get lagMs(): number | undefined {
    return this.#lagMs;
  }

  /** Measures an event, given as the line that the server sent. */
  observe(line: Buffer): void {
    const nowMs = this.#clock.now();
    if (this.#measuredAtMs !== undefined && nowMs - this.#measuredAtMs < intervalMs) return;
    if (line.length > mostBytes) return;
    this.#measuredAtMs = nowMs;
    const writtenMs = writtenAt(line);
    if (writtenMs !== undefined) this.#lagMs = Math.max(0, nowMs - writtenMs);
  }
}

/** When the object of an event was last written; undefined if it has no such time. */
function writtenAt(line: Buffer): number | undefined {
  const event: unknown = JSON.parse(line.toString("utf8"));
  if (!isRecord(event) || !isRecord(event.object) || event.type === "DELETED") return undefined;
  const { metadata } = event.object;
  // The beginning of a deletion is a write that leaves no time of its own.
  if (!isRecord(metadata) || metadata.deletionTimestamp !== undefined) return undefined;
  const managers: readonly unknown[] = Array.isArray(metadata.managedFields) ? metadata.managedFields : [];
  const times = managers.map((manager) => (isRecord(manager) ? timeOf(manager.time) : Number.NaN));
  // An object without fields has no field managers, and was written when it was created.
  if (event.type === "ADDED") times.push(timeOf(metadata.creationTimestamp));
  const newest = Math.max(...times.filter(Number.isFinite));
  return Number.isFinite(newest) ? newest : undefined;
}

function timeOf(value: unknown): number {
  return typeof value === "string" ? Date.parse(value) : Number.NaN;
}
