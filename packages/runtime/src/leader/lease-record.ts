import { deepEqual } from "@keelson/core";
import type { Lease, LeaseSpec } from "@keelson/core/kinds/coordination/v1";

/**
 * The record of the leader in a Lease [LE13]. Its times are never used in computations, since they come from the clocks
 * of other machines [LE3].
 */
export interface LeaseRecord {
  /** The identity of the leader; empty if there is none. */
  readonly holder: string;
  /** Zero if the field is missing: such a Lease is expired at once. */
  readonly durationSeconds: number;
  /** When the holder acquired the Lease. */
  readonly acquireTime?: string;
  readonly renewTime?: string;
  /** How often the holder has changed. */
  readonly transitions: number;
  /** A field of coordinated leader election, which Keelson does not take part in; it is preserved. */
  readonly preferredHolder?: string;
  /** As `preferredHolder`. */
  readonly strategy?: string;
}

/** Reads the record. A Lease without a spec has no holder. */
export function recordOf({ spec = {} }: Lease): LeaseRecord {
  const { holderIdentity, leaseDurationSeconds, leaseTransitions, ...rest } = spec;
  return {
    holder: holderIdentity ?? "",
    durationSeconds: leaseDurationSeconds ?? 0,
    transitions: leaseTransitions ?? 0,
    ...rest,
  };
}

/** The spec that stores a record. */
export function specOf({ holder, durationSeconds, transitions, ...rest }: LeaseRecord): LeaseSpec {
  return {
    holderIdentity: holder,
    leaseDurationSeconds: durationSeconds,
    leaseTransitions: transitions,
    ...rest,
  };
}

/** Whether two records are equal. */
/** Whether two records are equal. */
export function isSameRecord(one: LeaseRecord, other: LeaseRecord): boolean {
  return deepEqual(one, other);
}

/** Formats a Kubernetes MicroTime: RFC 3339 in UTC with six fractional digits. */
export function formatMicroTime(ms: number): string {
  const wholeMs = Math.floor(ms);
  const micros = Math.floor((ms - wholeMs) * 1000);
  return new Date(wholeMs).toISOString().replace("Z", `${String(micros).padStart(3, "0")}Z`);
}
