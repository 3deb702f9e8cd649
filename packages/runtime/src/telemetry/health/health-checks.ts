import { abortable, type Clock, toError } from "@keelson/core";
import { HealthCheckRefusedError, HealthCheckTimeoutError } from "./errors.ts";

/** Throws, or rejects, if something is wrong. The signal aborts when nobody waits for it any more. */
export type HealthCheck = (signal: AbortSignal) => void | Promise<void>;

export interface HealthCheckOptions {
  /** A check that takes longer has failed. Default 1 s. */
  readonly timeoutMs?: number;
}

export interface NamedHealthCheck {
  readonly name: string;
  readonly check: HealthCheck;
  readonly timeoutMs: number;
}

const defaultTimeoutMs = 1_000;
/** What can stand in a path without being escaped. */
const namePattern = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;

/** Named checks that are answered together, such as those of `/readyz`. */
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

  /** From now on no check can be added. Done when they begin to be served. */
  seal(): void {
    this.#isSealed = true;
  }

  get(name: string): NamedHealthCheck | undefined {
    return this.#checks.get(name);
  }

  /** By name. */
  get all(): readonly NamedHealthCheck[] {
    return [...this.#checks.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }
}

/** Why the check failed; undefined if all is well. Never takes longer than the check's time limit. */
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
    // A check that is still under way learns that nobody waits for it.
    limit.abort(new Error(`health check ${name} has been answered`));
  }
}
