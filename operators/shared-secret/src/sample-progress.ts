import { findCondition, type GenericObject, type SampleProgress } from "keelson";
import type { SampleStage } from "keelson/manager";
import { ConditionType } from "./api/reasons.ts";
import { SecretAccess } from "./api/secret-access.ts";
import { SharedSecret } from "./api/shared-secret.ts";

/** The progress of sample SharedSecrets and of SecretAccesses, for `keelson dev`. */
export function sharedSecretProgress(object: GenericObject, { isLater }: SampleStage): SampleProgress {
  if (object.kind === SecretAccess.kind) {
    const { decision = "Pending" } = SecretAccess.schemas.status.safeParse(object.status).data ?? {};
    // One of the samples waits for a person, and stays so.
    return { phase: decision, isSettled: true };
  }
  const { data: status } = SharedSecret.schemas.status.safeParse(object.status);
  const { conditions, approved, consumerCount, restart, lastRestart } = status ?? {};
  const ready = consumerCount === undefined ? {} : { ready: consumerCount };
  const synced = findCondition(conditions, ConditionType.Synced);
  if (synced?.status === "False") return { phase: synced.reason, isSettled: false, problem: synced.message };
  if (approved !== true) return { phase: "AwaitingApproval", ...ready, isSettled: false };
  if (restart !== undefined) return { phase: "Restarting", ...ready, isSettled: false };
  if (lastRestart === undefined && isLater) return { phase: "Rotating", ...ready, isSettled: false };
  return { phase: lastRestart === undefined ? "Shared" : "Rotated", ...ready, isSettled: true };
}
