import { KeelsonError } from "@keelson/core";

/** The base of the errors of health checks. */
export abstract class HealthError extends KeelsonError {
  static override readonly brand: string = "keelson.HealthError";
}

/** A check could not be added [MG8]. */
export class HealthCheckRefusedError extends HealthError {
  static override readonly brand: string = "keelson.HealthCheckRefusedError";
  readonly code = "HEALTH_CHECK_REFUSED";
  readonly check: string;

  constructor(check: string, problem: string) {
    super(`add health check ${JSON.stringify(check)}: ${problem}`);
    this.check = check;
  }
}

/** A check did not end within its time limit; the reason with which its signal aborts. */
export class HealthCheckTimeoutError extends HealthError {
  static override readonly brand: string = "keelson.HealthCheckTimeoutError";
  readonly code = "HEALTH_CHECK_TIMEOUT";
  readonly check: string;
  readonly limitMs: number;

  constructor(check: string, limitMs: number) {
    super(`run health check ${check}: it has not ended within ${limitMs / 1000} s`);
    this.check = check;
    this.limitMs = limitMs;
  }
}

/** A cache is stale, since its watches receive nothing. */
export class StaleInformersError extends HealthError {
  static override readonly brand: string = "keelson.StaleInformersError";
  readonly code = "STALE_INFORMERS";
  /** Such as `pods in shop: waiting, silent for 320 s: connection refused`. */
  readonly informers: readonly string[];

  constructor(informers: readonly string[]) {
    super(`check watches: nothing was received for ${informers.join("; ")}`);
    this.informers = informers;
  }
}

/** Not all informers have synced. */
export class CacheNotSyncedError extends HealthError {
  static override readonly brand: string = "keelson.CacheNotSyncedError";
  readonly code = "CACHE_NOT_SYNCED";
  /** Such as `pods in shop`. */
  readonly informers: readonly string[];

  constructor(informers: readonly string[]) {
    super(`check the cache: not synced: ${informers.join(", ")}`);
    this.informers = informers;
  }
}

/** The work of a queue takes too long. */
export class QueueStuckError extends HealthError {
  static override readonly brand: string = "keelson.QueueStuckError";
  readonly code = "QUEUE_STUCK";
  readonly queue: string;

  constructor(queue: string, problem: string) {
    super(`check queue ${queue}: ${problem}; is a reconcile stuck?`);
    this.queue = queue;
  }
}
