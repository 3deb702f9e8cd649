import { deepEqual } from "@keelson/core";
import type { Lease, LeaseSpec } from "@keelson/core/kinds/coordination/v1";

/**
 * What a Lease says about who leads [LE13]. The times are as they were written: nobody computes with them, since they
 * come from clocks of other machines [LE3].
 */
export interface LeaseRecord {
  /** Empty if nobody leads. */
  readonly holder: string;
  /** Zero if the record does not say: such a lease is valid for no time. */
  readonly durationSeconds: number;
  /** Since when the holder leads. */
  readonly acquireTime?: string;
  readonly renewTime?: string;
  /** How often the holder has changed. */
  readonly transitions: number;
  /** Of coordinated leader election, which Keelson takes no part in: kept as it was. */
  readonly preferredHolder?: string;
  /** As `preferredHolder`. */
  readonly strategy?: string;
}

/** What an object without a spec says is that nobody leads. */
export function recordOf({ spec = {} }: Lease): LeaseRecord {
  const { holderIdentity, leaseDurationSeconds, leaseTransitions, ...others } = spec;
  return {
    holder: holderIdentity ?? "",
    durationSeconds: leaseDurationSeconds ?? 0,
    transitions: leaseTransitions ?? 0,
    ...others,
  };
}

export function specOf({ holder, durationSeconds, transitions, ...others }: LeaseRecord): LeaseSpec {
  return {
    holderIdentity: holder,
    leaseDurationSeconds: durationSeconds,
    leaseTransitions: transitions,
    ...others,
  };
}

export function isSameRecord(one: LeaseRecord, other: LeaseRecord): boolean {
  return deepEqual(one, other);
}

/** The MicroTime of Kubernetes: RFC 3339 in UTC with six digits after the point. */
export function formatMicroTime(ms: number): string {
  const wholeMs = Math.floor(ms);
  const micros = Math.floor((ms - wholeMs) * 1000);
  return new Date(wholeMs).toISOString().replace("Z", `${String(micros).padStart(3, "0")}Z`);
}
