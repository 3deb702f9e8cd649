import { type Leadership, type LeaseHealthOptions, leaseHealthCheck } from "../../leader/lease-term.ts";
import type { HealthCheck } from "./health-checks.ts";

/** Fails if this replica leads and its last renewal is older than the lease and a tolerance of 20 s [LE10]. */
export function leaseAge(leadership: Leadership, options?: LeaseHealthOptions): HealthCheck {
  return leaseHealthCheck(leadership, options);
}
