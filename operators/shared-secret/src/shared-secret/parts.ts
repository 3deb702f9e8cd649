import type { Client } from "keelson";
import type { RandomBytes } from "keelson/low-level";
import type { SharedSecretMetrics } from "../metrics.ts";
import type { Policy } from "../policy/policy.ts";
import type { Rotator } from "../rotation/rotator.ts";
import type { CorrectionPace } from "./correct-pods.ts";
import type { RestartRounds } from "./restart-round.ts";

/** What the controllers of one manager share. */
export interface SharedSecretParts {
  policyOf(client: Client): Policy;
  readonly rotators: readonly Rotator[];
  readonly randomBytes: RandomBytes;
  readonly metrics: SharedSecretMetrics;
  readonly rounds: RestartRounds;
  readonly corrections: CorrectionPace;
  /** The namespaces that the operator works in; undefined for all. */
  readonly namespaces: readonly string[] | undefined;
}
