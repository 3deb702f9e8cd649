import { type Client, type Clock, find, isControlledBy, keyOf, type Logger, type Stored } from "keelson";
import { Secret } from "keelson/kinds/core/v1";
import { type RandomBytes, toError } from "keelson/low-level";
import { StaleObjectError } from "keelson/object";
import { secretNameOf } from "../api/names.ts";
import { SharedSecret } from "../api/shared-secret.ts";
import { type NotDue, NotDueError, type NotDueReason, type RotationDue, rotationDue } from "./due.ts";
import { redactSecrets } from "./redact-secrets.ts";
import { recordedMs, recordFailure, recordRotation, rotatorFieldOwner } from "./rotation-status.ts";
import type { RotationRequest, Rotator, SecretData } from "./rotator.ts";
import { contentError, contentOf, contentPatch, rotatedAtMs } from "./secret-content.ts";

/** What a rotation needs from outside. */
export interface RotationDependencies {
  readonly clock: Clock;
  readonly randomBytes: RandomBytes;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/** How a call of `rotateSecret` ended. */
export type RotationOutcome =
  /** The status shows it. `nextMs` is when the next rotation is due. */
  | { readonly result: "Rotated"; readonly nextMs: number | undefined }
  /** The status shows the problem, which contains no secrets. */
  | { readonly result: "Failed"; readonly problem: string; readonly retryAtMs: number }
  | { readonly result: "NotDue"; readonly reason: NotDueReason; readonly retryAtMs?: number };

/** How soon to look again for what is expected to change at once, and for what another controller has to do. */
const shortWaitMs = 1_000;
const longWaitMs = 30_000;

/** Keys of a Secret whose values messages may contain. */
const shownKeys: ReadonlySet<string> = new Set(["username", "host", "port", "database"]);

/**
 * Rotates the value of a SharedSecret if that is due: the rotator makes a new one, one guarded patch writes it to the Secret,
 * and one patch of the status has the consumers restarted. The Secret notes when it was rotated; after a crash between the
 * two patches the next call finds that time, and only the status follows.
 *
 * The client must read from the server. Throws if the objects cannot be read, or if the status cannot be written after a
 * rotation; a call again then does what is left. Failures of the rotator do not throw: they are the outcome, and the status
 * shows them.
 */
export async function rotateSecret(
  client: Client,
  sharedSecret: Stored<SharedSecret>,
  rotator: Rotator,
  dependencies: RotationDependencies,
): Promise<RotationOutcome> {
  const { clock, signal } = dependencies;
  const secret = await findSecret(client, sharedSecret, signal);
  const early = nextStep({ sharedSecret, secret }, clock.now());
  if (early.step === "Wait") return outcomeOf(early.notDue);
  // The object may come from a cache that does not show yet what was recorded, or that consumers are being restarted.
  const latest = await findLatest(client, sharedSecret, signal);
  const state = { sharedSecret: latest ?? sharedSecret, secret };
  const next = latest === undefined ? deleted : nextStep(state, clock.now());
  switch (next.step) {
    case "Wait":
      return outcomeOf(next.notDue);
    case "Record":
      return {
        result: "Rotated",
        nextMs: await recordRotation(client, state.sharedSecret, next.atMs, signal),
      };
    case "Rotate":
      return new RotationAttempt(client, state.sharedSecret, dependencies).run(rotator);
  }
}

/** What a decision is made from. The Secret is read first: what the status shows later was recorded after that. */
interface RotationState {
  readonly sharedSecret: Stored<SharedSecret>;
  /** Undefined if it does not exist or the SharedSecret does not control it. */
  readonly secret: Stored<Secret> | undefined;
}

type NextStep =
  | { readonly step: "Wait"; readonly notDue: NotDue }
  /** The Secret was rotated at that time and the status does not show it. */
  | { readonly step: "Record"; readonly atMs: number }
  | { readonly step: "Rotate" };

const deleted: NextStep = { step: "Wait", notDue: { due: false, reason: "BeingDeleted" } };

function nextStep({ sharedSecret, secret }: RotationState, nowMs: number): NextStep {
  const atMs = secret === undefined ? undefined : rotatedAtMs(secret);
  if (atMs !== undefined && atMs > (recordedMs(sharedSecret) ?? 0)) return { step: "Record", atMs };
  const decision: RotationDue = rotationDue(sharedSecret, atMs, nowMs);
  if (!decision.due) return { step: "Wait", notDue: decision };
  if (secret !== undefined) return { step: "Rotate" };
  return { step: "Wait", notDue: { due: false, reason: "NoSecret", retryAtMs: nowMs + longWaitMs } };
}

function outcomeOf({ reason, retryAtMs }: NotDue): RotationOutcome {
  return { result: "NotDue", reason, ...(retryAtMs !== undefined && { retryAtMs }) };
}

async function findSecret(
  client: Client,
  sharedSecret: Stored<SharedSecret>,
  signal: AbortSignal,
): Promise<Stored<Secret> | undefined> {
  const { namespace, name } = sharedSecret.metadata;
  const secret = await find(client, Secret, { namespace, name: secretNameOf(name) }, { signal });
  return secret !== undefined && isControlledBy(secret, sharedSecret) ? secret : undefined;
}

/** Undefined if it was deleted, or if another object has its name. */
async function findLatest(
  client: Client,
  sharedSecret: Stored<SharedSecret>,
  signal: AbortSignal,
): Promise<Stored<SharedSecret> | undefined> {
  const latest = await find(client, SharedSecret, keyOf(sharedSecret), { signal });
  return latest?.metadata.uid === sharedSecret.metadata.uid ? latest : undefined;
}

/** One attempt to rotate a value, and what is known during it. */
class RotationAttempt {
  readonly #client: Client;
  readonly #sharedSecret: Stored<SharedSecret>;
  readonly #dependencies: RotationDependencies;
  /** Texts that no message may contain. */
  readonly #secrets = new Set<string>();
  #published: number | undefined;

  constructor(client: Client, sharedSecret: Stored<SharedSecret>, dependencies: RotationDependencies) {
    this.#client = client;
    this.#sharedSecret = sharedSecret;
    this.#dependencies = dependencies;
  }

  async run(rotator: Rotator): Promise<RotationOutcome> {
    const { log, signal } = this.#dependencies;
    try {
      await rotator.rotate(this.#request());
    } catch (error) {
      signal.throwIfAborted();
      // What happened after the new value was published does not undo it.
      if (this.#published === undefined) return this.#endedBy(error);
      log.warn("the value was rotated, and then the rotator failed", { problem: this.#textOf(error) });
    }
    if (this.#published === undefined)
      return this.#failed(new Error(`rotate: rotator ${rotator.name} published nothing; correct it`));
    const nextMs = await recordRotation(this.#client, this.#sharedSecret, this.#published, signal);
    return { result: "Rotated", nextMs };
  }

  #request(): RotationRequest {
    const { clock, randomBytes, log, signal } = this.#dependencies;
    let read: Stored<Secret> | undefined;
    const current = async (): Promise<SecretData> => {
      read = await this.#readDue();
      return this.#noted(contentOf(read), shownKeys);
    };
    const publish = async (data: SecretData): Promise<void> => {
      this.#noted(data, shownKeys);
      read ??= await this.#readDue();
      await this.#publish(read, data);
    };
    const readSecret = (name: string): Promise<SecretData> => this.#readSecret(name);
    return {
      ...{ sharedSecret: this.#sharedSecret, current, readSecret, publish },
      ...{ randomBytes, clock, log, signal },
    };
  }

  /** The Secret, if its rotation is still due. */
  async #readDue(): Promise<Stored<Secret>> {
    const { clock, signal } = this.#dependencies;
    const secret = await findSecret(this.#client, this.#sharedSecret, signal);
    const latest = await findLatest(this.#client, this.#sharedSecret, signal);
    const next = latest === undefined ? deleted : nextStep({ sharedSecret: latest, secret }, clock.now());
    if (next.step === "Rotate" && secret !== undefined) return secret;
    // What another rotator has written, it records.
    const soon: NotDue = { due: false, reason: "NotDue", retryAtMs: clock.now() + shortWaitMs };
    throw new NotDueError(next.step === "Wait" ? next.notDue : soon);
  }

  async #readSecret(name: string): Promise<SecretData> {
    const { namespace } = this.#sharedSecret.metadata;
    const { signal } = this.#dependencies;
    const secret = await this.#client.get(Secret, { namespace, name }, { signal });
    return this.#noted(contentOf(secret), new Set(["username"]));
  }

  async #publish(secret: Stored<Secret>, data: SecretData): Promise<void> {
    const { clock, signal } = this.#dependencies;
    const atMs = clock.now();
    const patch = contentPatch(secret, data, atMs);
    const options = { fieldOwner: rotatorFieldOwner, signal };
    try {
      await this.#client.patch(Secret, keyOf(secret), patch, options);
    } catch (error) {
      throw contentError(secret, error);
    }
    this.#published = atMs;
  }

  async #endedBy(error: unknown): Promise<RotationOutcome> {
    const { log, clock } = this.#dependencies;
    if (error instanceof NotDueError) return outcomeOf(error.notDue);
    if (!(error instanceof StaleObjectError)) return this.#failed(error);
    log.info("the Secret was changed during the rotation, which is tried again");
    return { result: "NotDue", reason: "SecretChanged", retryAtMs: clock.now() + shortWaitMs };
  }

  async #failed(error: unknown): Promise<RotationOutcome> {
    const { clock, log, signal } = this.#dependencies;
    const problem = this.#textOf(error);
    log.warn("the value could not be rotated", { problem });
    const failure = { problem, nowMs: clock.now(), signal };
    const retryAtMs = await recordFailure(this.#client, this.#sharedSecret, failure);
    return { result: "Failed", problem, retryAtMs };
  }

  #textOf(error: unknown): string {
    return redactSecrets(toError(error).message, this.#secrets);
  }

  #noted(data: SecretData, shown: ReadonlySet<string>): SecretData {
    for (const [key, value] of Object.entries(data)) if (!shown.has(key)) this.#secrets.add(value);
    return data;
  }
}
