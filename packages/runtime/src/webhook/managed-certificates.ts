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
import type { CertificateSource } from "./certificate-source.ts";
import { InvalidCertificateError, InvalidWebhookError, NoCertificateError } from "./errors.ts";
import {
  checkRotationRules,
  defaultRotationRules,
  nextRotationAt,
  planRotation,
  type RotationRules,
} from "./rotation-plan.ts";
import type { CertificateObserver } from "./webhook-observer.ts";

export interface ManagedCertificatesOptions {
  readonly client: Client;
  /** The Secret that all replicas share. It is created if it is not there. */
  readonly secret: { readonly namespace: string; readonly name: string };
  /** What the API server calls the server by: `<service>.<namespace>.svc`, or an address. */
  readonly hosts: readonly string[];
  /** Has callers trust these authorities; called at each look, so it must write nothing where nothing has changed. */
  readonly inject: (caBundle: string, signal: AbortSignal) => Promise<void>;
  /** Whether this replica rotates and injects, as the leader does. Default: always; the API server decides a race. */
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

/** The material as the Secret has it, and which version of the Secret. */
interface Stored {
  readonly material: CertificateMaterial;
  readonly resourceVersion: string;
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

  async load(signal?: AbortSignal): Promise<void> {
    await this.#readOrCreate(signal);
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
    const { inject, mayWrite = () => true } = this.#options;
    for (let steps = 0; steps < mostSteps; steps++) {
      const stored = await this.#readOrCreate(signal);
      if (!mayWrite()) return;
      await inject(bundleOf(stored.material), signal);
      const context = this.#context();
      const step = planRotation(
        stateOf(stored.material),
        { hosts: context.hosts, ...this.#rules },
        context.nowMs,
      );
      if (step === "none") return;
      const material = await takeStep(step, stored.material, context);
      if (await this.#replace({ material, resourceVersion: stored.resourceVersion }, signal)) {
        this.#logger.info("rotated the webhook certificate", { step });
      }
    }
  }

  async #readOrCreate(signal: AbortSignal | undefined): Promise<Stored> {
    const { client, secret, observer } = this.#options;
    const options = signal === undefined ? {} : { signal };
    observer?.read();
    for (;;) {
      try {
        const { data, metadata } = await client.get(Secret, secret, options);
        return await this.#adopt(data, metadata.resourceVersion ?? "", signal);
      } catch (error) {
        if (!(error instanceof NotFoundError)) throw error;
      }
      // Deleted by somebody: what is in use is still trusted, so it is what must come back.
      const material = this.#material ?? (await createMaterial(this.#context()));
      try {
        const made = { metadata: secret, type: "kubernetes.io/tls", data: materialToData(material) };
        const { metadata } = await client.create(Secret, made, options);
        this.#material = material;
        return { material, resourceVersion: metadata.resourceVersion ?? "" };
      } catch (error) {
        // Another replica was first. Both must serve what it made.
        if (!(error instanceof AlreadyExistsError)) throw error;
      }
    }
  }

  /** A Secret that somebody has spoiled is written anew, from what is in use if there is any. */
  async #adopt(
    data: Readonly<Record<string, string>> | undefined,
    resourceVersion: string,
    signal: AbortSignal | undefined,
  ): Promise<Stored> {
    try {
      this.#material = materialFromData(this.#what, data);
      return { material: this.#material, resourceVersion };
    } catch (error) {
      if (!(error instanceof InvalidCertificateError)) throw error;
      this.#options.observer?.readFailed();
      this.#logger.warn("the secret of the webhook certificate is broken and is written anew", {
        problem: error.message,
      });
    }
    const material = this.#material ?? (await createMaterial(this.#context()));
    await this.#replace({ material, resourceVersion }, signal);
    return this.#readOrCreate(signal);
  }

  /** Whether it was this replica that replaced it. */
  async #replace({ material, resourceVersion }: Stored, signal: AbortSignal | undefined): Promise<boolean> {
    const { client, secret } = this.#options;
    const metadata = { ...secret, resourceVersion };
    const made = { metadata, type: "kubernetes.io/tls", data: materialToData(material) };
    try {
      await client.update(Secret, made, signal === undefined ? {} : { signal });
      return true;
    } catch (error) {
      if (error instanceof ConflictError || error instanceof NotFoundError) return false;
      throw error;
    }
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
