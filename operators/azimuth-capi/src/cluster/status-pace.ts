import { type Clock, deepEqual, formatKey, type ObjectKey } from "keelson";
import type { ClusterStatus } from "../api/cluster.ts";

const detailsMs = 1_000;

/**
 * Keeps the status of a Cluster from being written at every step of each of its machines and addons: what has become of the
 * whole is shown at once, and its details once a second.
 */
export class StatusPace {
  readonly #clock: Clock;
  /** When the status of a Cluster was last written. */
  readonly #written = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** How long to wait before this status is written in place of the one before; 0 if it may be written now. */
  waitMs(key: ObjectKey, before: ClusterStatus | undefined, status: ClusterStatus): number {
    const written = this.#written.get(formatKey(key));
    if (written === undefined || before === undefined || deepEqual(before, status)) return 0;
    if (!deepEqual(withoutDetails(before), withoutDetails(status))) return 0;
    return Math.max(0, written + detailsMs - this.#clock.monotonicNow());
  }

  wrote(key: ObjectKey): void {
    this.#written.set(formatKey(key), this.#clock.monotonicNow());
  }

  forget(key: ObjectKey): void {
    this.#written.delete(formatKey(key));
  }
}

function withoutDetails({
  nodes: _,
  nodeCount: __,
  addons: ___,
  addonCount: ____,
  ...whole
}: ClusterStatus): object {
  return whole;
}
