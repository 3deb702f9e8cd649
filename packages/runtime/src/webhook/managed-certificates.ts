import { AlreadyExistsError, type Client, ConflictError, NotFoundError } from "@keelson/client";
import { type Clock, formatKey, type ServingCertificate, sleep, systemClock, toError } from "@keelson/core";
import { Secret } from "@keelson/core/kinds/core/v1";
import type { Logger } from "../logger.ts";
import { steadyLogger } from "../steady-logger.ts";
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

/** Where the certificates are stored, and what they are for. */
export interface ManagedCertificatesOptions {
  readonly client: Client;
  /** The Secret that all replicas share. It is created if it does not exist; an existing one keeps its type. */
  readonly secret: { readonly namespace: string; readonly name: string };
  /** The hosts in the URLs of the webhooks: `<service>.<namespace>.svc`, or an address. */
  readonly hosts: readonly string[];
  /** Makes the API server trust these authorities. Called at each interval, so it must not write if nothing has changed. */
  readonly inject: (caBundle: string, signal: AbortSignal) => Promise<void>;
  /**
   * Whether this replica creates, repairs, rotates and injects, as the leader does. A replica that may not writes nothing
   * and waits for the leader's certificate, also in `load`; so leader election must not wait for `load`. Default: always;
   * the API server lets one of several writers win.
   */
  readonly mayWrite?: () => boolean;
  readonly rules?: Partial<RotationRules>;
  /** How often the Secret is read. Default 10 s; at most a third of the overlap. */
  readonly intervalMs?: number;
  /** Default: the machine's. */
  readonly clock?: Clock;
  readonly logger?: Logger;
  readonly observer?: CertificateObserver;
}

/** No more than this many steps can be due at one time. */
const mostSteps = 5;

/** After this many attempts, another program must be writing the Secret. */
const mostAttempts = 5;

/** The material in the Secret, and the Secret that it was read from. */
interface StoredMaterial {
  readonly material: CertificateMaterial;
  readonly secret: Secret;
}

/**
 * Certificates that Keelson issues: an authority and a certificate for the server, shared by all replicas through a
 * Secret, and renewed at two thirds of their life [WH9]. The API server never meets a certificate that it does not trust:
 * a new authority is injected first, and signs only after the overlap.
 *
 * Replicas need no Lease for this: each write carries the resource version that it is based on, so the API server lets one
 * replica win, and every other replica reads what that one wrote.
 */
export class ManagedCertificates implements CertificateSource {
  readonly #options: ManagedCertificatesOptions;
  readonly #rules: RotationRules;
  readonly #intervalMs: number;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #what: string;
  #material: CertificateMaterial | undefined;
  #isWaitingForLeader = false;

  constructor(options: ManagedCertificatesOptions) {
    const { rules, intervalMs = 10_000, clock = systemClock, secret } = options;
    const logger = steadyLogger(options.logger);
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

  /** A replica that may not write waits until the leader has created the certificate, or until it may write. */
  async load(signal?: AbortSignal): Promise<void> {
    while ((await this.#readOrCreate(signal)) === undefined) {
      await sleep(this.#clock, this.#intervalMs, signal);
    }
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.#maintain(signal);
      } catch (error) {
        if (signal.aborted) return;
        this.#options.observer?.readFailed();
        this.#logger.error("cannot maintain the webhook certificate; the last valid one stays in use", {
          error: toError(error).message,
        });
      }
      await this.#wait(signal);
    }
  }

  /** Injects the stored authorities, then executes the step that is due, until none is: trust always comes first. */
  async #maintain(signal: AbortSignal): Promise<void> {
    const taken = new Set<RotationStep>();
    for (let steps = 0; steps < mostSteps; steps++) {
      const stored = await this.#readOrCreate(signal);
      if (stored === undefined || !this.#mayWrite()) return;
      await this.#options.inject(bundleOf(stored.material), signal);
      const context = this.#context();
      const step = this.#plan(stored.material, context);
      if (step === "none") return;
      if (taken.has(step)) {
        this.#logger.error(
          "a rotation step of the webhook certificate is due again right after it was executed",
          {
            step,
          },
        );
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
        "the webhook certificate is not valid yet, so a new one is issued; compare the clocks of the replicas",
      );
    }
    return planRotation(state, { hosts, ...this.#rules }, nowMs);
  }

  /** Undefined if there is no valid material and this replica may not write. */
  async #readOrCreate(signal: AbortSignal | undefined): Promise<StoredMaterial | undefined> {
    this.#options.observer?.read();
    for (let attempts = 0; attempts < mostAttempts; attempts++) {
      const secret = await this.#find(signal);
      const material = secret && this.#materialIn(secret);
      if (secret !== undefined && material !== undefined) {
        this.#material = material;
        this.#isWaitingForLeader = false;
        return { material, secret };
      }
      if (!this.#mayWrite()) return this.#awaitLeader();
      // The Secret was deleted or overwritten. The material in use is still trusted, so it is stored again.
      const made = this.#material ?? (await createMaterial(this.#context()));
      if (secret === undefined) await this.#create(made, signal);
      else await this.#replace({ material: made, secret }, signal);
      // Read again: another replica may have written first, and both must serve what that one wrote.
    }
    throw new InvalidCertificateError(
      this.#what,
      "its Secret changes after each write; does another program write it?",
    );
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

  /** Undefined if the data of the Secret is invalid. */
  #materialIn({ data }: Secret): CertificateMaterial | undefined {
    try {
      return materialFromData(this.#what, data);
    } catch (error) {
      if (!(error instanceof InvalidCertificateError)) throw error;
      this.#options.observer?.readFailed();
      if (this.#mayWrite()) {
        this.#logger.warn("the secret of the webhook certificate is invalid and is written again", {
          problem: error.message,
        });
      }
      return undefined;
    }
  }

  /** Logged once, not at each interval. */
  #awaitLeader(): undefined {
    if (!this.#isWaitingForLeader) {
      this.#logger.warn(
        "waiting for the leader to write the secret of the webhook certificate, which is missing or invalid",
        {
          Secret: this.#options.secret,
        },
      );
    }
    this.#isWaitingForLeader = true;
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

  /** Whether this replica replaced the material. Type, labels and all other fields of the Secret stay. */
  async #replace({ material, secret }: StoredMaterial, signal: AbortSignal | undefined): Promise<boolean> {
    if (secret.immutable === true) {
      const problem = "its Secret is immutable; delete it, and it is created again with the same certificate";
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
    // Never at once: a step that is due and fails must not be tried in a loop without delay.
    const delayMs = Math.max(Math.min(intervalMs, dueMs - this.#clock.now()), intervalMs / 10);
    try {
      await sleep(this.#clock, delayMs, signal);
    } catch {
      // The signal has aborted, which the loop checks.
    }
  }
}
