import type { Clock, Logger, Stored } from "keelson";
import type { RandomBytes } from "keelson/low-level";
import type { SharedSecret } from "../api/shared-secret.ts";
import type { RotatorSpec } from "../api/spec.ts";

/** The content of a Secret, decoded. */
export type SecretData = Readonly<Record<string, string>>;

/**
 * Makes new values of a SharedSecret. Rotators run in the operator or in a sidecar; several may run at the same time, so a
 * rotator has to exclude the others while it works, or be harmless beside them.
 */
export interface Rotator {
  /** As `spec.rotator` names it: `postgres`, or the name of a custom one. */
  readonly name: string;
  /**
   * Makes a new value work beside the one that is in the Secret, calls `publish` with it, and returns. At no moment may
   * neither of the two work: consumers use the old value until they are restarted. What it throws is shown in the status,
   * so no message may contain a secret. After a crash at any point the next call must succeed.
   */
  rotate(request: RotationRequest): Promise<void>;
}

/** What a rotator gets. */
export interface RotationRequest {
  readonly sharedSecret: Stored<SharedSecret>;
  /**
   * Reads the Secret from the server: its content before the rotation. Call it when no other rotator can be at work any more.
   * Throws a NotDueError if another rotator has rotated the value in the meantime.
   */
  current(): Promise<SecretData>;
  /** Reads another Secret in the namespace of the SharedSecret, such as one with the password of an administrator. */
  readSecret(name: string): Promise<SecretData>;
  /**
   * Writes the new content, which replaces all of the old one and has a key `value`. Throws a StaleObjectError and writes
   * nothing if the Secret has changed since `current` read it.
   */
  publish(data: SecretData): Promise<void>;
  readonly randomBytes: RandomBytes;
  readonly clock: Clock;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/** The name of the rotator that comes with the operator, and its field in `spec.rotator`. */
export const postgresName = "postgres";

/** The name of the rotator that a spec chooses. */
export function rotatorNameOf({ postgres, custom }: RotatorSpec): string {
  return postgres === undefined ? (custom?.name ?? "") : postgresName;
}

/** The rotator that a spec chooses; undefined if there is none of that name. */
export function rotatorFor(spec: RotatorSpec, rotators: readonly Rotator[]): Rotator | undefined {
  // A custom one of that name would get a spec without a database.
  if (spec.custom?.name === postgresName) return undefined;
  const chosen = rotatorNameOf(spec);
  return rotators.find(({ name }) => name === chosen);
}
