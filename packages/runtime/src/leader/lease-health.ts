import { LeaseNotRenewedError } from "./errors.ts";
import type { Leadership } from "./lease-term.ts";

export interface LeaseHealthOptions {
  /** For how long after its lease has run out a leader may take to end. Default 20 s. */
  readonly toleranceMs?: number;
}

/**
 * A health check [LE10]: throws a LeaseNotRenewedError if this replica leads and should long have ended, since its last
 * renewal is older than the lease and the tolerance. A replica that does not lead is healthy.
 */
export function leaseHealthCheck(
  leadership: Leadership,
  { toleranceMs = 20_000 }: LeaseHealthOptions = {},
): () => void {
  return () => {
    const { lease, leaseDurationMs, renewedAgoMs } = leadership;
    if (renewedAgoMs !== undefined && renewedAgoMs > leaseDurationMs + toleranceMs)
      throw new LeaseNotRenewedError(lease, renewedAgoMs);
  };
}
