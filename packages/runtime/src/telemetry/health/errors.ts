import { KeelsonError } from "@keelson/core";

/** The base of what health checks report. */
export abstract class HealthError extends KeelsonError {
  static override readonly brand: string = "keelson.HealthError";
}

/** A check that cannot be added [MG8]. */
export class HealthCheckRefusedError extends HealthError {
  static override readonly brand: string = "keelson.HealthCheckRefusedError";
  readonly code = "HEALTH_CHECK_REFUSED";
  readonly check: string;

  constructor(check: string, problem: string) {
    super(`add health check ${JSON.stringify(check)}: ${problem}`);
    this.check = check;
  }
}

/** A check did not end in time; the reason with which its signal aborts. */
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

/** What a cache holds grows old, since no watch tells of changes. */
export class StaleInformersError extends HealthError {
  static override readonly brand: string = "keelson.StaleInformersError";
  readonly code = "STALE_INFORMERS";
  /** Such as `pods in shop: waiting, silent for 320 s: connection refused`. */
  readonly informers: readonly string[];

  constructor(informers: readonly string[]) {
    super(`check watches: nothing is heard of ${informers.join("; ")}`);
    this.informers = informers;
  }
}

/** Not all objects have been read yet. */
export class CacheNotSyncedError extends HealthError {
  static override readonly brand: string = "keelson.CacheNotSyncedError";
  readonly code = "CACHE_NOT_SYNCED";
  /** Such as `pods in shop`. */
  readonly informers: readonly string[];

  constructor(informers: readonly string[]) {
    super(`check the cache: not synced are ${informers.join(", ")}`);
    this.informers = informers;
  }
}

/** Work takes longer than it may. */
export class QueueStuckError extends HealthError {
  static override readonly brand: string = "keelson.QueueStuckError";
  readonly code = "QUEUE_STUCK";
  readonly queue: string;

  constructor(queue: string, problem: string) {
    super(`check queue ${queue}: ${problem}; is a reconcile stuck?`);
    this.queue = queue;
  }
}
