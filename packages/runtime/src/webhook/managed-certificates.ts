import { AlreadyExistsError, type Client, ConflictError, NotFoundError } from "@keelson/client";
import { type Clock, formatKey, type ServingCertificate, sleep, systemClock, toError } from "@keelson/core";
import { Secret } from "@keelson/core/kinds/core/v1";
import { type Logger, silentLogger } from "../logger.ts";
import {
  bundleOf,
  type CertificateMaterial,
  materialFromData,
  materialToData,
  stateOf,
} from "./certificate-material.ts";
import { createMaterial, type RotationContext, takeStep } from "./certificate-rotation.ts";
import type { CertificateObserver, CertificateSource } from "./certificate-source.ts";
import { InvalidCertificateError, InvalidWebhookError, NoCertificateError } from "./errors.ts";
import {
  checkRotationRules,
  defaultRotationRules,
  isAheadOf,
  nextRotationAt,
  planRotation,
  type RotationRules,
  type RotationStep,
} from "./rotation-plan.ts";

export interface ManagedCertificatesOptions {
  readonly client: Client;
  /** The Secret that all replicas share. It is created if it is not there; one of another type is used as it is. */
  readonly secret: { readonly namespace: string; readonly name: string };
  /** What the API server calls the server by: `<service>.<namespace>.svc`, or an address. */
  readonly hosts: readonly string[];
  /** Has callers trust these authorities; called at each look, so it must write nothing where nothing has changed. */
  readonly inject: (caBundle: string, signal: AbortSignal) => Promise<void>;
  /**
   * Whether this replica creates, mends, rotates and injects, as the leader does. One that may not writes nothing at all
   * and waits for the leader's, in `load` too; so nobody's leading may depend on `load`. Default: always; the API server
   * decides a race.
   */
  readonly mayWrite?: () => boolean;
  readonly rules?: Partial<RotationRules>;
  /** How often the Secret is looked at. Default 10 s; at most a third of the overlap. */
  readonly intervalMs?: number;
  /** Default: the machine's. */
  readonly clock?: Clock;
  readonly logger?: Logger;
  readonly observer?: CertificateObserver;
}

/** More steps than these cannot follow from each other at one moment. */
const mostSteps = 5;

/** More than these, and something writes against us. */
const mostAttempts = 5;

/** The material as the Secret has it, and the version of the Secret that it was read from. */
interface Stored {
  readonly material: CertificateMaterial;
  readonly secret: Secret;
}

/**
 * Certificates of our own making: an authority and a certificate for the server, shared by all replicas through a
 * Secret, and renewed at two thirds of their life [WH9]. Callers never meet a certificate that they do not trust: a new
 * authority is injected first, and signs only after the overlap.
 *
 * Replicas need no lease for this: each write names the version it was made from, so the API server lets one of them win
 * and the others read what it wrote.
 */
export class ManagedCertificates implements CertificateSource {
  readonly #options: ManagedCertificatesOptions;
  readonly #rules: RotationRules;
  readonly #intervalMs: number;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #what: string;
  #material: CertificateMaterial | undefined;
  #isLeaderAwaited = false;

  constructor(options: ManagedCertificatesOptions) {
    const { rules, intervalMs = 10_000, clock = systemClock, logger = silentLogger, secret } = options;
    this.#options = options;
    this.#rules = { ...defaultRotationRules, ...rules };
    checkRotationRules(this.#rules);
    if (intervalMs * 3 > this.#rules.overlapMs) {
      throw new InvalidWebhookError("manage certificates", "intervalMs is more than a third of overlapMs");
    }
    this.#intervalMs = intervalMs;
    this.#clock = clock;
    this.#logger = logger;
    this.#what = `certificate of secret ${formatKey(secret)}`;
  }

  current(): ServingCertificate {
    if (this.#material === undefined) throw new NoCertificateError(this.#what);
    return this.#material.leaf;
  }

  /** The authorities that callers must trust now, in PEM. */
  get caBundle(): string {
    if (this.#material === undefined) throw new NoCertificateError(this.#what);
    return bundleOf(this.#material);
  }

  /** A replica that may not write waits until the leader has made the certificate, or until it may. */
  async load(signal?: AbortSignal): Promise<void> {
    while ((await this.#readOrCreate(signal)) === undefined) {
      await sleep(this.#clock, this.#intervalMs, signal);
    }
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.#pass(signal);
      } catch (error) {
        if (signal.aborted) return;
        this.#options.observer?.readFailed();
        this.#logger.error("cannot look after the webhook certificate; the last good one stays in use", {
          error: toError(error).message,
        });
      }
      await this.#wait(signal);
    }
  }

  /** Injects what is there, then takes the step that is due, until none is: trust always comes first. */
  async #pass(signal: AbortSignal): Promise<void> {
    const taken = new Set<RotationStep>();
    for (let steps = 0; steps < mostSteps; steps++) {
      const stored = await this.#readOrCreate(signal);
      if (stored === undefined || !this.#mayWrite()) return;
      await this.#options.inject(bundleOf(stored.material), signal);
      const context = this.#context();
      const step = this.#plan(stored.material, context);
      if (step === "none") return;
      if (taken.has(step)) {
        this.#logger.error("a step of the webhook certificate is due again right after it was taken", {
          step,
        });
        return;
      }
      const material = await takeStep(step, stored.material, context);
      if (await this.#replace({ ...stored, material }, signal)) {
        taken.add(step);
        this.#logger.info("rotated the webhook certificate", { step });
      }
    }
  }

  #plan(material: CertificateMaterial, { hosts, nowMs }: RotationContext): RotationStep {
    const state = stateOf(material);
    if (isAheadOf(nowMs, state)) {
      this.#logger.warn(
        "the webhook certificate is not valid yet, so it is made anew; compare the replicas' clocks",
      );
    }
    return planRotation(state, { hosts, ...this.#rules }, nowMs);
  }

  /** Undefined if there is nothing to be had, and it is not for this replica to write. */
  async #readOrCreate(signal: AbortSignal | undefined): Promise<Stored | undefined> {
    this.#options.observer?.read();
    for (let attempts = 0; attempts < mostAttempts; attempts++) {
      const secret = await this.#find(signal);
      const material = secret && this.#materialIn(secret);
      if (secret !== undefined && material !== undefined) {
        this.#material = material;
        this.#isLeaderAwaited = false;
        return { material, secret };
      }
      if (!this.#mayWrite()) return this.#awaitLeader();
      // Deleted or spoiled by somebody: what is in use is still trusted, so it is what must come back.
      const made = this.#material ?? (await createMaterial(this.#context()));
      if (secret === undefined) await this.#create(made, signal);
      else await this.#replace({ material: made, secret }, signal);
      // It is read again: another replica may have been first, and both must serve what that one made.
    }
    throw new InvalidCertificateError(this.#what, "it does not stay as it is written; who else writes it?");
  }

  async #find(signal: AbortSignal | undefined): Promise<Secret | undefined> {
    const { client, secret } = this.#options;
    try {
      return await client.get(Secret, secret, signal === undefined ? {} : { signal });
    } catch (error) {
      if (error instanceof NotFoundError) return undefined;
      throw error;
    }
  }

  /** Undefined if somebody has spoiled it. */
  #materialIn({ data }: Secret): CertificateMaterial | undefined {
    try {
      return materialFromData(this.#what, data);
    } catch (error) {
      if (!(error instanceof InvalidCertificateError)) throw error;
      this.#options.observer?.readFailed();
      if (this.#mayWrite()) {
        this.#logger.warn("the secret of the webhook certificate is broken and is written anew", {
          problem: error.message,
        });
      }
      return undefined;
    }
  }

  /** Said once, not at each look. */
  #awaitLeader(): undefined {
    if (!this.#isLeaderAwaited) {
      this.#logger.warn(
        "waits for the leader to write the secret of the webhook certificate, which is not usable",
        {
          Secret: this.#options.secret,
        },
      );
    }
    this.#isLeaderAwaited = true;
  }

  async #create(material: CertificateMaterial, signal: AbortSignal | undefined): Promise<void> {
    const { client, secret } = this.#options;
    const made = { metadata: secret, type: "kubernetes.io/tls", data: materialToData(material) };
    try {
      await client.create(Secret, made, signal === undefined ? {} : { signal });
    } catch (error) {
      if (!(error instanceof AlreadyExistsError)) throw error;
    }
  }

  /** Whether it was this replica that replaced it. Type, labels and all else that others have put there stay. */
  async #replace({ material, secret }: Stored, signal: AbortSignal | undefined): Promise<boolean> {
    if (secret.immutable === true) {
      const problem = "its Secret is immutable; delete it, and it is made anew with the same certificate";
      throw new InvalidWebhookError(`write ${this.#what}`, problem);
    }
    const changed = { ...secret, data: { ...secret.data, ...materialToData(material) } };
    try {
      await this.#options.client.update(Secret, changed, signal === undefined ? {} : { signal });
      return true;
    } catch (error) {
      if (error instanceof ConflictError || error instanceof NotFoundError) return false;
      throw error;
    }
  }

  #mayWrite(): boolean {
    return this.#options.mayWrite?.() ?? true;
  }

  #context(): RotationContext {
    const { hosts, secret } = this.#options;
    return { name: secret.name, hosts, rules: this.#rules, nowMs: this.#clock.now() };
  }

  async #wait(signal: AbortSignal): Promise<void> {
    const intervalMs = this.#intervalMs;
    const dueMs = this.#material === undefined ? 0 : nextRotationAt(stateOf(this.#material), this.#rules);
    // Never at once: a step that is due and cannot be taken is not to be tried all the time.
    const delayMs = Math.max(Math.min(intervalMs, dueMs - this.#clock.now()), intervalMs / 10);
    try {
      await sleep(this.#clock, delayMs, signal);
    } catch {
      // It is over; the loop finds out.
    }
  }
}
