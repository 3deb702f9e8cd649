import { abortable, type Clock, toError } from "@keelson/core";
import { HealthCheckRefusedError, HealthCheckTimeoutError } from "./errors.ts";

/** Throws, or rejects, to fail. The signal aborts at the time limit, or when the probe is closed. */
export type HealthCheck = (signal: AbortSignal) => void | Promise<void>;

/** How a check is run. */
export interface HealthCheckOptions {
  /** The time limit, after which the check has failed. Default 1 s. */
  readonly timeoutMs?: number;
}

/** A check that was added. */
export interface NamedHealthCheck {
  readonly name: string;
  readonly check: HealthCheck;
  readonly timeoutMs: number;
}

const defaultTimeoutMs = 1_000;
/** A name that needs no escaping in a path. */
const namePattern = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;

/** Named checks that are served together, such as those of `/readyz`. */
export class HealthChecks {
  readonly #checks = new Map<string, NamedHealthCheck>();
  #isSealed = false;

  /** Throws a HealthCheckRefusedError for a name that is taken or unusable, and once the checks are served [MG8]. */
  add(name: string, check: HealthCheck, { timeoutMs = defaultTimeoutMs }: HealthCheckOptions = {}): this {
    if (this.#isSealed)
      throw new HealthCheckRefusedError(name, "the checks are being served; add it before the start");
    if (this.#checks.has(name))
      throw new HealthCheckRefusedError(name, "another check has this name; choose another one");
    if (!namePattern.test(name))
      throw new HealthCheckRefusedError(
        name,
        "use letters, digits, '.', '_' and '-' only, as it is part of a path",
      );
    if (!(timeoutMs > 0)) throw new HealthCheckRefusedError(name, "its time limit must be more than 0 ms");
    this.#checks.set(name, { name, check, timeoutMs });
    return this;
  }

  /** Refuses further checks. Called when the checks are served. */
  seal(): void {
    this.#isSealed = true;
  }

  /** The check of this name. */
  get(name: string): NamedHealthCheck | undefined {
    return this.#checks.get(name);
  }

  /** All checks, ordered by name. */
  get all(): readonly NamedHealthCheck[] {
    return [...this.#checks.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }
}

/** Runs a check. Returns why it failed, or undefined. Takes no longer than its time limit. */
export async function runCheck(
  { name, check, timeoutMs }: NamedHealthCheck,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<Error | undefined> {
  const limit = new AbortController();
  const cancel = clock.schedule(timeoutMs, () => limit.abort(new HealthCheckTimeoutError(name, timeoutMs)));
  const either = AbortSignal.any([limit.signal, signal]);
  try {
    await abortable(
      (async () => {
        await check(either);
      })(),
      either,
    );
    return undefined;
  } catch (caught) {
    return toError(caught);
  } finally {
    cancel();
    // Stops a check that is still running.
    limit.abort(new Error(`health check ${name} has ended`));
  }
}
