import { KeelsonError } from "keelson";
import type { Reason } from "../api/reasons.ts";

/** How long to wait for a neighbour that says nothing. If it does, the Cluster is reconciled at once. */
const neighbourMs = 15_000;
/** The same for what is not there at all. */
const absentMs = 60_000;

/** Something that a Cluster needs is not there yet. That is no failure: the Cluster is reconciled again later. */
export class NotReadyError extends KeelsonError {
  static override readonly brand: string = "keelson.azimuth-capi.NotReadyError";
  readonly code = "NOT_READY";
  readonly reason: Reason;
  readonly retryMs: number;

  constructor(reason: Reason, message: string, { isAbsent = false } = {}) {
    super(message);
    this.reason = reason;
    this.retryMs = isAbsent ? absentMs : neighbourMs;
  }
}
