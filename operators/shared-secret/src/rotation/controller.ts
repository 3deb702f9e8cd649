import {
  type ApiUse,
  anyOf,
  type ControllerDefinition,
  controller,
  controllerOf,
  deepEqual,
  generationChanged,
  type ObjectContext,
  type ObjectKey,
  type Predicate,
  type ReconcileResult,
  usesOf,
} from "keelson";
import type { Projected } from "keelson/cache";
import { Secret } from "keelson/kinds/core/v1";
import type { RandomBytes } from "keelson/low-level";
import { EventReason } from "../api/reasons.ts";
import { SharedSecret } from "../api/shared-secret.ts";
import { type SecretContent, VersionedSecret } from "../secret/versioned-secret.ts";
import { type RotationOutcome, rotateSecret } from "./rotate-secret.ts";
import { rotatorFieldOwner } from "./rotation-status.ts";
import { type Rotator, rotatorFor } from "./rotator.ts";

/** Measures rotations. */
interface RotationMetrics {
  rotated(result: "success" | "error", seconds: number): void;
}

/** What the controller is made of. */
export interface RotationParts {
  readonly rotators: readonly Rotator[];
  readonly randomBytes: RandomBytes;
  readonly metrics: RotationMetrics;
}

/** A rotation mostly waits for a database. */
const concurrency = 8;
/** A timer that is due later than this is set again in between. */
const longestWaitMs = 86_400_000;

/** What rotations use of the API beyond what the controller watches: they read from the server. */
export const rotationUses: readonly ApiUse[] = [
  ...usesOf(SharedSecret, ["get"]),
  ...usesOf(Secret, ["get", "patch"]),
];

/**
 * Rotates the values of SharedSecrets whose rotator runs in the operator, when that is due. Beside the controller that writes
 * the rest of the status, it writes only the fields of a rotation.
 */
export function rotationController(parts: RotationParts): ControllerDefinition {
  return controller(SharedSecret, {
    ...{ concurrency, fieldOwner: rotatorFieldOwner, backoff: "oneSecondToFiveMinutes" },
    predicates: [anyOf<SharedSecret>(generationChanged, rotationMayBeDue)],
  })
    .named("rotation")
    .watches(VersionedSecret, sharedSecretOf, { predicates: [rotatedAtChanged] })
    .reconcile((context) => reconcileRotation(context, parts));
}

/** Whether the status has changed in what decides about a rotation; what a rotation writes is not among it. */
const rotationMayBeDue: Predicate<SharedSecret> = {
  update: ({ old, object }) => old === undefined || !deepEqual(decisive(old), decisive(object)),
};

function decisive({ status = {}, podsRestartRequired }: SharedSecret): object {
  const { approved, rotateSeconds, restart } = status;
  return {
    ...{ approved, rotateSeconds },
    isRestarting: podsRestartRequired || status.podsRestartRequired === true || restart !== undefined,
  };
}

/** A Secret that was created again has never been rotated. */
const rotatedAtChanged: Predicate<Projected<Secret, SecretContent>> = {
  update: ({ old, object }) => old?.rotatedAt !== object.rotatedAt,
  delete: () => false,
};

/** A copy has no controller. */
function sharedSecretOf(secret: VersionedSecret): readonly ObjectKey[] {
  const owner = controllerOf(secret);
  const { namespace } = secret.metadata;
  return owner?.kind === SharedSecret.kind && namespace !== undefined
    ? [{ namespace, name: owner.name }]
    : [];
}

async function reconcileRotation(
  context: ObjectContext<SharedSecret>,
  { rotators, randomBytes, metrics }: RotationParts,
): Promise<ReconcileResult> {
  const { object, liveClient, clock, log, signal } = context;
  const { rotator: chosen } = object.spec;
  if (chosen?.runsIn !== "Operator") return undefined;
  const rotator = rotatorFor(chosen, rotators);
  // The condition Rotated shows it.
  if (rotator === undefined) return undefined;
  const startMs = clock.monotonicNow();
  const outcome = await rotateSecret(liveClient, object, rotator, { clock, randomBytes, log, signal });
  const seconds = (clock.monotonicNow() - startMs) / 1000;
  if (outcome.result === "Rotated") metrics.rotated("success", seconds);
  if (outcome.result === "Failed") metrics.rotated("error", seconds);
  recordOutcome(context, outcome);
  const untilMs = outcome.result === "Rotated" ? outcome.nextMs : outcome.retryAtMs;
  if (untilMs === undefined) return undefined;
  return { requeueAfterMs: Math.min(Math.max(untilMs - clock.now(), 1), longestWaitMs) };
}

function recordOutcome({ event }: ObjectContext<SharedSecret>, outcome: RotationOutcome): void {
  if (outcome.result === "Rotated")
    event("Normal", EventReason.Rotated, "the value was rotated; its consumers are restarted");
  if (outcome.result === "Failed")
    event("Warning", EventReason.RotationFailed, `${outcome.problem}; the operator retries`);
}
